import type { ParsedMail } from '../parsed.ts'

// Set by programs that answer for a person, and by nothing else.
const MARKS = new Set([
  ...['x-autoreply', 'x-autorespond', 'x-autoresponder', 'x-auto-reply', 'x-autoreply-from', 'x-mail-autoreply'],
  ...['x-autoreply-domain', 'x-autoresponder-revision', 'x-amazon-auto-reply', 'x-vacation'],
])

const SUBJECT =
  /^(?:(?:re|aw|sv|antw):\s{0,4})?(?:auto(?:matic|mated|matische|matisk)?[- _]?(?:reply|response|answer|antwort|svar|responder)|automatisch antwoord|out[- ]of(?:[- ]the)?[- ]office|ooo\b|on (?:vacation|holiday|leave)|vacation\b|away from (?:the |my )?office|abwesenheit|réponse automatique|absence du bureau|respuesta automática|fuera de la oficina|risposta automatica|fuori (?:sede|ufficio)|resposta automática|frånvaro|fravær|poissaolo|自動(?:返信|応答|回覆)|自动(?:回复|答复)|автоответ|automatyczna odpowiedź|자동)/i

/** A reply for a person who is away, beyond doubt: never a bounce, whatever it says. */
export function isVacation(mail: ParsedMail): boolean {
  if (has(mail, 'x-failed-recipients')) return false
  if (mail.headers.some(({ name, value }) => MARKS.has(name) && !/^(?:no|false|0)$/i.test(value))) return true
  if (/^auto[-_]reply/i.test(headerOf(mail, 'precedence'))) return true
  if (/vacation/i.test(headerOf(mail, 'auto-submitted'))) return true
  return SUBJECT.test(mail.subject ?? '') && isByProgram(mail)
}

/** Also a receipt, and whatever else a program sent as an answer (RFC 3834). */
export function isAutoReply(mail: ParsedMail): boolean {
  if (/^auto-(?:replied|notified)/i.test(headerOf(mail, 'auto-submitted'))) return true
  if (/^auto(?:matic|mated)?[- ]?(?:reply|response):/i.test(mail.subject ?? '')) return true
  return mail.attachments.some(({ contentType }) => /\/(?:global-)?disposition-notification$/.test(contentType))
}

function isByProgram(mail: ParsedMail): boolean {
  const submitted = headerOf(mail, 'auto-submitted')
  if (submitted !== '' && !/^no\b/i.test(submitted)) return true
  if (/^(?:bulk|junk|list)\b/i.test(headerOf(mail, 'precedence'))) return true
  return has(mail, 'x-auto-response-suppress') || headerOf(mail, 'return-path').replace(/\s/g, '') === '<>'
}

function has({ headers }: ParsedMail, wanted: string): boolean {
  return headers.some(({ name }) => name === wanted)
}

function headerOf({ headers }: ParsedMail, wanted: string): string {
  return headers.find(({ name }) => name === wanted)?.value ?? ''
}

import { MAX_ROW_BYTES } from '../../adapters/blobs/blob-store.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { validate } from '../../kernel/http/validate.ts'
import { withIdempotencyKey } from '../../kernel/idempotency/idempotency.ts'
import { parseMailbox } from '../../mail/address.ts'
import { readAddresses } from '../../mail/parse/mailboxes.ts'
import type { ParsedMail } from '../../mail/parsed.ts'
import { shownValue, type WrittenField } from '../../mail/submitted/fields.ts'
import type { SubmittedMail, Unsendable } from '../../mail/submitted.ts'
import { readSystemMark, SYSTEM_MAIL } from '../../mail/system-mark.ts'
import type { Clock } from '../../platform/clock.ts'
import { readSubmittedInWorker } from '../inbound/intake/parser-pool.ts'
import type { SubmittedMessage } from './delivery/acceptance/accept.ts'
import { type PreparedEmail, prepare } from './prepare.ts'
import { type EmailRequest, SendEmail } from './schema.ts'
import { submitEmails } from './send.ts'
import type { SubmittingServices } from './services.ts'
import { digestsOf, readyAttachments } from './submit-attachments.ts'
import { IDEMPOTENCY_HEADER, shownHeaders, uniqueHeaders } from './submit-headers.ts'

/** A message that no server would take, whoever sent it. */
export class RefusedMessage extends Problem {
  readonly isLoop: boolean

  constructor({ refusal, isLoop = false }: Unsendable) {
    super('validation_error', refusal)
    this.isLoop = isLoop
  }
}

/**
 * Takes a message that came by SMTP: the same rules, the same promise, the same errors as for one that came by HTTP. What the API shows is
 * read from it, and what leaves is the message itself.
 */
export async function submitMessage(
  services: SubmittingServices,
  actor: Actor,
  { raw, recipients }: { readonly raw: Buffer; readonly recipients: readonly string[] },
): Promise<{ id: string }> {
  const submitted = await readSubmittedInWorker(raw)
  if ('refusal' in submitted) throw new RefusedMessage(submitted)
  const { mail } = submitted
  refuseSystemMail(services, mail)
  const request = validate(SendEmail, requestOf(mail), 'body') as EmailRequest
  const key = mail.headers.find(({ name }) => name === IDEMPOTENCY_HEADER)?.value
  const body = key === undefined ? request : { ...request, ...(await othersOf(submitted)), recipients }
  const takesTime = mail.attachments.length > 0 || raw.length > MAX_ROW_BYTES
  const keyed = { team: actor.team, endpoint: 'SMTP', key, body, takesTime }
  return withIdempotencyKey(services, keyed, async (idempotent) => {
    const email = await prepare(services, actor, request, {
      ...{ envelope: recipients, messageId: messageIdOf(mail), senders: sendersIn(submitted.fields) },
      headerNames: submitted.fields.map(({ name }) => name),
    })
    // What a team sends others of it can read, so a link in it is over before it is there.
    if (submitted.linkTokens.length > 0) await services.disclosures.end(submitted.linkTokens)
    const emails = [asSubmitted(email, { raw, submitted, clock: services.clock })]
    return submitEmails(services, { emails, answer: { id: email.id }, idempotent })
  })
}

/** A mailbox that forwards all of its mail through a team would show it there. */
function refuseSystemMail({ sealer }: SubmittingServices, { headers }: ParsedMail) {
  if (readSystemMark(headers, sealer.deriveKeys(SYSTEM_MAIL)))
    throw new Problem('system_mail_refused', 'Mail of the installation itself cannot be forwarded through a team.')
}

/** What tells two messages apart besides what a request says. Not their bytes: a client that tries again makes new boundaries and dates. */
const othersOf = async ({ mail: { attachments }, fields }: SubmittedMail) => ({
  headers: uniqueHeaders(fields),
  ...(attachments.length > 0 && { attachments: await digestsOf(attachments) }),
})

function asSubmitted(
  email: PreparedEmail,
  { raw, submitted, clock }: { readonly raw: Buffer; readonly submitted: SubmittedMail; readonly clock: Clock },
): PreparedEmail {
  const { mail, fields, layout } = submitted
  const { team, id: emailId } = email
  const blob = raw.length > MAX_ROW_BYTES ? `emails/${team}/${emailId}/raw` : null
  const message: SubmittedMessage = { raw, blob, layout }
  return {
    ...email,
    submitted: message,
    headers: shownHeaders(fields),
    attachments: readyAttachments(mail.attachments, { team, emailId, clock: clock.of(team) }),
  }
}

function requestOf({ from, to, cc, replyTo, subject, html, text }: ParsedMail): EmailRequest {
  return {
    ...(from !== '' && { from }),
    ...mailboxes({ to, cc, reply_to: replyTo }),
    subject: subject ?? '',
    ...(html !== null && { html }),
    // A message without any body is a message; the API would call it one with nothing to say.
    ...(text !== null ? { text } : html === null && { text: '' }),
  }
}

/** The envelope says who gets it. `To: root` is what programs write that send to one machine only, and is no reason to refuse it. */
function mailboxes(lists: Record<'to' | 'cc' | 'reply_to', readonly string[]>) {
  const known = Object.entries(lists).map(([name, list]) => [name, list.filter((text) => parseMailbox(text) !== null)])
  return Object.fromEntries(known.filter(([, list]) => list!.length > 0))
}

const SENDER_FIELDS: ReadonlySet<string> = new Set(['sender', 'resent-from', 'resent-sender'])

/** Besides From: what leaves is the message as it came, and readers may show these. */
const sendersIn = (fields: readonly WrittenField[]): string[] =>
  fields.flatMap((field) => (SENDER_FIELDS.has(field.key) ? readAddresses(shownValue(field)) : []))

/** A client's own Message-ID is kept: it may want to find its mail by it. */
const messageIdOf = ({ messageId }: ParsedMail) =>
  messageId && /^<[!-;=?-~]{1,200}@[!-;=?-~]{1,200}>$/.test(messageId) ? messageId : null

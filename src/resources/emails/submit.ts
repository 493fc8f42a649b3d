import type { Context } from '../../http/endpoint.ts'
import { Problem } from '../../http/problem.ts'
import { validate } from '../../http/validate.ts'
import { refuseHeader } from '../../mail/custom-header.ts'
import { parseMail } from '../../mail/parse.ts'
import type { ParsedMail } from '../../mail/parsed.ts'
import { inTurns } from '../../platform/in-turns.ts'
import { readKey } from './idempotency.ts'
import { prepare } from './prepare.ts'
import { type EmailRequest, SendEmail } from './schema.ts'
import { sendOnce } from './send.ts'

const IDEMPOTENCY_HEADER = 'resend-idempotency-key'

/** Takes a message that came by SMTP as one that came by HTTP: the same rules, the same promise, the same errors. */
export async function submitMessage(
  context: Context,
  { raw, recipients }: { readonly raw: Buffer; readonly recipients: readonly string[] },
): Promise<{ id: string }> {
  const mail = await parseMail(raw, inTurns)
  if (mail.faults.length > 0) throw new Problem('validation_error', `The message cannot be read: ${mail.faults[0]}`)
  const request = validate(SendEmail, requestOf(mail), 'body') as EmailRequest
  const key = mail.headers.find(({ name }) => name === IDEMPOTENCY_HEADER)?.value
  const once = await readKey(context.team, 'SMTP', key, { ...request, recipients })
  return sendOnce(context, once, { takesTime: mail.attachments.length > 0 }, async () => {
    const email = await prepare(context, request, { envelope: recipients, messageId: messageIdOf(mail) })
    return { emails: [email], answer: { id: email.id } }
  })
}

function requestOf(mail: ParsedMail): EmailRequest {
  const { from, to, cc, replyTo, subject, html, text, attachments } = mail
  return {
    ...(from !== '' && { from }),
    ...(to.length > 0 && { to: [...to] }),
    ...(cc.length > 0 && { cc: [...cc] }),
    ...(replyTo.length > 0 && { reply_to: [...replyTo] }),
    subject: subject ?? '',
    ...(html !== null && { html }),
    // A message without any body is a message; the API would call it one with nothing to say.
    ...(text !== null ? { text } : html === null && { text: '' }),
    headers: headersOf(mail),
    ...(attachments.length > 0 && {
      attachments: attachments.map(({ filename, contentType, contentId, content }) => ({
        filename: filename ?? false,
        content_type: contentType,
        ...(contentId !== null && { content_id: contentId }),
        content: content.toString('base64'),
      })),
    }),
  }
}

/** Those of the message, without the ones that are ours to write and the traces of its way to us. */
function headersOf({ headers }: ParsedMail): Record<string, string> {
  const own = headers.filter(
    ({ name, value }) => !TRACES.test(name) && name !== IDEMPOTENCY_HEADER && !refuseHeader(name, value),
  )
  return Object.fromEntries(own.map(({ name, value }) => [name, value]))
}

const TRACES =
  /^(?:received|return-path|dkim-signature|authentication-results|arc-.*|x-received|delivered-to|from|to|cc|bcc|reply-to|sender|subject|date|message-id|mime-version|content-.*)$/

/** A client's own Message-ID is kept: it may want to find its mail by it. */
const messageIdOf = ({ messageId }: ParsedMail) =>
  messageId && /^<[!-;=?-~]{1,200}@[!-;=?-~]{1,200}>$/.test(messageId) ? messageId : null

import type { Message } from '../../../../mail/message.ts'
import type { LoadedEmail } from '../ledger/load.ts'
import { type Build, type BuildParts, buildParts } from '../message/build.ts'

/**
 * An email for one recipient as the body of `POST /emails`. The same email always gives the same body: the other side compares it when an
 * idempotency key comes a second time. To is this recipient alone, since the API writes to everybody it names.
 */
export async function buildResendBody(email: LoadedEmail, build: Build, parts: BuildParts): Promise<Buffer> {
  const message = await buildParts(email, build, parts)
  const headers = headersOf(message)
  return Buffer.from(
    JSON.stringify({
      from: email.from,
      to: [build.recipient],
      subject: email.subject,
      ...(message.html !== null && { html: message.html }),
      ...(message.text !== null && { text: message.text }),
      ...(email.replyTo?.length && { reply_to: email.replyTo }),
      ...(headers && { headers }),
      ...(email.tags?.length && { tags: email.tags }),
      ...(message.attachments.length > 0 && { attachments: message.attachments.map(attachmentOf) }),
    }),
  )
}

function headersOf({ headers }: Message): Record<string, string> | null {
  return headers.length > 0 ? Object.fromEntries(headers.map(({ name, value }) => [name, value])) : null
}

const attachmentOf = ({ filename, content, contentType, contentId }: Message['attachments'][number]) => ({
  ...(filename !== null && { filename }),
  content: content.toString('base64'),
  content_type: contentType,
  ...(contentId !== null && { content_id: contentId }),
})

/** A message that came by SMTP leaves as it came, and the API takes no such thing. */
export const objectionToSubmitted =
  (name: string) =>
  ({ sizes }: LoadedEmail): string | null =>
    sizes.submitted > 0 ? `${name} takes no messages that were submitted by SMTP` : null

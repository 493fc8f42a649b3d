import { replySubject } from '../../../../mail/answer.ts'
import type { Mailbox } from '../../../../mail/message.ts'
import { referencesOf } from '../../../../mail/message-ids.ts'
import { buildMime } from '../../../../mail/mime.ts'
import { domainOf } from './report-mail.ts'

/** What is answered. */
export interface AnsweredEmail {
  readonly messageId: string
  readonly subject: string
  readonly headers: readonly { readonly name: string; readonly value: string }[] | null
}

/** A mail of the recipient's own that answers an email, as mail programs write it: in its thread. */
export function replyMail(
  email: AnsweredEmail,
  { from, to, text, subject }: { from: string; to: readonly Mailbox[]; text: string; subject: string | undefined },
  { date, seed }: { date: Date; seed: string },
): Buffer {
  const valuesOf = (wanted: string) =>
    (email.headers ?? []).filter(({ name }) => name.toLowerCase() === wanted).map(({ value }) => value)
  const before = referencesOf(valuesOf('references'), valuesOf('in-reply-to'))
  const references = [...before.filter((id) => id !== email.messageId), email.messageId].join(' ')
  return buildMime(
    {
      from: { name: null, address: from },
      to,
      cc: [],
      replyTo: [],
      subject: subject ?? replySubject(email.subject),
      html: null,
      text,
      headers: [
        { name: 'In-Reply-To', value: email.messageId },
        { name: 'References', value: references },
      ],
      attachments: [],
    },
    { messageId: `<${seed}@${domainOf(from)}>`, date, seed },
  )
}

import type { Static } from 'typebox'
import type { InboxEmail } from '../../../../../src/resources/inboxes/threads/schema.ts'
import { type Content, NOTHING, type Origin } from './draft-content.ts'
import { isMailbox, mailboxKey, withoutRepeated } from './mailboxes.ts'

export type Email = Static<typeof InboxEmail>
export type ReplyKind = 'reply' | 'reply_all' | 'forward'

interface Own {
  readonly email_address: string
}

/** Whom an answer goes to: who wrote the email, or where they wish answers; of an own email whom it went to; all, if all are meant. */
export function recipientsOf(inbox: Own, email: Email, kind: ReplyKind): Pick<Content, 'to' | 'cc'> {
  if (kind === 'forward') return { to: [], cc: [] }
  const isOwn = (one: string) => mailboxKey(one).replace(/\+[^@]*@/, '@') === mailboxKey(inbox.email_address)
  const isOutbound = email.direction === 'outbound'
  const sender = email.reply_to.some(isMailbox) ? email.reply_to : [email.from]
  const first = isOutbound ? email.to : sender
  const all = kind === 'reply_all' && !isOutbound ? [...first, ...email.to] : first
  const others = all.filter((one) => isMailbox(one) && !isOwn(one))
  // Who writes to themselves wants that.
  const to = withoutRepeated(others.length > 0 ? others : first.filter(isMailbox))
  const cc = kind === 'reply_all' ? email.cc.filter((one) => isMailbox(one) && !isOwn(one)) : []
  return { to, cc: withoutRepeated(cc, to) }
}

const REPLY = /^\s*re(?:\[\d+\])?\s*[:\uff1a]/i
const FORWARD = /^\s*fwd?\s*[:\uff1a]/i

export function subjectOf(email: Email, kind: ReplyKind): string {
  const [prefix, already] = kind === 'forward' ? ['Fwd:', FORWARD] : ['Re:', REPLY]
  const subject = (email.subject ?? '').trim()
  return already.test(subject) ? subject : `${prefix} ${subject}`.trim()
}

/** What an answer begins with. What it quotes the service puts below it when it is sent. */
export function answerTo(
  inbox: Own,
  email: Email,
  kind: ReplyKind,
  threadId: string,
): { readonly origin: Origin; readonly content: Content } {
  const isForward = kind === 'forward'
  return {
    origin: isForward ? { forward_of_email_id: email.id } : { thread_id: threadId, reply_to_email_id: email.id },
    content: {
      ...NOTHING,
      ...recipientsOf(inbox, email, kind),
      subject: subjectOf(email, kind),
    },
  }
}

import type { Static } from 'typebox'
import type { InboxEmail } from '../../../../../src/features/inboxes/threads/schema.ts'
import { forwardSubject, type Recipients, repliesTo, replySubject } from '../../../../../src/mail/answer.ts'
import { type Content, NOTHING, type Origin } from './draft-content.ts'
import { isMailbox, mailboxKey } from './mailboxes.ts'

export type Email = Static<typeof InboxEmail>
export type ReplyKind = 'reply' | 'reply_all' | 'forward'

interface Own {
  readonly email_address: string
}

/** Whom an answer goes to. */
export function recipientsOf(inbox: Own, email: Email, kind: ReplyKind): Recipients {
  if (kind === 'forward') return { to: [], cc: [] }
  const keyOf = (one: string) => (isMailbox(one) ? mailboxKey(one) : null)
  return repliesTo([inbox.email_address], { ...email, replyTo: email.reply_to }, { toAll: kind === 'reply_all', keyOf })
}

export const subjectOf = (email: Email, kind: ReplyKind): string =>
  kind === 'forward' ? forwardSubject(email.subject) : replySubject(email.subject)

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

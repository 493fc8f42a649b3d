import { hash } from 'node:crypto'
import { comparableAddress, parseMailbox, withoutTag } from '../../../mail/address.ts'
import { isAnswer, threadSubject } from '../../../mail/thread-subject.ts'
import type { FiledMessage } from './message.ts'

/** What connects a message with others of its inbox. Names are digests: they are untrusted and may be long. */
export interface Connections {
  readonly id: string
  /** Message-IDs that it has or names, and the name of its conversation. */
  readonly names: readonly string[]
  /** Its subject together with each of its people. */
  readonly subjects: readonly string[]
  readonly kind: SubjectKind
  readonly sentAt: number
}

/** How far back a subject alone connects: `answer` has a mark like `Re:` and names what it answers, `bare` has the mark and names nothing. */
export type SubjectKind = 'plain' | 'answer' | 'bare'

/**
 * A message is connected by its subject with those before it for so long. Who begins anew with the same subject means something else, like
 * each day's or each week's “Report”, unless it follows within less than a day: people answer without any mark, too (of a list whose answers
 * have none, 20 hours find nine answers of ten, 12 hours eight). An answer that names what it answers is connected by that; where nobody
 * knows the name, as with relays that change it, it is taken for an answer to what came within less than a week.
 */
export const REACH_MS: Readonly<Record<SubjectKind, number>> = {
  plain: 20 * 3_600_000,
  answer: 6 * 86_400_000,
  bare: 30 * 86_400_000,
}
export const SUBJECT_KINDS = Object.keys(REACH_MS) as readonly SubjectKind[]

/** Under what a message of a kind is found: each kind by itself. */
export const subjectKey = (kind: SubjectKind, subject: string) =>
  kind === 'plain' ? subject : digest(`${kind} ${subject}`)

export type ConnectedMessage = Pick<
  FiledMessage,
  'id' | 'from' | 'to' | 'cc' | 'replyTo' | 'subject' | 'messageId' | 'references' | 'conversation' | 'sentAt'
>

/** `own` are the addresses of the inbox: everybody who writes there has these in common. */
export const connectionsOf = (message: ConnectedMessage, own: readonly string[]): Connections => ({
  id: message.id,
  names: [...new Set([message.messageId, ...message.references, message.conversation])]
    .filter((name) => name !== null)
    .map(digest),
  subjects: subjectsOf(message, own),
  kind: !isAnswer(message.subject ?? '') ? 'plain' : message.references.length > 0 ? 'answer' : 'bare',
  sentAt: message.sentAt.getTime(),
})

function subjectsOf(message: ConnectedMessage, own: readonly string[]): string[] {
  const subject = threadSubject(message.subject ?? '')
  return subject === '' ? [] : participantsOf(message, own).map((address) => digest(`${subject}\n${address}`))
}

/** Whoever writes to more is a list, and its own address is among the first. */
const MAX_PARTICIPANTS = 20
const MAX_READ_PER_FIELD = 100

/** Whom one answers, and who else it went to. A form on a website sends all its mails itself, and says in Reply-To who wrote them. */
function participantsOf({ from, replyTo, to, cc }: ConnectedMessage, own: readonly string[]): string[] {
  const authors = replyTo.length > 0 ? replyTo : [from]
  const mailboxes = [authors, to, cc].flatMap((list) => list.slice(0, MAX_READ_PER_FIELD))
  const addresses = mailboxes.flatMap((mailbox) => {
    const address = addressOf(mailbox)
    return address === null || own.includes(address) || own.includes(withoutTag(address)) ? [] : [address]
  })
  return [...new Set(addresses)].slice(0, MAX_PARTICIPANTS)
}

/** The address of a mailbox, as it is compared; null: there is none. */
export function addressOf(mailbox: string): string | null {
  const parsed = parseMailbox(mailbox)
  return parsed && comparableAddress(parsed.address)
}

/** 16 bytes, in hexadecimal digits. Nobody finds two texts with the same, and a million of them are 16 MB. */
const digest = (text: string) => hash('sha256', text, 'hex').slice(0, 32)

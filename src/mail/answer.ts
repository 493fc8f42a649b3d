import { MAX_SUBJECT_LENGTH } from './limits.ts'

// Whom answers go to and what they are called: for the service, and for the page that shows it before.

/** What is answered. */
export interface Answered {
  readonly direction: 'inbound' | 'outbound'
  readonly from: string
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly replyTo: readonly string[]
}

/** The same for all spellings of a mailbox; null: nobody can write there. */
export type MailboxKey = (mailbox: string) => string | null

export interface Recipients {
  readonly to: readonly string[]
  readonly cc: readonly string[]
}

/**
 * Who gets a reply: whoever wrote the email, or wants answers elsewhere; of an own email, whom it went to. To all: everybody else who
 * got it, too. The inbox does not write to itself, unless there is nobody else, and nobody gets two copies.
 */
export function repliesTo(
  ownAddresses: readonly string[],
  email: Answered,
  { toAll, keyOf }: { readonly toAll: boolean; readonly keyOf: MailboxKey },
): Recipients {
  const own = new Set(ownAddresses.map(keyOf))
  const isOwn = (text: string) => own.has(keyOf(text)) || own.has(keyOf(text)?.replace(TAG, '@') ?? null)
  const isWritable = (text: string) => keyOf(text) !== null
  const sender = email.replyTo.some(isWritable) ? email.replyTo : [email.from]
  const first = email.direction === 'outbound' ? email.to : sender
  const others = toAll && email.direction === 'inbound' ? email.to.filter((text) => !isOwn(text)) : []
  const all = [...first, ...others].filter(isWritable)
  const foreign = all.filter((text) => !isOwn(text))
  const to = eachOnce(foreign.length > 0 ? foreign : all, keyOf)
  const cc = toAll ? email.cc.filter((text) => isWritable(text) && !isOwn(text)) : []
  return { to, cc: eachOnce(cc, keyOf, to) }
}

/** `desk+orders@` comes to `desk@`. */
const TAG = /\+[^@]*@/

/** In their order, and none of those that are there already. */
export function eachOnce(mailboxes: readonly string[], keyOf: MailboxKey, present: readonly string[] = []): string[] {
  const seen = new Set(present.map(keyOf))
  return mailboxes.filter((text) => {
    const key = keyOf(text)
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

const REPLY = /^\s*re(?:\[\d+\])?\s*[:\uff1a]/i
const FORWARD = /^\s*fwd?\s*[:\uff1a]/i

export const replySubject = (subject: string | null) => prefixed('Re:', REPLY, subject)
export const forwardSubject = (subject: string | null) => prefixed('Fwd:', FORWARD, subject)

/** The prefix once, and in one line of a length that can be sent. */
function prefixed(prefix: string, already: RegExp, subject: string | null): string {
  const line = (subject ?? '').replace(/\p{Cc}+/gu, ' ').trim()
  const whole = already.test(line) ? line : `${prefix} ${line}`.trim()
  return whole.slice(0, MAX_SUBJECT_LENGTH).toWellFormed()
}

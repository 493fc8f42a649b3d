import { Problem } from '../../../http/problem.ts'
import { domainOf, parseMailbox, toAsciiDomain } from '../../../mail/address.ts'
import { LONGEST_SUBJECT } from '../../../mail/limits.ts'
import type { StoredInbox } from '../actions.ts'
import type { Original } from './original.ts'

type Own = Pick<StoredInbox, 'email_address' | 'receiving_address'>

export interface Recipients {
  readonly to: readonly string[]
  readonly cc: readonly string[]
}

/**
 * Who gets a reply: whoever wrote the email, or wishes answers elsewhere; of an own email, whom it went to. To all: everybody else who
 * got it, too. The inbox does not write to itself, unless there is nobody else, and nobody gets two copies.
 */
export function repliesTo(inbox: Own, original: Original, toAll: boolean): Recipients {
  const own = new Set([inbox.email_address, inbox.receiving_address ?? ''].map(spelledAlike))
  const isOwn = (text: string) => own.has(spelledAlike(text)) || own.has(spelledAlike(text).replace(TAG, '@'))
  const sender = original.replyTo.some(isWritable) ? original.replyTo : [original.from]
  const first = original.direction === 'outbound' ? original.to : sender
  const others = toAll && original.direction === 'inbound' ? original.to.filter((text) => !isOwn(text)) : []
  const seen = new Set<string>()
  const once = (addresses: readonly string[]) => addresses.filter((text) => isWritable(text) && isFirst(seen, text))
  const all = [...first, ...others]
  const to = once(all.some((text) => isWritable(text) && !isOwn(text)) ? all.filter((text) => !isOwn(text)) : all)
  return { to, cc: toAll ? once(original.cc.filter((text) => !isOwn(text))) : [] }
}

const isWritable = (text: string) => parseMailbox(text) !== null

function isFirst(seen: Set<string>, text: string): boolean {
  const name = spelledAlike(text)
  if (seen.has(name)) return false
  seen.add(name)
  return true
}

/** Spellings of one address are one: in lower case, with the domain in ASCII. */
function spelledAlike(text: string): string {
  const address = parseMailbox(text)?.address ?? text
  return `${address.slice(0, address.lastIndexOf('@')).toLowerCase()}@${toAsciiDomain(domainOf(address))}`
}

/** `desk+orders@` comes to `desk@`. */
const TAG = /\+[^@]*@/

/** Without those that are there already, and nobody twice. */
export function addedTo(recipients: readonly string[], more: readonly string[]): readonly string[] {
  const seen = new Set(recipients.map(spelledAlike))
  return [...recipients, ...more.filter((text) => isFirst(seen, text))]
}

const REPLY = /^\s*re(?:\[\d+\])?\s*[:\uff1a]/i
const FORWARD = /^\s*fwd?\s*[:\uff1a]/i

export const replySubject = (subject: string | null) => prefixed('Re:', REPLY, subject)
export const forwardSubject = (subject: string | null) => prefixed('Fwd:', FORWARD, subject)

/** The prefix once, and in one line of a length that can be sent. */
function prefixed(prefix: string, already: RegExp, subject: string | null): string {
  const line = (subject ?? '').replace(/\p{Cc}+/gu, ' ').trim()
  const whole = already.test(line) ? line : `${prefix} ${line}`.trim()
  return whole.slice(0, LONGEST_SUBJECT).toWellFormed()
}

/** What the draft of a reply begins with. */
export function repliedContent(inbox: Own, original: Original) {
  const { to } = repliesTo(inbox, original, false)
  return { to: to.length > 0 ? to : null, subject: replySubject(original.subject) }
}

export const forwardedContent = (original: Original) => ({ subject: forwardSubject(original.subject) })

export const nobodyToAnswer = () =>
  new Problem('validation_error', 'The email has no address that a reply could be sent to.')

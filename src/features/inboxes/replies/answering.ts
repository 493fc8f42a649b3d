import { Problem } from '../../../kernel/http/problem.ts'
import { domainOf, parseMailbox, toAsciiDomain } from '../../../mail/address.ts'
import {
  eachOnce,
  forwardSubject,
  type Recipients,
  repliesTo as repliesWith,
  replySubject,
} from '../../../mail/answer.ts'
import type { StoredInbox } from '../actions.ts'
import type { Original } from './original.ts'

type Own = Pick<StoredInbox, 'email_address' | 'receiving_address'>

export const repliesTo = (inbox: Own, original: Original, toAll: boolean): Recipients =>
  repliesWith([inbox.email_address, ...(inbox.receiving_address ? [inbox.receiving_address] : [])], original, {
    toAll,
    keyOf,
  })

/** Spellings of one address are one: in lower case, with the domain in ASCII. */
function keyOf(text: string): string | null {
  const address = parseMailbox(text)?.address
  if (address === undefined) return null
  return `${address.slice(0, address.lastIndexOf('@')).toLowerCase()}@${toAsciiDomain(domainOf(address))}`
}

/** Without those that are there already, and nobody twice. What is no address stays: whoever sends it says so. */
export const addedTo = (recipients: readonly string[], more: readonly string[]): readonly string[] => [
  ...recipients,
  ...eachOnce(more, (text) => keyOf(text) ?? text, recipients),
]

/** What the draft of a reply begins with. */
export function repliedContent(inbox: Own, original: Original) {
  const { to } = repliesTo(inbox, original, false)
  return { to: to.length > 0 ? to : null, subject: replySubject(original.subject) }
}

export const forwardedContent = (original: Original) => ({ subject: forwardSubject(original.subject) })

export const nobodyToAnswer = () =>
  new Problem('validation_error', 'The email has no address that a reply could be sent to.')

import { hash } from 'node:crypto'
import { domainOf } from '../../../../mail/address.ts'
import type { Log } from '../../../../platform/observability/log.ts'
import type { Attempt } from './observer.ts'

/** What a recipient is called in the log. */
export type NameRecipient = (address: string) => string

/** By address, as it is. */
export const byAddress: NameRecipient = (address) => address

/**
 * By 64 bits that are the same for the same address, whatever its case, wherever the key is the same. The key keeps whoever has the
 * log and a list of addresses from finding out which of them are in it. One hash and no HMAC (1.2 µs against 6.6): of a digest that
 * is cut nobody can go on to compute others.
 */
export function byHash(key: Buffer): NameRecipient {
  const secret = key.toString('hex')
  return (address) => hash('sha256', secret + address.toLowerCase()).slice(0, 16)
}

/** Of what a server said. */
const MAX_REPLY_LENGTH = 500
const ADDRESS = /[^\s<>"'(),;:@]{1,64}@[^\s<>"'(),;:@]{1,253}/g

/** In the server's own words. It may repeat addresses in them: these are called what they are called everywhere in the log. */
function namedIn(reply: string, recipient: string, name: NameRecipient): string {
  const shortened = reply.slice(0, MAX_REPLY_LENGTH)
  if (name === byAddress) return shortened
  const local = recipient.slice(0, recipient.lastIndexOf('@'))
  const named = shortened.replace(ADDRESS, (address) => name(address))
  // Most replies say nothing of it, and a pattern of each recipient's own takes longer than all else about the log line.
  if (!named.toUpperCase().includes(local.toUpperCase())) return named
  return named.replace(new RegExp(`(?<![\\w.+-])${escaped(local)}(?![\\w+-])`, 'gi'), '…')
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** What the other side said itself, and otherwise what we say about it. */
function replyIn(verdict: Attempt['verdict']): string | undefined {
  if (!('reply' in verdict)) return undefined
  return ('serverReply' in verdict && verdict.serverReply) || verdict.reply
}

/** One line for each attempt. Whoever was put off untried has not been attempted. */
export function logAttempt(log: Log, { row, verdict, durationMs }: Attempt, name: NameRecipient) {
  if (verdict.kind === 'postponed' || verdict.kind === 'parked' || !log.isLevelEnabled('info')) return
  if (verdict.kind === 'held' && !verdict.isTried) return
  const reply = replyIn(verdict)
  log.info(
    {
      team: row.team,
      email: row.emailId,
      recipient: name(row.recipient),
      domain: domainOf(row.recipient).toLowerCase(),
      outcome: verdict.kind === 'held' ? 'deferred' : verdict.kind,
      host: 'host' in verdict ? verdict.host : undefined,
      reply: reply === undefined ? undefined : namedIn(reply, row.recipient, name),
      attempt: row.attempts,
      ms: durationMs,
    },
    'delivery: attempt',
  )
}

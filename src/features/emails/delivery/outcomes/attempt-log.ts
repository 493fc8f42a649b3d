import { hash } from 'node:crypto'
import { domainOf } from '../../../../mail/address.ts'
import type { Log } from '../../../../platform/observability/log.ts'
import { type AttemptRecord, outcomeOf, replyIn } from './attempt-record.ts'
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

/** What a record is called that names people as the log does. */
export function recordNaming(record: AttemptRecord, name: NameRecipient): AttemptRecord {
  if (name === byAddress) return record
  const { recipient, reply } = record
  return { ...record, recipient: name(recipient), reply: reply === null ? null : namedIn(reply, recipient, name) }
}

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

/** What the log says of an attempt: some of its record, under the same names, without what is null. */
export type AttemptLine = {
  readonly [Name in LineField]?: NonNullable<AttemptRecord[Name]> | undefined
}
type LineField =
  | 'team'
  | 'email'
  | 'recipient'
  | 'domain'
  | 'outcome'
  | 'route'
  | 'host'
  | 'reply'
  | 'class'
  | 'rule'
  | 'attempt'
  | 'ms'

/**
 * One line for each attempt, when it has ended and before it is written down. Whoever was put off untried has not been attempted. Not made from
 * the whole record: nobody may want that, and every mail has a line.
 */
export function logAttempt(log: Log, { row, verdict, durationMs, route }: Attempt, name: NameRecipient) {
  if (!log.isLevelEnabled('info')) return
  const outcome = outcomeOf(verdict)
  if (outcome === null || outcome === 'postponed') return
  // The reason of a failure is that of the email, which the team sees; it can repeat what the team wrote.
  const reply = verdict.kind === 'failed' ? null : replyIn(verdict)
  const line: AttemptLine = {
    team: row.team,
    email: row.emailId,
    recipient: name(row.recipient),
    domain: domainOf(row.recipient).toLowerCase(),
    outcome,
    route,
    host: 'host' in verdict ? verdict.host : undefined,
    reply: reply === null ? undefined : namedIn(reply, row.recipient, name),
    class: 'class' in verdict ? verdict.class : undefined,
    rule: 'rule' in verdict ? verdict.rule : undefined,
    attempt: row.attempts,
    ms: durationMs,
  }
  log.info(line, 'delivery: attempt')
}

import { domainToUnicode } from 'node:url'
import { join, raw, type Sql, sql } from '../../../../kernel/db/sql.ts'
import { toAsciiDomain } from '../../../../mail/address.ts'
import { APPROVAL_HOLD, WAITS_FOR_APPROVAL } from '../ledger/approval-hold.ts'

/**
 * Where mail that waits stands, in the order in which operators are shown it. `due`: it can be claimed now. `active`: a process has claimed
 * it. `deferred`: it was tried, or could not be, and is due again later. `parked`: its destination has enough in flight. `scheduled`: nobody
 * has looked at it yet. `suspended`: set aside, since its team is suspended. `held`: set aside, since an operator holds it back. `approval`:
 * set aside until a person of its team has approved it.
 */
export const QUEUE_STATES = [
  'due',
  'active',
  'deferred',
  'parked',
  'scheduled',
  'suspended',
  'held',
  'approval',
] as const
export type QueueState = (typeof QUEUE_STATES)[number]

/** What can be tried earlier than it would be. What is scheduled is not among it: its sender has chosen the time. */
export const RETRIED_STATES: readonly QueueState[] = ['deferred', 'parked']

/** Which of the mail that waits. */
export interface QueueFilter {
  readonly states?: readonly QueueState[]
  readonly team?: string
  /** Of the recipient. */
  readonly domain?: string
  /** Of the sender. */
  readonly from?: string
  readonly email?: string
  /** A provider, or the names of a site's mail servers: where it went when it was tried last. */
  readonly destination?: string
  readonly tag?: { readonly name: string; readonly value?: string }
  readonly dueBefore?: Date
}

/** Where mail goes, of rows of `deliveries d`. Null: nobody has looked yet. */
export const DESTINATION = raw('coalesce(d.destination, d.parked_for)')

/** Rows of `deliveries d` in this state, as the partial indexes know them. */
export function isInState(state: QueueState, now: Date): Sql {
  if (state === 'active') return raw(`d.state = 'waiting' and d.holder is not null`)
  if (state === 'suspended') return raw(`d.state = 'waiting' and d.suspended_at is not null and d.hold_id is null`)
  if (state === 'approval') return WAITS_FOR_APPROVAL
  if (state === 'held')
    return sql`d.state = 'waiting' and d.suspended_at is not null and d.hold_id is not null and d.hold_id <> ${APPROVAL_HOLD}`
  const free = raw(`d.state = 'waiting' and d.holder is null and d.suspended_at is null`)
  switch (state) {
    case 'due':
      return sql`${free} and d.due_at <= ${now}::timestamptz`
    case 'parked':
      return sql`${free} and d.due_at > ${now}::timestamptz and d.parked_for is not null`
    case 'deferred':
      return sql`${free} and d.due_at > ${now}::timestamptz and d.parked_for is null and d.claims > 0`
    case 'scheduled':
      return sql`${free} and d.due_at > ${now}::timestamptz and d.parked_for is null and d.claims = 0`
  }
}

/** The same of several; all of them where none is named. */
export const isInStates = (states: readonly QueueState[] | undefined, now: Date): Sql =>
  states === undefined
    ? raw(`d.state = 'waiting'`)
    : sql`(${join(
        states.map((state) => sql`(${isInState(state, now)})`),
        ' or ',
      )})`

/** What else is asked for, of rows of `deliveries d`. Mail of sandboxes goes nowhere, and is of no interest to operators. */
export function isWanted({ team, domain, from, email, destination, tag, dueBefore }: QueueFilter): Sql {
  return sql`not is_sandbox(d.team_id)
    ${team === undefined ? sql`` : sql`and d.team_id = ${team}::uuid`}
    ${domain === undefined ? sql`` : sql`and split_part(lower(d.recipient), '@', -1) = any (${spellingsOf(domain)}::text[])`}
    ${from === undefined ? sql`` : sql`and ${isFrom(from)}`}
    ${email === undefined ? sql`` : sql`and d.email_id = ${email}::uuid`}
    ${destination === undefined ? sql`` : sql`and ${DESTINATION} = ${destination}::text`}
    ${tag === undefined ? sql`` : sql`and ${isTagged(tag)}`}
    ${dueBefore === undefined ? sql`` : sql`and d.due_at < ${dueBefore}::timestamptz`}`
}

/** Addresses are kept as they were given: an international domain in its letters, or in ASCII. */
const spellingsOf = (domain: string): string[] => [
  ...new Set([domain.toLowerCase(), toAsciiDomain(domain), domainToUnicode(domain).toLowerCase()]),
]

/** The sender is `ada@example.com` or `Ada <ada@example.com>`. */
const isFrom = (domain: string): Sql => sql`exists (
  select from emails e where e.team_id = d.team_id and e.id = d.email_id and ${SENDER_DOMAIN} = any (${spellingsOf(domain)}::text[]))`

/** Of an email `e`. */
export const SENDER_DOMAIN = raw(`lower(substring(e."from" from '@([^@<>[:space:]]+)>?[[:space:]]*$'))`)

const isTagged = (tag: NonNullable<QueueFilter['tag']>): Sql => sql`exists (
  select from emails e where e.team_id = d.team_id and e.id = d.email_id and e.tags @> ${JSON.stringify([tag])}::jsonb)`

/** `name`, or `name:value`. */
export function readTag(text: string): { name: string; value?: string } {
  const [name, value] = text.split(':', 2)
  return value === undefined ? { name: name! } : { name: name!, value }
}

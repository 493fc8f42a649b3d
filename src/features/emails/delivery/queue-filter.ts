import { raw, type Sql, sql } from '../../../kernel/db/sql.ts'

/**
 * Where mail that waits stands, in the order in which operators are shown it. `due`: it can be claimed now. `active`: a process has claimed
 * it. `deferred`: it was tried, or could not be, and is due again later. `parked`: its destination has enough in hand. `scheduled`: nobody
 * has looked at it yet. `suspended`: set aside, since its team is suspended.
 */
export const QUEUE_STATES = ['due', 'active', 'deferred', 'parked', 'scheduled', 'suspended'] as const
export type QueueState = (typeof QUEUE_STATES)[number]

/** Which of the mail that waits. */
export interface QueueFilter {
  readonly states?: readonly QueueState[]
  readonly team?: string
  /** Of the recipient, in lower case. */
  readonly domain?: string
  readonly dueBefore?: Date
}

/** Rows of `deliveries d` in this state, as the partial indexes know them. */
export function isInState(state: QueueState, now: Date): Sql {
  if (state === 'active') return raw(`d.state = 'waiting' and d.holder is not null`)
  if (state === 'suspended') return raw(`d.state = 'waiting' and d.suspended_at is not null`)
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

/** What else is asked for, of rows of `deliveries d`. Mail of sandboxes goes nowhere, and is of no interest to operators. */
export function isWanted({ team, domain, dueBefore }: QueueFilter): Sql {
  return sql`not is_sandbox(d.team_id)
    ${team === undefined ? sql`` : sql`and d.team_id = ${team}::uuid`}
    ${domain === undefined ? sql`` : sql`and split_part(lower(d.recipient), '@', -1) = ${domain}`}
    ${dueBefore === undefined ? sql`` : sql`and d.due_at < ${dueBefore}::timestamptz`}`
}

import { MAX_COUNTED, readBounded } from '../../../../kernel/db/bounded-read.ts'
import type { Database } from '../../../../kernel/db/database.ts'
import { raw, sql } from '../../../../kernel/db/sql.ts'
import { APPROVAL_HOLD, WAITS_FOR_APPROVAL } from '../ledger/approval-hold.ts'

/** How the ledger stands, by priority. Numbers are counted up to MAX_COUNTED. */
export interface DeliveryQueue {
  readonly kind: 'single' | 'broadcast'
  readonly due: number
  readonly later: number
  /** Of `later`: those for which their destination has no free slot. */
  readonly parked: number
  /** Of those of `later` that are due next: those that the other side has asked us to try again. */
  readonly deferred: number
  readonly held: number
  /** Set aside, since their team is suspended. */
  readonly suspended: number
  /** Set aside, since an operator holds them back. */
  readonly on_hold: number
  /** Set aside, until a person has approved them. */
  readonly approval: number
  /** 0 when nothing is due. */
  readonly oldestDueSeconds: number
}

const LIMIT = raw(String(MAX_COUNTED))

/** For the metrics: index probes, whose cost does not grow with the ledger. */
export function readDeliveryQueues(db: Database): Promise<DeliveryQueue[]> {
  const now = db.clock.now()
  const waiting = sql`d.state = 'waiting' and d.holder is null and d.suspended_at is null and d.priority = queue.priority`
  return readBounded<DeliveryQueue>(
    db,
    sql`
    select queue.kind,
      (select count(*) from (
        select from deliveries d where ${waiting} and d.due_at <= ${now} order by d.due_at limit ${LIMIT}) d)::int as due,
      (select count(*) from (
        select from deliveries d where ${waiting} and d.due_at > ${now} order by d.due_at limit ${LIMIT}) d)::int as later,
      (select count(*) from (
        select from deliveries d where ${waiting} and d.parked_for is not null limit ${LIMIT}) d)::int as parked,
      (select count(*) filter (where d.replies <> '[]') from (
        select d.replies from deliveries d where ${waiting} and d.due_at > ${now} order by d.due_at limit ${LIMIT}) d)::int as deferred,
      (select count(*) filter (where d.priority = queue.priority) from (
        select d.priority from deliveries d where d.state = 'waiting' and d.holder is not null limit ${LIMIT}) d)::int as held,
      (select count(*) filter (where d.priority = queue.priority) from (
        select d.priority from deliveries d where d.state = 'waiting' and d.suspended_at is not null and d.hold_id is null limit ${LIMIT}) d)::int as suspended,
      (select count(*) filter (where d.priority = queue.priority) from (
        select d.priority from deliveries d where d.state = 'waiting' and d.suspended_at is not null and d.hold_id is not null
          and d.hold_id <> ${APPROVAL_HOLD} limit ${LIMIT}) d)::int as on_hold,
      (select count(*) filter (where d.priority = queue.priority) from (
        select d.priority from deliveries d where ${WAITS_FOR_APPROVAL} limit ${LIMIT}) d)::int as approval,
      coalesce((
        select extract(epoch from ${now}::timestamptz - d.due_at) from deliveries d
        where ${waiting} and d.due_at <= ${now} order by d.due_at limit 1), 0)::float8 as "oldestDueSeconds"
    from (values (0::smallint, 'single'), (1::smallint, 'broadcast')) as queue (priority, kind)`,
  )
}

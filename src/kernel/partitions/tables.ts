import { hours } from '../jobs/job.ts'

// Which tables have partitions by time, and how they are cut. Ids are UUIDv7, so a range of time is a range of ids (`migrations/0100_partitions.sql`).

/** Tables of one kind go at the same ids: a row is never there without its parts. */
export type Cut = 'emails' | 'bodies' | 'received' | 'events' | 'logs'

export interface PartitionedTable {
  readonly name: string
  /** The id that says in which partition a row is. */
  readonly key: string
  readonly unit: 'day' | 'week'
  readonly cut: Cut
  /** Set: it is itself a partition of a part of this one, whose bounds are its own. Otherwise it has NAME_before and NAME_sandboxes. */
  readonly within?: string
  /** The column with the key of a blob. */
  readonly blob?: string
  /** Set: html and text may be packed in its column `content`. */
  readonly hasPackedBodies?: boolean
  /** Made from other rows, by which it could be made again: in no archive. */
  readonly isDerived?: boolean
}

/** Each after what it is a part of: the whole goes first, and what is left is found by nobody. */
export const PARTITIONED_TABLES: readonly PartitionedTable[] = [
  { name: 'emails', key: 'id', unit: 'week', cut: 'emails' },
  { name: 'emails_by_status', key: 'email_id', unit: 'week', cut: 'emails' },
  { name: 'settled_deliveries', key: 'email_id', unit: 'week', cut: 'emails', within: 'deliveries_now' },
  { name: 'relayed_message_ids', key: 'email_id', unit: 'week', cut: 'emails' },
  { name: 'metric_facts', key: 'email_id', unit: 'week', cut: 'emails' },
  { name: 'email_documents', key: 'id', unit: 'week', cut: 'emails', isDerived: true },
  { name: 'email_bodies', key: 'email_id', unit: 'week', cut: 'bodies', hasPackedBodies: true },
  { name: 'email_attachments', key: 'email_id', unit: 'week', cut: 'bodies', blob: 'blob' },
  { name: 'submitted_messages', key: 'email_id', unit: 'week', cut: 'bodies', blob: 'blob' },
  { name: 'received_emails', key: 'id', unit: 'week', cut: 'received', blob: 'raw_blob' },
  { name: 'received_attachments', key: 'received_id', unit: 'week', cut: 'received', blob: 'blob' },
  { name: 'received_bodies', key: 'received_id', unit: 'week', cut: 'received' },
  { name: 'received_raws', key: 'received_id', unit: 'week', cut: 'received' },
  { name: 'received_documents', key: 'id', unit: 'week', cut: 'received', isDerived: true },
  { name: 'outbox', key: 'id', unit: 'day', cut: 'events' },
  { name: 'webhook_deliveries', key: 'event_id', unit: 'day', cut: 'events' },
  { name: 'webhook_attempts', key: 'event_id', unit: 'day', cut: 'events' },
  { name: 'request_logs', key: 'id', unit: 'day', cut: 'logs' },
]

/** So many periods are there before their time comes. */
export const PERIODS_AHEAD = 7

const DAY_MS = hours(24) * 1_000
/** The first Monday of the epoch, 5 January 1970. */
const MONDAY_MS = 4 * DAY_MS

/** The start of the period that a moment is in, in UTC; weeks begin on Mondays. */
export function periodStart(unit: 'day' | 'week', moment: Date): Date {
  const time = moment.getTime()
  if (unit === 'day') return new Date(time - (time % DAY_MS))
  return new Date(time - ((time - MONDAY_MS) % (7 * DAY_MS)))
}

export const nextPeriod = (unit: 'day' | 'week', start: Date, count = 1): Date =>
  new Date(start.getTime() + count * (unit === 'day' ? 1 : 7) * DAY_MS)

/** The bound of the partitions of sandboxes. */
export const SANDBOXES_BOUND = '80000000-0000-0000-0000-000000000000'

/** The bound of a partition: no id of that moment is smaller. */
export function boundAt(moment: Date): string {
  const time = moment.getTime().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`
}

export const momentOfBound = (bound: string): Date =>
  new Date(Number.parseInt(bound.slice(0, 8) + bound.slice(9, 13), 16))

/** `emails_p20261116`: what begins on that day. */
export const partitionName = (table: string, start: Date): string =>
  `${table}_p${start.toISOString().slice(0, 10).replaceAll('-', '')}`

export const isPeriod = ({ name: table }: PartitionedTable, name: string): boolean => name.startsWith(`${table}_p`)

/** Ids that periods covered which are gone have a place in these: `emails_gone`, and for a gap between periods `emails_gone_20261116`. */
export const isGone = ({ name: table }: PartitionedTable, name: string): boolean =>
  name === `${table}_gone` || name.startsWith(`${table}_gone_`)

export const tablesOf = (cut: Cut): readonly PartitionedTable[] => PARTITIONED_TABLES.filter((one) => one.cut === cut)

export const isBefore = ({ name: table }: PartitionedTable, name: string): boolean => name === `${table}_before`

/** The ledger of mail from before the periods, in `deliveries_before`. What came later is in `settled_deliveries`. */
const DELIVERIES: PartitionedTable = { name: 'deliveries', key: 'email_id', unit: 'week', cut: 'emails' }

/** Those with rows from before there were periods. The first one comes last: while it has rows the others may have some. */
export const tablesBefore = (cut: Cut): readonly PartitionedTable[] => {
  const [first, ...others] = tablesOf(cut).filter(({ within }) => within === undefined)
  return [...(cut === 'emails' ? [DELIVERIES] : []), ...others, first!]
}

/** The table by which the periods of a cut are counted: it goes first. */
export const firstTable = (cut: Cut): PartitionedTable => tablesOf(cut)[0]!

/** Ids from one to before another. Null: without an end on that side. */
export interface Span {
  readonly from: string | null
  readonly to: string | null
}

export const overlap = (one: Span, other: Span): boolean =>
  (one.from === null || other.to === null || one.from < other.to) &&
  (other.from === null || one.to === null || other.from < one.to)

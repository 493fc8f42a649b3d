import { MAX_COUNTED, readBounded } from '../../../../kernel/db/bounded-read.ts'
import type { Database } from '../../../../kernel/db/database.ts'
import { raw, type Sql, sql } from '../../../../kernel/db/sql.ts'
import { PROVIDERS } from '../../../../mail/providers/providers.ts'
import { TEAM_NAMES } from '../../../teams/reads.ts'
import type { StoredClassification } from '../ledger/stored-classification.ts'
import { type DeliveryPause, findPauses } from '../pace/pause-store.ts'
import { findPaces, type KeptPace } from '../pace/store.ts'
import { type DestinationStop, findStops } from '../transport/stop-store.ts'
import { DESTINATION, isWanted, type QueueFilter, type QueueState, SENDER_DOMAIN } from './queue-filter.ts'
import { countedRows, READ_MS, statesOf, TEAM_NAME } from './queue-list.ts'

// For operators: how the queue stands, by where mail goes or where it comes from, with what was said there last, and what slows it down.

/** `identity` is the domain of the sender: what operators can tell apart of what others count mail by. */
export const SUMMARY_GROUPINGS = ['destination', 'provider', 'domain', 'team', 'identity', 'route'] as const
export type SummaryGrouping = (typeof SUMMARY_GROUPINGS)[number]

/** What was said, as the ledger keeps it. */
export interface LastReply extends Partial<StoredClassification> {
  readonly at: string
  readonly reply: string
}

interface Counts {
  /** Due now, or as soon as the destination has room. */
  readonly waiting: number
  readonly inFlight: number
  readonly deferred: number
  /** Its time has not come. */
  readonly scheduled: number
  /** Held by an operator, or of a suspended team. */
  readonly held: number
  /** A person of its team has to approve it. */
  readonly approval: number
}

export interface SummaryGroup extends Counts {
  /** Null: nobody has looked up yet where it goes; it goes to no known provider; the rules say by which route. */
  readonly name: string | null
  /** In words, where the name is an id. */
  readonly label: string | null
  /** Since when the oldest waits. Null: nothing does. */
  readonly oldestAt: Date | null
  readonly lastReply: LastReply | null
  /** Those that are about mail of this group and have not ended. */
  readonly pauses: readonly DeliveryPause[]
  /** How fast its mail goes, for each identity that somebody has asked for less of. */
  readonly paces: readonly KeptPace[]
  /** Of a destination that takes nothing: all its mail waits. */
  readonly stop: DestinationStop | null
}

export interface QueueSummary {
  readonly by: SummaryGrouping
  /** The longest queues first. */
  readonly groups: readonly SummaryGroup[]
  /** States of which only the first MAX_COUNTED recipients are counted. */
  readonly capped: readonly QueueState[]
}

const COUNTED_AS: Readonly<Record<QueueState, keyof Counts>> = {
  due: 'waiting',
  parked: 'waiting',
  active: 'inFlight',
  deferred: 'deferred',
  scheduled: 'scheduled',
  held: 'held',
  suspended: 'held',
  approval: 'approval',
}

const names = PROVIDERS.map(({ name }) => `'${name}'`).join(', ')

const NAMES: Readonly<Record<SummaryGrouping, Sql>> = {
  destination: DESTINATION,
  provider: sql`case when ${DESTINATION} in (${raw(names)}) then ${DESTINATION} end`,
  domain: raw(`split_part(lower(d.recipient), '@', -1)`),
  team: raw('d.team_id::text'),
  identity: SENDER_DOMAIN,
  route: raw('d.route'),
}

const NO_LABEL = { label: raw('null::text'), join: sql`` }
const OF_TEAM = { label: sql`min(${TEAM_NAME})`, join: sql`join ${TEAM_NAMES} t on t.id = d.team_id` }
const OF_EMAIL = { label: raw('null::text'), join: sql`join emails e on e.team_id = d.team_id and e.id = d.email_id` }

const describedBy = (by: SummaryGrouping) => (by === 'team' ? OF_TEAM : by === 'identity' ? OF_EMAIL : NO_LABEL)

/** When the first answer came, or it was due; of what was claimed and never answered when it was accepted, which its id says. */
const WAITS_SINCE = raw(`coalesce((d.replies -> 0 ->> 'at')::timestamptz, case when d.claims = 0 then d.due_at else
  to_timestamp(('x' || lpad(replace(left(d.email_id::text, 13), '-', ''), 16, '0'))::bit(64)::bigint / 1000.0) end)`)

interface Found {
  readonly name: string | null
  readonly label: string | null
  readonly recipients: number
  readonly oldestAt: Date | null
  readonly lastReply: LastReply | null
}

/** How the queue stands. Of each state the first MAX_COUNTED rows are counted, of what is parked so many for each destination. */
export async function summarizeQueue(
  db: Database,
  { by, filter = {} }: { readonly by: SummaryGrouping; readonly filter?: QueueFilter },
): Promise<QueueSummary> {
  const now = db.clock.now()
  const groups = new Map<string | null, SummaryGroup>()
  const capped: QueueState[] = []
  for (const state of statesOf(filter)) {
    const isByDestination = by === 'destination' || by === 'provider'
    const rows = state === 'parked' && isByDestination ? parkedRows(filter, now) : countedRows(state, filter, now)
    const found = await readBounded<Found>(db, statementOf(state, by, rows), READ_MS)
    const count = found.reduce((sum, { recipients }) => sum + recipients, 0)
    const isCapped = isByDestination && state === 'parked' ? found.some(isFull) : count > MAX_COUNTED
    if (isCapped) capped.push(state)
    for (const one of found)
      groups.set(one.name, added(groups.get(one.name) ?? emptyGroup(one.name, one.label), COUNTED_AS[state], one))
  }
  const [pauses, paces, stops] = [await findPauses(db, now), await findPaces(db), await findStops(db)]
  const active = pauses.filter(({ pausedUntil }) => pausedUntil > now)
  if (by === 'destination' && Object.keys(filter).length === 0)
    for (const { destination } of [...active, ...stops])
      if (!destination.startsWith('@') && !groups.has(destination))
        groups.set(destination, emptyGroup(destination, null))
  const [pausesOf, pacesOf, stopsOf] = [byGroup(active, by), byGroup(paces, by), stopsByGroup(stops, by)]
  const complete = [...groups.values()].map((group) => ({
    ...group,
    pauses: pausesOf.get(group.name) ?? [],
    paces: pacesOf.get(group.name) ?? [],
    stop: (group.name !== null && stopsOf.get(group.name)) || null,
  }))
  return { by, groups: complete.sort((a, b) => lengthOf(b) - lengthOf(a)), capped }
}

const isFull = ({ recipients }: Found) => recipients >= MAX_COUNTED

const statementOf = (state: QueueState, by: SummaryGrouping, rows: Sql): Sql => {
  const { label, join } = describedBy(by)
  return sql`
    select ${NAMES[by]} as name, ${label} as label, count(*)::int as recipients,
      ${state === 'scheduled' ? sql`null` : sql`min(${WAITS_SINCE})`} as "oldestAt",
      (array_agg(d.replies -> -1 order by d.replies -> -1 ->> 'at' desc) filter (where d.replies <> '[]'))[1] as "lastReply"
    from (${rows}) d ${join} group by 1`
}

const MAX_DESTINATIONS = 500

/**
 * A million rows may be parked for one destination: each is counted by itself. Walks from one destination to the next, an index probe each.
 */
const parkedRows = (filter: QueueFilter, now: Date): Sql => sql`
  select d.* from (
    with recursive parked (name, number) as (
      (select d.parked_for, 1 from deliveries d where ${IS_PARKED} order by d.parked_for limit 1)
      union all
      select (select d.parked_for from deliveries d where ${IS_PARKED} and d.parked_for > parked.name order by d.parked_for limit 1), number + 1
      from parked where parked.name is not null and number < ${MAX_DESTINATIONS})
    select name from parked where name is not null) parked
  cross join lateral (
    select * from deliveries d where ${IS_PARKED} and d.parked_for = parked.name and d.suspended_at is null and d.due_at > ${now}::timestamptz
      and ${isWanted(filter)} limit ${MAX_COUNTED}) d`

const IS_PARKED = raw(`d.state = 'waiting' and d.holder is null and d.parked_for is not null`)

const emptyGroup = (name: string | null, label: string | null): SummaryGroup => ({
  ...{ name, label, oldestAt: null, lastReply: null, pauses: [], paces: [], stop: null },
  ...{ waiting: 0, inFlight: 0, deferred: 0, scheduled: 0, held: 0, approval: 0 },
})

const added = (group: SummaryGroup, count: keyof Counts, { recipients, oldestAt, lastReply }: Found): SummaryGroup => ({
  ...group,
  [count]: group[count] + recipients,
  oldestAt: oldestAt && group.oldestAt && group.oldestAt < oldestAt ? group.oldestAt : (oldestAt ?? group.oldestAt),
  lastReply: laterOf(group.lastReply, lastReply),
})

const laterOf = (one: LastReply | null, other: LastReply | null) =>
  one && other ? (one.at >= other.at ? one : other) : (one ?? other)

const lengthOf = ({ waiting, inFlight, deferred, held, scheduled, approval, pauses, stop }: SummaryGroup) =>
  waiting + inFlight + deferred + held + (scheduled + approval) / MAX_COUNTED + (pauses.length > 0 || stop ? 0.5 : 0)

type Slowed = Pick<DeliveryPause, 'destination' | 'kind' | 'identity'>

/** The names of the groups that a pause, or a controller, is about. */
function groupsOf({ destination, kind, identity }: Slowed, by: SummaryGrouping): readonly string[] {
  switch (by) {
    case 'destination':
    case 'provider':
      return [destination]
    case 'domain':
      return domainIn(destination)
    case 'team':
      return kind === 'tenant' ? [identity] : []
    case 'identity':
      return kind.endsWith('_domain') ? domainsAbove(identity) : []
    case 'route':
      return []
    default:
      return by satisfies never
  }
}

/** Of a destination that is one domain alone. */
const domainIn = (destination: string) => (destination.startsWith('@') ? [destination.slice(1)] : [])

/** The domain, and those that it is below: a return path is. */
const domainsAbove = (domain: string) => domain.split('.').map((_label, index, labels) => labels.slice(index).join('.'))

function byGroup<Item extends Slowed>(items: readonly Item[], by: SummaryGrouping): ReadonlyMap<string | null, Item[]> {
  const groups = new Map<string | null, Item[]>()
  for (const item of items) for (const name of groupsOf(item, by)) groups.set(name, [...(groups.get(name) ?? []), item])
  return groups
}

/** By the name of the destination, or by the domains that are known to have their mail there. */
function stopsByGroup(stops: readonly DestinationStop[], by: SummaryGrouping): ReadonlyMap<string, DestinationStop> {
  const namesOf = ({ destination, domain }: DestinationStop) =>
    by === 'destination' || by === 'provider'
      ? [destination]
      : by === 'domain'
        ? [...domainIn(destination), ...(domain === null ? [] : [domain])]
        : []
  return new Map(stops.flatMap((stop) => namesOf(stop).map((name) => [name, stop] as const)))
}

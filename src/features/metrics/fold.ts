import type { Database, Transaction } from '../../kernel/db/database.ts'
import { anyTeam, join, raw, type Sql, sql } from '../../kernel/db/sql.ts'
import { BatchSubscription } from '../../kernel/outbox/batch-subscription.ts'
import { eventsOf } from '../../kernel/outbox/events.ts'
import { DOMAIN_NAMES } from '../domains/reads.ts'
import { emailsOf } from '../emails/reads.ts'
import { COUNTS, type Count } from './names.ts'

/** Events that no counter knows of yet. */
export const uncountedEvents = new BatchSubscription('uncounted_batches')

/** Events of one transaction, or a few more: a tenth of a second or so. */
const BATCH = 5_000

/** The first key of the lock on a team's counters; the second is the team. */
const FOLD_LOCK = 0x6d657472

/** In a key, which cannot be null: no domain, no broadcast, no event of its own. */
export const NONE = sql`'00000000-0000-0000-0000-000000000000'::uuid`

/** What counts each time. Everything else counts once for an email, when it happened first. */
const REPEATED: readonly Count[] = ['opened', 'clicked']

const bounceIs = (type: string) => sql`data #>> '{bounce,type}' = ${raw(`'${type}'`)}`
/** What a machine did has its event, and is not counted. */
const IS_BY_PERSON = sql`data #>> '{verdict,is_counted}' = 'true'`

/** Most events have none, and to look for the name in the text takes a third of the time that it takes to read the JSON. */
const BROADCAST_ID = sql`case when position('"broadcast_id"' in data::text) > 0 then (data ->> 'broadcast_id')::uuid end`

/** Of which event a metric is, and which of those count. */
const COUNTED: Readonly<Record<Count, { readonly event: `email.${string}`; readonly when?: Sql }>> = {
  received: { event: 'email.received' },
  sent: { event: 'email.sent' },
  delivered: { event: 'email.delivered' },
  delivery_delayed: { event: 'email.delivery_delayed' },
  bounced: { event: 'email.bounced' },
  bounced_permanent: { event: 'email.bounced', when: bounceIs('Permanent') },
  bounced_transient: { event: 'email.bounced', when: bounceIs('Transient') },
  bounced_undetermined: { event: 'email.bounced', when: bounceIs('Undetermined') },
  complained: { event: 'email.complained' },
  failed: { event: 'email.failed' },
  suppressed: { event: 'email.suppressed' },
  unsubscribed: { event: 'email.unsubscribed' },
  opened: { event: 'email.opened', when: IS_BY_PERSON },
  unique_opened: { event: 'email.opened', when: IS_BY_PERSON },
  clicked: { event: 'email.clicked', when: IS_BY_PERSON },
  unique_clicked: { event: 'email.clicked', when: IS_BY_PERSON },
}

/**
 * Adds events of a team to its counters, at most so many, and tells whether none is left. Each is counted exactly once: it leaves the
 * list of the uncounted in the transaction that counts it, and only one of these runs for a team at a time.
 */
export async function foldEvents(db: Database, team: string, most: number): Promise<boolean> {
  for (let folded = 0; folded < most; ) {
    const { events, hasMore } = await foldBatch(db, team)
    if (!hasMore) return true
    folded += events
  }
  return false
}

const foldBatch = (db: Database, team: string) =>
  db.transaction(async (trx) => {
    await lockCounters(trx, team)
    const { batches, events, hasMore } = await uncountedEvents.oldest(trx, team, BATCH)
    if (batches.length > 0) await trx.query(foldStatement(team, batches))
    return { events, hasMore }
  })

/** Until the transaction ends. The next statements begin behind the lock, so they see what its last holder has written. */
export const lockCounters = (trx: Transaction, team: string) =>
  trx.query(sql`select pg_advisory_xact_lock(${FOLD_LOCK}::int, hashtext(${team}))`)

/**
 * What happened first is what has the smallest time, in whatever order events come in: an earlier one that comes later takes the
 * place of the other, in the facts and in the counters. So the result does not depend on how events were gathered.
 * Rows are looked up one by one, whatever the statistics say: `offset 0` keeps PostgreSQL from reading all emails and all facts for
 * each batch, which it likes to do, and from worse while tables are new.
 */
export function foldStatement(team: string, batches: readonly string[]): Sql {
  const metrics = COUNTS.map((name) => raw(`('${COUNTED[name].event}', '${name}'::metric)`))
  const conditions = COUNTS.flatMap((name) => {
    const { when } = COUNTED[name]
    return when ? [sql`when ${raw(`'${name}'`)} then ${when}`] : []
  })
  const isRepeated = sql`metric in (${join(
    REPEATED.map((name) => raw(`'${name}'`)),
    ', ',
  )})`
  return sql.write`
    with taken as (${uncountedEvents.take(team, batches)}),
    events as materialized (
      select o.id, o.created_at as at, o.type, o.data, coalesce(o.about, (o.data ->> 'email_id')::uuid) as email_id
      from (select unnest(ids) as id from taken) wanted,
        lateral (select * from ${eventsOf(anyTeam(team))} and o.id = wanted.id offset 0) o),
    happened as materialized (
      select metric, email_id, events.id as event_id, at,
        ${BROADCAST_ID} as broadcast_id, coalesce(e.domain_id, d.id) as domain_id
      from events
      join (values ${join(metrics, ', ')}) as counted (type, metric) using (type)
      left join lateral (select e.domain_id from ${emailsOf(anyTeam(team))} and e.id = email_id offset 0) e on true
      left join lateral (
        select named.id from ${DOMAIN_NAMES} named where type = 'email.received' and team_id = ${team}
          and name = lower(split_part(data #>> '{received_for,0}', '@', 2)) offset 0) d on true
      where email_id is not null and case metric ${join(conditions, ' ')} else true end),
    firsts as (
      select distinct on (email_id, metric) * from happened where not ${isRepeated} order by email_id, metric, at),
    compared as materialized (
      select new.*, known.at as known_at, known.domain_id as known_domain_id, known.broadcast_id as known_broadcast_id
      from firsts new
      left join lateral (
        select at, domain_id, broadcast_id from metric_facts
        where team_id = ${anyTeam(team)} and email_id = new.email_id and metric = new.metric and event_id = ${NONE} offset 0) known on true),
    new_facts as materialized (
      select metric, email_id, event_id, at, domain_id, broadcast_id from happened where ${isRepeated}
      union all
      select metric, email_id, ${NONE}, at, domain_id, broadcast_id from compared where known_at is null),
    written as (
      insert into metric_facts (team_id, email_id, metric, event_id, at, domain_id, broadcast_id)
      select ${team}, email_id, metric, event_id, at, domain_id, broadcast_id from new_facts),
    moved as (
      insert into metric_facts (team_id, email_id, metric, event_id, at)
      select ${team}, email_id, metric, ${NONE}, at from compared where at < known_at
      on conflict (team_id, email_id, metric, event_id) do update set at = excluded.at),
    changes as (
      select metric, at, domain_id, broadcast_id, 1 as change from new_facts
      union all
      select metric, moment, known_domain_id, known_broadcast_id, change
      from compared, lateral (values (at, 1), (known_at, -1)) as move (moment, change) where at < known_at)
    insert into metric_counts (team_id, quarter, domain_id, broadcast_id, ${columns((name) => name)})
    select ${team}, date_bin('15 minutes', at, 'epoch'), coalesce(domain_id, ${NONE}), coalesce(broadcast_id, ${NONE}),
      ${columns((name) => `coalesce(sum(change) filter (where metric = '${name}'), 0)`)}
    from changes group by 2, 3, 4
    on conflict (team_id, quarter, domain_id, broadcast_id) do update set
      ${columns((name) => `${name} = metric_counts.${name} + excluded.${name}`)}`
}

const columns = (of: (name: Count) => string) =>
  join(
    COUNTS.map((name) => raw(of(name))),
    ', ',
  )

import type { Database } from '../../../platform/db/database.ts'
import { join, raw, type Sql, sql } from '../../../platform/db/sql.ts'
import { COUNTS, type Count } from './names.ts'

/** Events of one transaction: a tenth of a second or so. */
const BATCH = 5_000

/** The first key of the lock on a team's counters; the second is the team. */
const FOLD_LOCK = 0x6d657472

/** In a key, which cannot be null: no domain, no broadcast, no event of its own. */
export const NONE = sql`'00000000-0000-0000-0000-000000000000'::uuid`

/** What counts each time. Everything else counts once for an email, when it happened first. */
const REPEATED: readonly Count[] = ['opened', 'clicked']

/** What an event is counted as. */
const COUNTED_AS: Readonly<Record<`email.${string}`, Sql>> = {
  'email.received': sql`array['received']`,
  'email.sent': sql`array['sent']`,
  'email.delivered': sql`array['delivered']`,
  'email.delivery_delayed': sql`array['delivery_delayed']`,
  'email.bounced': sql`case data #>> '{bounce,type}'
    when 'Permanent' then array['bounced', 'bounced_permanent']
    when 'Transient' then array['bounced', 'bounced_transient']
    when 'Undetermined' then array['bounced', 'bounced_undetermined']
    else array['bounced'] end`,
  'email.complained': sql`array['complained']`,
  'email.failed': sql`array['failed']`,
  'email.suppressed': sql`array['suppressed']`,
  'email.unsubscribed': sql`array['unsubscribed']`,
  // What a machine did is told, and counts for nobody.
  'email.opened': sql`case when data #>> '{verdict,is_counted}' = 'true' then array['opened', 'unique_opened'] end`,
  'email.clicked': sql`case when data #>> '{verdict,is_counted}' = 'true' then array['clicked', 'unique_clicked'] end`,
}

/**
 * Adds events of a team to its counters, at most so many, and tells whether none is left. Each is counted exactly once: it leaves the
 * list of the uncounted in the transaction that counts it, and only one of these runs for a team at a time.
 */
export async function foldEvents(db: Database, team: string, most: number): Promise<boolean> {
  for (let folded = 0; folded < most; folded += BATCH) {
    const taken = await foldBatch(db, team)
    if (taken < BATCH) return true
  }
  return false
}

const foldBatch = (db: Database, team: string): Promise<number> =>
  db.transaction(async (trx) => {
    // The next statements begin behind the lock, so they see what its last holder has written.
    await trx.query(sql`select pg_advisory_xact_lock(${FOLD_LOCK}::int, hashtext(${team}))`)
    const events = await trx.query<{ id: string }>(sql`
      select event_id as id from uncounted_events where team_id = ${team} order by event_id limit ${BATCH}`)
    const ids = events.map(({ id }) => id)
    if (ids.length > 0) await trx.query(foldStatement(team, ids))
    return ids.length
  })

/**
 * What happened first is what has the smallest time, in whatever order events come in: an earlier one that comes later takes the
 * place of the other, in the facts and in the counters. So the result does not depend on how events were gathered.
 */
function foldStatement(team: string, ids: readonly string[]): Sql {
  const cases = Object.entries(COUNTED_AS).map(([type, metrics]) => sql`when ${raw(`'${type}'`)} then ${metrics}`)
  const isRepeated = sql`metric in (${join(
    REPEATED.map((name) => raw(`'${name}'`)),
    ', ',
  )})`
  return sql`
    with taken as (
      delete from uncounted_events where team_id = ${team} and event_id = any (${ids}::uuid[])),
    events as materialized (
      select o.id, o.created_at as at, o.type, o.data, coalesce(o.about, (o.data ->> 'email_id')::uuid) as email_id
      from unnest(${ids}::uuid[]) as wanted (id) join outbox o on o.team_id = ${team} and o.id = wanted.id),
    happened as materialized (
      select one.metric::metric as metric, email_id, events.id as event_id, at,
        (data ->> 'broadcast_id')::uuid as broadcast_id, coalesce(e.domain_id, d.id) as domain_id
      from events
      left join emails e on e.team_id = ${team} and e.id = email_id
      left join domains d on d.team_id = ${team} and type = 'email.received'
        and d.name = lower(split_part(data #>> '{received_for,0}', '@', 2))
      cross join unnest(case type ${join(cases, ' ')} end) as one (metric)
      where email_id is not null),
    firsts as (
      select distinct on (email_id, metric) * from happened where not ${isRepeated} order by email_id, metric, at),
    compared as materialized (
      select new.*, known.at as known_at, known.domain_id as known_domain_id, known.broadcast_id as known_broadcast_id
      from firsts new
      left join metric_facts known on known.team_id = ${team} and known.email_id = new.email_id and known.metric = new.metric
        and known.event_id = ${NONE}),
    facts as materialized (
      select metric, email_id, event_id, at, domain_id, broadcast_id from happened where ${isRepeated}
      union all
      select metric, email_id, ${NONE}, at, domain_id, broadcast_id from compared where known_at is null or at < known_at),
    written as (
      insert into metric_facts (team_id, email_id, metric, event_id, at, domain_id, broadcast_id)
      select ${team}, email_id, metric, event_id, at, domain_id, broadcast_id from facts
      on conflict (team_id, email_id, metric, event_id) do update
        set at = excluded.at, domain_id = excluded.domain_id, broadcast_id = excluded.broadcast_id),
    changes as (
      select metric, at, domain_id, broadcast_id, 1 as change from facts
      union all
      select metric, known_at, known_domain_id, known_broadcast_id, -1 from compared where at < known_at)
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

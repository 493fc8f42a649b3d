import type { Queryable, Transaction } from '../../../kernel/db/database.ts'
import { rowsOf } from '../../../kernel/db/rows.ts'
import { anyTeam, type Sql, sql } from '../../../kernel/db/sql.ts'
import { type Expired, ofTeam } from '../../../kernel/jobs/retention.ts'
import { hasNoOwnPeriod } from '../../../kernel/retention/team-periods.ts'
import { lockInboxes } from './lock.ts'
import type { InboxRef } from './store.ts'

// Threads and inboxes go at once, and what was in them in slices: nobody sees it any more, and nobody waits for it.

/** A thread that is in the trash since before a moment. */
type Trashed = InboxRef & { readonly thread: string; readonly before: Date }

/** Of all teams that have no period of their own, of those that have, each before its moment, or of one. */
export const findTrashed = (db: Queryable, { moment, limit, team, kind, own }: Expired) =>
  own
    ? db.query<Trashed>(sql`
        select t.team_id as team, t.inbox_id as inbox, t.id as thread, given.moment as before
        from ${rowsOf(own, { team: 'uuid', moment: 'timestamptz' })}
        join inbox_threads t on t.team_id = given.team and t.trashed_at < given.moment
        order by t.trashed_at limit ${limit}`)
    : db.query<Trashed>(sql`
        select team_id as team, inbox_id as inbox, id as thread, ${moment}::timestamptz as before from inbox_threads t
        where trashed_at < ${moment} ${ofTeam(team)} ${kind ? sql`and ${hasNoOwnPeriod(kind, sql`t.team_id`)}` : sql``}
        order by trashed_at limit ${limit}`)

/** Takes threads away that are still in the trash since then, with the ids that led there, and gives theirs. Their inbox is locked. */
export async function dropTrashed(
  trx: Transaction,
  { team, inbox }: InboxRef,
  threads: readonly string[],
  before: Date,
): Promise<string[]> {
  const rows = await trx.query<{ id: string }>(sql.write`
    with gone as (
      delete from inbox_threads where team_id = ${anyTeam(team)} and inbox_id = ${inbox} and id = any (${threads}::uuid[])
        and trashed_at < ${before} returning team_id, id),
    forgotten as (
      delete from merged_inbox_threads m using gone where m.team_id = gone.team_id and m.into_id = gone.id)
    select id from gone`)
  return rows.map(({ id }) => id)
}

/** Deletes some messages of threads that are gone. False: none is left. */
export const deleteMessagesOf = (trx: Transaction, { team }: InboxRef, threads: readonly string[], limit: number) =>
  deleteMessages(trx, sql`m.team_id = ${anyTeam(team)} and m.thread_id = any (${threads}::uuid[])`, limit)

async function deleteMessages(trx: Transaction, which: Sql, limit: number): Promise<boolean> {
  const rows = await trx.query(sql.write`
    with gone as (
      delete from inbox_messages where (team_id, inbox_id, id) in (
        select m.team_id, m.inbox_id, m.id from inbox_messages m where ${which} limit ${limit})
      returning team_id, inbox_id, id),
    names as (
      delete from inbox_references r using gone g where r.team_id = g.team_id and r.inbox_id = g.inbox_id and r.email_id = g.id),
    subjects as (
      delete from inbox_subjects s using gone g where s.team_id = g.team_id and s.inbox_id = g.inbox_id and s.email_id = g.id)
    select id from gone`)
  return rows.length > 0
}

/**
 * Takes messages out of all inboxes of a team, because their emails are gone. A thread that has none left goes, too; of the others what
 * they say about their messages is found out anew. Whoever calls has `lockFiling`.
 */
export async function removeMessages(trx: Transaction, team: string, ids: readonly string[]) {
  const which = sql`team_id = ${anyTeam(team)} and id = any (${ids}::uuid[])`
  const filed = await trx.query<{ inbox: string; thread: string }>(sql`
    select distinct inbox_id as inbox, thread_id as thread from inbox_messages where ${which}`)
  if (filed.length === 0) return
  await lockInboxes(trx, team, [...new Set(filed.map(({ inbox }) => inbox))])
  await deleteMessages(trx, sql`m.${which}`, ids.length * filed.length)
  const threads = sql`t.team_id = ${anyTeam(team)} and t.id = any (${filed.map(({ thread }) => thread)}::uuid[])`
  await trx.query(sql.write`
    with gone as (
      delete from inbox_threads t where ${threads} and not exists (
        select from inbox_messages m where m.team_id = t.team_id and m.thread_id = t.id)
      returning team_id, id)
    delete from merged_inbox_threads m using gone where m.team_id = gone.team_id and m.into_id = gone.id`)
  await trx.query(sql.write`
    update inbox_threads t set emails = all_of.emails, unread = all_of.unread, with_attachment = all_of.with_attachment,
      traffic = case when all_of.received = 0 then 'outbound' when all_of.received = all_of.emails then 'inbound' else 'both' end,
      newest_id = all_of.newest, shown_id = coalesce(all_of.newest_received, all_of.newest), subject = earliest.subject,
      created_at = earliest.sent_at
    from inbox_threads known cross join lateral (
      select count(*)::int as emails, (count(*) filter (where not m.is_read))::int as unread,
        (count(*) filter (where m.attachments <> '[]'))::int as with_attachment,
        (count(*) filter (where m.direction = 'inbound'))::int as received, (array_agg(m.id order by m.id desc))[1] as newest,
        (array_agg(m.id order by m.id desc) filter (where m.direction = 'inbound'))[1] as newest_received
      from inbox_messages m where m.team_id = known.team_id and m.thread_id = known.id) all_of
    cross join lateral (
      select m.subject, m.sent_at from inbox_messages m where m.team_id = known.team_id and m.thread_id = known.id
      order by m.sent_at, m.id limit 1) earliest
    where ${threads} and known.team_id = t.team_id and known.id = t.id`)
}

/** Messages of a team with ids of a range that went one way, so many at most. */
export async function findFiled(
  db: Queryable,
  team: string,
  { from, to, direction, limit }: { from: string; to: string; direction: 'inbound' | 'outbound'; limit: number },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select distinct id from (
      select id from inbox_messages
      where team_id = ${team} and id >= ${from}::uuid and id < ${to}::uuid and direction = ${direction} order by id limit ${limit}) filed`)
  return rows.map(({ id }) => id)
}

/** Deletes some of what an inbox had that is gone. False: nothing is left. */
export async function deleteRemains(trx: Transaction, { team, inbox }: InboxRef, limit: number): Promise<boolean> {
  const of = sql`team_id = ${team} and inbox_id = ${inbox}`
  if (await deleteMessages(trx, sql`m.team_id = ${team} and m.inbox_id = ${inbox}`, limit)) return true
  const others = [
    sql.write`delete from inbox_threads where ${of} and id in (select id from inbox_threads where ${of} limit ${limit})`,
    sql.write`delete from inbox_people where ${of} and address in (select address from inbox_people where ${of} limit ${limit})`,
    sql.write`delete from merged_inbox_threads where ${of} and id in (select id from merged_inbox_threads where ${of} limit ${limit})`,
    sql.write`delete from inbox_sendings where ${of}`,
  ]
  for (const statement of others) {
    const rows = await trx.query(sql`${statement} returning team_id`)
    if (rows.length > 0) return true
  }
  return false
}

import type { Transaction } from '../../../kernel/db/database.ts'
import { anyTeam, sql } from '../../../kernel/db/sql.ts'
import { eventsOf, joinEvent } from '../../../kernel/outbox/events.ts'
import { Subscription } from '../../../kernel/outbox/subscription.ts'
import { eventData } from '../../emails/reads.ts'

/** Mail that came or was sent, and is not filed yet. */
export const unfiledMail = new Subscription('unfiled_mail')

export interface PendingMail {
  readonly event: string
  readonly email: string
  readonly direction: 'inbound' | 'outbound'
  /** What it was received for, or whom it is from: by these its inboxes are found. */
  readonly addresses: readonly string[]
  /** Set: it was sent from within an inbox. */
  readonly sending: Sending | null
}

export interface Sending {
  readonly inbox: string
  /** Where it belongs. One that was merged since is what it has become. */
  readonly thread: string | null
  readonly source: 'api' | 'dashboard' | 'agent'
  /** Set: the draft that it was, of which there is no event yet. */
  readonly sentDraft: { readonly id: string } | null
}

/**
 * The oldest of a team. What their events tell is enough to see whether there is an inbox for them. Materialized, so that only these events
 * are read: one that cannot be must not spoil the others.
 */
export const findPending = (trx: Transaction, team: string, limit: number): Promise<PendingMail[]> =>
  trx.query<PendingMail>(sql`
    with noted as materialized (
      select n.event_id as event, o.type, ${eventData('o')} as data, coalesce(o.about::text, o.data ->> 'email_id') as email
      from (select event_id from ${unfiledMail.pending} where team_id = ${team} order by event_id limit ${limit}) n
      left ${joinEvent('n', anyTeam(team))})
    select n.event, n.email::uuid as email,
      case n.type when 'email.received' then 'inbound' else 'outbound' end as direction,
      case n.type when 'email.received' then n.data -> 'received_for' when 'email.sent' then json_build_array(coalesce(n.data -> 'from', '""'))
        else '[]' end as addresses,
      case when s.email_id is not null then json_build_object('inbox', s.inbox_id, 'thread', coalesce(m.into_id, s.thread_id),
        'source', s.source, 'sentDraft', s.sent_draft) end as sending
    from noted n
    left join inbox_sendings s on s.team_id = ${anyTeam(team)} and n.type = 'email.sent' and s.email_id = n.email::uuid
    left join merged_inbox_threads m on m.team_id = ${anyTeam(team)} and m.id = s.thread_id
    order by n.event`)

/** Takes them off the list, with what was said about them. */
export async function takePending(trx: Transaction, team: string, pending: readonly PendingMail[]) {
  const sent = pending.filter(({ sending }) => sending).map(({ email }) => email)
  await trx.query(
    unfiledMail.take(
      team,
      pending.map(({ event }) => event),
    ),
  )
  if (sent.length > 0)
    await trx.query(sql.write`delete from inbox_sendings where team_id = ${team} and email_id = any (${sent}::uuid[])`)
}

/** Takes one off the list that cannot be filed, if it is still there. Its email stays what it is, received or sent. */
export async function dropPending(trx: Transaction, team: string, event: string) {
  await trx.query(sql.write`
    delete from inbox_sendings where team_id = ${team} and email_id::text = (
      select coalesce(o.about::text, o.data ->> 'email_id') from ${eventsOf(team)} and o.id = ${event})`)
  await trx.query(unfiledMail.take(team, [event]))
}

/** An index probe. */
export async function hasPending(db: Pick<Transaction, 'query'>, team: string): Promise<boolean> {
  const rows = await db.query(sql`select event_id from ${unfiledMail.pending} where team_id = ${team} limit 1`)
  return rows.length > 0
}

/** The teams that have some, behind the given one. One after the other: it costs a look for each of them, and not for each entry. */
export async function findTeams(
  db: Pick<Transaction, 'query'>,
  { after, except, limit }: { after: string; except: readonly string[]; limit: number },
): Promise<string[]> {
  const rows = await db.query<{ team: string }>(sql`
    with recursive walk (team_id) as (
      select (select team_id from ${unfiledMail.pending} where team_id > ${after} order by team_id limit 1)
      union all
      select (select n.team_id from ${unfiledMail.pending} n where n.team_id > walk.team_id order by n.team_id limit 1)
      from walk where walk.team_id is not null)
    select team_id as team from walk where team_id is not null and team_id <> all (${except}::uuid[]) limit ${limit}`)
  return rows.map(({ team }) => team)
}

import type { Transaction } from '../../../kernel/db/database.ts'
import { anyTeam, sql } from '../../../kernel/db/sql.ts'

/**
 * What is left of emails when they and their rows in inboxes are gone: events and who was told of them, drafts, what agents did. The facts of the
 * metrics stay: they say what happened when to an id, and the counts of any span of time are made from them.
 */
export async function deleteTraces(trx: Transaction, team: string, emails: readonly string[]) {
  const own = sql`team_id = ${anyTeam(team)}`
  const isTheirs = sql`${own} and email_id = any (${emails}::uuid[])`
  const events = await trx.query<{ id: string }>(sql.write`
    delete from outbox where ${own} and about = any (${emails}::uuid[]) returning id`)
  await deleteEventDeliveries(
    trx,
    team,
    events.map(({ id }) => id),
  )
  await trx.query(sql.write`delete from automation_emails where ${isTheirs}`)
  await trx.query(sql.write`delete from inbox_agent_runs where ${isTheirs}`)
  await trx.query(sql.write`delete from inbox_drafts where ${isTheirs}`)
  await trx.query(sql.write`delete from inbox_sendings where ${isTheirs}`)
  await trx.query(sql.write`delete from sandbox_numbers where ${isTheirs}`)
}

/**
 * What subscribers have still to do about events, and what webhooks were told: its payload is the event. In this order: whoever posts one in this moment
 * locks the batch or the delivery before the attempt is written, and finds neither, or has written it by the time that attempts are deleted.
 */
export async function deleteEventDeliveries(trx: Transaction, team: string, events: readonly string[]) {
  if (events.length === 0) return
  const own = sql`team_id = ${anyTeam(team)} and event_id = any (${events}::uuid[])`
  await trx.query(sql.write`delete from outbox_notes where ${own}`)
  const ofWebhooks = sql`${own} and webhook_id = any (array(select w.id from webhooks w where w.team_id = ${anyTeam(team)}))`
  await trx.query(sql.write`
    update webhook_batches set event_ids = array(
      select kept.id from unnest(event_ids) with ordinality kept (id, place) where kept.id <> all (${events}::uuid[]) order by kept.place)
    where team_id = ${anyTeam(team)} and event_ids && ${events}::uuid[]`)
  await trx.query(sql.write`delete from webhook_deliveries where ${ofWebhooks}`)
  await trx.query(sql.write`delete from webhook_attempts where ${ofWebhooks}`)
}

/** Empties the bodies of logged requests that name one of these emails: what sent it, and what read it. Gives the last one that was looked at; null: none is left. */
export async function emptyLogs(
  trx: Transaction,
  team: string,
  { emails, after, limit }: { emails: readonly string[]; after: string; limit: number },
): Promise<string | null> {
  const rows = await trx.query<{ id: string }>(sql.write`
    with slice as materialized (
      select l.id, concat_ws(' ', l.endpoint, l.response_body, l.request_body) like any (${emails.map((id) => `%${id}%`)}::text[]) as hit
      from request_logs l where l.team_id = ${team} and l.id > ${after} order by l.id limit ${limit}),
    emptied as (
      update request_logs l set request_body = null, response_body = null from slice
      where slice.hit and l.team_id = ${team} and l.id = slice.id)
    select id from slice order by id desc limit 1`)
  return rows[0]?.id ?? null
}

import type { Queryable } from '../../../kernel/db/database.ts'
import { type Sql, sql } from '../../../kernel/db/sql.ts'
import { newId } from '../../../platform/ids.ts'

// Webhooks and their secrets, as their team writes them. What their endpoints do to them is in `queries.ts`.

/** Writes a webhook with its first secret, unless `row`, columns and what selects them, comes to nothing: then false. */
export async function insertWebhook(db: Queryable, row: Sql, secret: Buffer): Promise<boolean> {
  const rows = await db.query(sql.write`
    with webhook as (insert into webhooks ${row} returning team_id, id)
    insert into webhook_secrets (team_id, webhook_id, id, secret)
    select team_id, id, ${newId(db.clock)}::uuid, ${secret}::bytea from webhook
    returning webhook_id as id`)
  return rows.length > 0
}

/** Who enables an endpoint gives it another chance: what failed before does not count any more. */
export async function updateWebhook(
  db: Queryable,
  team: string,
  id: string,
  { assignments, isEnabled }: { assignments: Sql; isEnabled: boolean },
): Promise<boolean> {
  const rows = await db.query(sql.write`
    update webhooks set ${assignments} ${isEnabled ? sql`, failing_since = null` : sql``}
    where team_id = ${team} and id = ${id} returning id`)
  return rows.length > 0
}

export async function deleteWebhook(db: Queryable, team: string, id: string): Promise<boolean> {
  const rows = await db.query(sql.write`delete from webhooks where team_id = ${team} and id = ${id} returning id`)
  return rows.length > 0
}

/** Whether there is such a webhook; nobody else changes it or its secrets until the transaction ends. */
export async function lockWebhook(db: Queryable, team: string, id: string): Promise<boolean> {
  const rows = await db.query(sql`select id from webhooks where team_id = ${team} and id = ${id} for no key update`)
  return rows.length > 0
}

/** The current secret goes on signing until it expires. Of those before it only so many do: each is a part of every header. */
export async function replaceSecret(
  db: Queryable,
  team: string,
  webhookId: string,
  replacement: { secret: Buffer; now: Date; expiresAt: Date; keep: number },
) {
  const own = sql`team_id = ${team} and webhook_id = ${webhookId}`
  await db.query(
    sql.write`update webhook_secrets set expires_at = ${replacement.expiresAt} where ${own} and expires_at is null`,
  )
  await db.query(sql.write`
    delete from webhook_secrets where ${own} and (expires_at <= ${replacement.now} or id not in (
      select id from webhook_secrets where ${own} order by id desc limit ${replacement.keep}))`)
  await db.query(sql.write`
    insert into webhook_secrets (team_id, webhook_id, id, secret)
    values (${team}, ${webhookId}, ${newId(db.clock)}, ${replacement.secret})`)
}

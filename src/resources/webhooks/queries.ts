import type { Static } from 'typebox'
import { assignments, columnsOf, columnValues, insertion } from '../../http/columns.ts'
import type { Rows } from '../../http/rows.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import { newId } from '../../platform/ids.ts'
import { CreateWebhook, UpdateWebhook, WebhookItem } from './schema.ts'

const COLUMNS = columnsOf(WebhookItem, 'w')

export const webhookRows = (team: string): Rows => ({
  columns: COLUMNS,
  from: sql`webhooks w`,
  where: sql`w.team_id = ${team}`,
  id: sql`w.id`,
})

/** False: the team has as many as it may. Those who add at the same moment may all be the last one. */
export async function insertWebhook(
  db: Queryable,
  team: string,
  webhook: Static<typeof CreateWebhook> & { id: string; secret: Buffer },
  most: number,
): Promise<boolean> {
  const row = { team_id: team, id: webhook.id, ...columnValues(CreateWebhook, webhook) }
  const hasRoom = sql`(select count(*) from webhooks where team_id = ${team}) < ${most}`
  const rows = await db.query(sql`
    with webhook as (
      insert into webhooks ${insertion(row, hasRoom)} returning team_id, id)
    insert into webhook_secrets (team_id, webhook_id, id, secret)
    select team_id, id, ${newId()}::uuid, ${webhook.secret}::bytea from webhook
    returning webhook_id`)
  return rows.length > 0
}

/** Who enables an endpoint gives it another chance: what failed before does not count any more. */
export async function updateWebhook(
  db: Queryable,
  team: string,
  id: string,
  changes: Static<typeof UpdateWebhook>,
): Promise<boolean> {
  const forgiven = changes.status === 'enabled' ? { failing_since: null } : {}
  const rows = await db.query(sql`
    update webhooks set ${assignments({ ...columnValues(UpdateWebhook, changes), ...forgiven })}
    where team_id = ${team} and id = ${id} returning id`)
  return rows.length > 0
}

export async function deleteWebhook(db: Queryable, team: string, id: string): Promise<boolean> {
  const rows = await db.query(sql`delete from webhooks where team_id = ${team} and id = ${id} returning id`)
  return rows.length > 0
}

export async function findCurrentSecret(db: Queryable, team: string, webhookId: string): Promise<Buffer | undefined> {
  const [row] = await db.query<{ secret: Buffer }>(sql`
    select secret from webhook_secrets where team_id = ${team} and webhook_id = ${webhookId} and expires_at is null`)
  return row?.secret
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
    sql`update webhook_secrets set expires_at = ${replacement.expiresAt} where ${own} and expires_at is null`,
  )
  await db.query(sql`
    delete from webhook_secrets where ${own} and (expires_at <= ${replacement.now} or id not in (
      select id from webhook_secrets where ${own} order by id desc limit ${replacement.keep}))`)
  await db.query(sql`
    insert into webhook_secrets ${insertion({
      team_id: team,
      webhook_id: webhookId,
      id: newId(),
      secret: replacement.secret,
    })}`)
}

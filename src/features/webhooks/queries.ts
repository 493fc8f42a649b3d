import type { Static } from 'typebox'
import type { Queryable } from '../../kernel/db/database.ts'
import { type Sql, sql } from '../../kernel/db/sql.ts'
import { columnsOf, columnValues, insertion, type newRow } from '../../kernel/http/columns.ts'
import type { Rows } from '../../kernel/http/rows.ts'
import { CreateWebhook, WebhookItem } from './schema.ts'

const COLUMNS = columnsOf(WebhookItem, 'w')

export const webhookRows = (team: string): Rows => ({
  columns: COLUMNS,
  from: sql`webhooks w`,
  where: sql`w.team_id = ${team}`,
  id: sql`w.id`,
})

/** A new webhook; nothing when the team has as many as it may. Those who add at the same moment may all be the last one. */
export const newWebhook = (row: ReturnType<typeof newRow>, webhook: Static<typeof CreateWebhook>, most: number): Sql =>
  insertion(
    { ...row, ...columnValues(CreateWebhook, webhook) },
    sql`(select count(*) from webhooks where team_id = ${row.team_id}) < ${most}`,
  )

export async function findCurrentSecret(db: Queryable, team: string, webhookId: string): Promise<Buffer | undefined> {
  const [row] = await db.query<{ secret: Buffer }>(sql`
    select secret from webhook_secrets where team_id = ${team} and webhook_id = ${webhookId} and expires_at is null`)
  return row?.secret
}

import { newSecret, sealSecret } from '../../src/features/webhooks/delivery/secrets.ts'
import type { Database } from '../../src/kernel/db/database.ts'
import { rowsOf } from '../../src/kernel/db/rows.ts'
import { raw, type Sql, sql } from '../../src/kernel/db/sql.ts'
import type { Sealer } from '../../src/kernel/secrets.ts'

/** Parents before children. */
const TABLES = [
  ...['teams', 'domains', 'domain_keys', 'api_keys', 'emails', 'email_bodies', 'deliveries'],
  ...['webhooks', 'webhook_secrets'],
]

/** What must not be the same in two teams, by table; `n` is the number of the team. */
const OWN: Record<string, string> = {
  teams: `jsonb_build_object('name', 'Team ' || n)`,
  domains: `jsonb_build_object('name', 'team-' || n || '.example')`,
  api_keys: `jsonb_build_object('token_sha256', '\\x' || encode(sha256(('key ' || n)::bytea), 'hex'))`,
  deliveries: `jsonb_build_object('recipient', 'user-' || n || '@example.com')`,
}

/**
 * So many teams more that have all that the given one has: its domain, key, webhook and mail, with names and ids of their own. In a statement for
 * each table: through the API ten thousand of them would take minutes.
 */
export async function multiplyTeam(
  { db, sealer }: { readonly db: Database; readonly sealer: Sealer },
  team: string,
  count: number,
) {
  for (const table of TABLES) {
    const columns = await db.query<{ name: string; type: string }>(sql`
      select attname::text as name, format_type(atttypid, null) as type from pg_attribute
      where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = ''`)
    const names = raw(columns.map(({ name }) => `"${name}"`).join(', '))
    const ids = columns
      .filter(({ type }) => type === 'uuid')
      .map(({ name }) => `'${name}', ${newIdFrom(`t."${name}"`)}`)
    const changed = raw(`jsonb_build_object(${ids.join(', ')}) || ${OWN[table] ?? `'{}'::jsonb`}`)
    const ofTeam: Sql = table === 'teams' ? sql`t.id = ${team}` : sql`t.team_id = ${team}`
    await db.queryPooled(sql`
      insert into ${raw(table)} (${names})
      select ${raw(columns.map(({ name }) => `made."${name}"`).join(', '))}
      from generate_series(1, ${count}::int) n, ${raw(table)} t, jsonb_populate_record(t, ${changed}) made
      where ${ofTeam}`)
  }
  await sealSecrets(db, sealer)
}

/** What is sealed for one webhook cannot be opened for another. */
async function sealSecrets(db: Database, sealer: Sealer) {
  const webhooks = await db.query<{ id: string }>(sql`select webhook_id as id from webhook_secrets`)
  const secret = newSecret()
  const sealed = webhooks.map(({ id }) => ({ id, sealed: sealSecret(sealer, id, secret).toString('hex') }))
  await db.queryPooled(sql.write`
    update webhook_secrets s set secret = decode(sealed, 'hex')
    from ${rowsOf(sealed, { id: 'uuid', sealed: 'text' })} where s.webhook_id = given.id`)
}

/** The same id for the same row of a team, wherever it is named. Its time and kind are those of the first one: ids of sandboxes are others. */
const newIdFrom = (column: string) =>
  `(left(replace(${column}::text, '-', ''), 12) || '7' || substr(md5(n || ${column}::text), 14))::uuid`

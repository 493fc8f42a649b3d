import pg from 'pg'
import { type AppliedMigration, objectionTo, schemaState } from './schema-state.ts'

/** Any number, as long as it stays: ten processes may start at once, and one migrates while the others wait. */
const MIGRATION_LOCK = 7_077_001

/** Runs the migrations that this database has not seen yet, in order, each in its own transaction. Returns their names. */
export async function migrate(config: pg.ClientConfig): Promise<string[]> {
  const client = new pg.Client({ connectionTimeoutMillis: 5_000, ...config })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    await client.query(`create table if not exists schema_migrations (
      name text primary key, checksum text not null, applied_at timestamptz not null default now())`)
    const { rows } = await client.query<AppliedMigration>('select name, checksum from schema_migrations')
    const state = schemaState(rows)
    const objection = objectionTo(state)
    if (objection) throw objection
    for (const { name, text, checksum } of state.missing) await apply(client, name, text, checksum)
    return state.missing.map(({ name }) => name)
  } finally {
    await client.end()
  }
}

async function apply(client: pg.Client, name: string, text: string, checksum: string) {
  try {
    await client.query('begin')
    await client.query(text)
    await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [name, checksum])
    await client.query('commit')
  } catch (error) {
    throw new Error(`Migration ${name} failed: ${(error as Error).message}`, { cause: error })
  }
}

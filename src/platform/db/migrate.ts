import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { assetPath } from '../assets.ts'
import { Connection } from './connection.ts'
import { Connector } from './connector.ts'
import { DatabaseHealth } from './health.ts'
import { LIMITS } from './limits.ts'

/** Any number, as long as it stays: ten processes may start at once, and one migrates while the others wait. */
const MIGRATION_LOCK = 7_077_001

/** Runs the migrations that this database has not seen yet, in order, each in its own transaction. Returns their names. */
export async function migrate(config: pg.ClientConfig): Promise<string[]> {
  const connector = new Connector(config, LIMITS)
  const health = new DatabaseHealth(connector, LIMITS, null)
  // A migration may take as long as PostgreSQL works at it.
  const connection = await Connection.open({ connector, health, limits: LIMITS }, { statementMs: null })
  try {
    await connection.query({ text: 'select pg_advisory_lock($1)', values: [MIGRATION_LOCK] })
    const migrated = await runFresh(connection)
    // A pooler keeps the session for the next client, and with it a lock that is not given back.
    await connection.query({ text: 'select pg_advisory_unlock($1)', values: [MIGRATION_LOCK] })
    return migrated
  } finally {
    health.close()
    await connection.close()
  }
}

async function runFresh(connection: Connection): Promise<string[]> {
  await connection.query(`create table if not exists schema_migrations (
    name text primary key, checksum text not null, applied_at timestamptz not null default now())`)
  const rows = await connection.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migrations',
  )
  const applied = new Map(rows.map((row) => [row.name, row.checksum]))
  const fresh = readMigrations().filter(({ name, checksum }) => {
    const known = applied.get(name)
    if (known && known !== checksum)
      throw new Error(`Migration ${name} was changed after it ran; migrations only go forward.`)
    return !known
  })
  for (const migration of fresh) await apply(connection, migration)
  return fresh.map(({ name }) => name)
}

async function apply(connection: Connection, { name, text, checksum }: ReturnType<typeof readMigrations>[number]) {
  try {
    await connection.query('begin')
    await connection.query(text)
    await connection.query({
      text: 'insert into schema_migrations (name, checksum) values ($1, $2)',
      values: [name, checksum],
    })
    await connection.query('commit')
  } catch (error) {
    throw new Error(`Migration ${name} failed: ${(error as Error).message}`, { cause: error })
  }
}

function readMigrations() {
  const folder = assetPath('migrations')
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => {
      const text = readFileSync(join(folder, name), 'utf8')
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
    })
}

import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import type { Clock } from '../../platform/clock.ts'
import { isDeadlock, isLockTimeout } from '../../platform/database-errors.ts'
import { Connection } from './connection.ts'
import { Connector } from './connector.ts'
import { DatabaseHealth } from './health.ts'
import { LIMITS } from './limits.ts'
import { type AppliedMigration, type Migration, objectionTo, SELECT_APPLIED, schemaState } from './schema-state.ts'

/** Any number, as long as it stays: ten processes may start at once, and one migrates while the others wait. */
export const MIGRATION_LOCK = 7_077_001

/** Runs the migrations that this database has not seen yet, in order, each in its own transaction. Returns their names. */
export async function migrate(config: pg.ClientConfig, clock: Clock): Promise<string[]> {
  const connector = new Connector(config, LIMITS)
  const health = new DatabaseHealth(connector, LIMITS, null)
  // A migration may take as long as PostgreSQL works at it.
  const connection = await Connection.open({ connector, health, limits: LIMITS }, { statementMs: null })
  try {
    // A backup has the lock as long as it reads: nobody who only starts again is to wait for that.
    if (await isUpToDate(connection)) return []
    await connection.query({ text: 'select pg_advisory_lock($1)', values: [MIGRATION_LOCK] })
    const migrated = await runFresh(connection, clock)
    // A pooler keeps the session for the next client, and with it a lock that is not given back.
    await connection.query({ text: 'select pg_advisory_unlock($1)', values: [MIGRATION_LOCK] })
    return migrated
  } finally {
    health.close()
    await connection.close()
  }
}

const CREATE_LIST = `create table if not exists schema_migrations (
    name text primary key, checksum text not null, applied_at timestamptz not null)`

async function isUpToDate(connection: Connection): Promise<boolean> {
  const [list] = await connection.query<{ isThere: boolean }>(
    `select to_regclass('schema_migrations') is not null as "isThere"`,
  )
  if (!list!.isThere) return false
  const state = schemaState(await connection.query<AppliedMigration>(SELECT_APPLIED))
  return state.missing.length === 0 && objectionTo(state) === null
}

async function runFresh(connection: Connection, clock: Clock): Promise<string[]> {
  await connection.query(CREATE_LIST)
  const applied = await connection.query<AppliedMigration>(SELECT_APPLIED)
  const state = schemaState(applied)
  const objection = objectionTo(state)
  if (objection) throw objection
  for (const migration of state.missing) await apply(connection, migration, clock)
  return state.missing.map(({ name }) => name)
}

const NOTE_APPLIED = 'insert into schema_migrations (name, checksum, applied_at) values ($1, $2, $3)'

/** For a restore: some of the migrations, as a part of the caller's transaction. */
export async function migrateWithin(client: pg.ClientBase, migrations: readonly Migration[], clock: Clock) {
  await client.query(CREATE_LIST)
  for (const { name, text, checksum } of migrations) {
    await client.query(text)
    await client.query(NOTE_APPLIED, [name, checksum, clock.now()])
  }
}

/**
 * Mail flows while tables change: everybody who comes later waits behind whoever waits for a lock, so that is short, and comes again in a moment.
 * At first it ends before PostgreSQL looks for deadlocks (1 s): the one who gives way is this. After a while it is longer, since autovacuum gives way
 * only then.
 */
const LOCK_MS = { soon: 400, late: 1_500 }
const MAX_TRIES = { soon: 20, late: 400 }
const PAUSE_MS = 400

async function apply(connection: Connection, { name, text, checksum }: Migration, clock: Clock) {
  for (let tries = 1; ; tries++) {
    try {
      await connection.query('begin')
      await connection.query(`set local lock_timeout = ${tries <= MAX_TRIES.soon ? LOCK_MS.soon : LOCK_MS.late}`)
      await connection.query(text)
      await connection.query({ text: NOTE_APPLIED, values: [name, checksum, clock.now()] })
      await connection.query('commit')
      return
    } catch (error) {
      if (!(isLockTimeout(error) || isDeadlock(error)) || tries === MAX_TRIES.late)
        throw new Error(`Migration ${name} failed: ${(error as Error).message}`, { cause: error })
      await connection.query('rollback')
      await wait(PAUSE_MS)
    }
  }
}

import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import type { Clock } from '../../platform/clock.ts'
import { isDeadlock, isLockTimeout, isLost } from '../../platform/database-errors.ts'
import { runStatement } from './concurrent-index.ts'
import { Connection } from './connection.ts'
import { Connector } from './connector.ts'
import { DatabaseHealth } from './health.ts'
import { LIMITS } from './limits.ts'
import { MIGRATION_LOCK, pollLock } from './migration-lock.ts'
import {
  type AppliedMigration,
  isContraction,
  isWithoutTransaction,
  type Migration,
  newerSchema,
  objectionTo,
  type SchemaState,
  SELECT_APPLIED,
  schemaState,
} from './schema-state.ts'

/**
 * Runs the migrations that this database has not seen yet, in order, each in its own transaction. Returns their names. Migrations of a newer program
 * are no reason to refuse, unless one of them says so (`objectionTo`).
 */
export async function migrate(
  config: pg.ClientConfig,
  clock: Clock,
  log?: { warn(message: string): void },
): Promise<string[]> {
  const connector = new Connector(config, LIMITS)
  const health = new DatabaseHealth(connector, LIMITS, null)
  // A migration may take as long as PostgreSQL works at it.
  const connection = await Connection.open({ connector, health, limits: LIMITS }, { statementMs: null })
  try {
    // A backup has the lock as long as it reads: nobody who only starts again is to wait for that.
    const state = await findState(connection)
    const migrated = state && isUpToDate(state) ? [] : await migrateLocked(connection, clock)
    const newer = state && newerSchema(state)
    if (newer) log?.warn(newer)
    return migrated
  } finally {
    health.close()
    await connection.close()
  }
}

async function migrateLocked(connection: Connection, clock: Clock): Promise<string[]> {
  await pollLock(async () => {
    const [lock] = await connection.query<{ isLocked: boolean }>({
      text: 'select pg_try_advisory_lock($1) as "isLocked"',
      values: [MIGRATION_LOCK],
    })
    return lock!.isLocked
  })
  await noticeEnd(connection)
  const migrated = await runFresh(connection, clock)
  // A pooler keeps the session for the next client, and with it a lock that is not given back.
  await connection.query({ text: 'select pg_advisory_unlock($1)', values: [MIGRATION_LOCK] })
  return migrated
}

/** When this process is killed PostgreSQL stops working for it, and gives the lock to the next. Not every system can notice that. */
async function noticeEnd(connection: Connection) {
  await connection.query(`set client_connection_check_interval = '1s'`).catch((error) => {
    if (isLost(error)) throw error
  })
}

/** Older programs beside this one write their rows without the last column, and mean what is safe. */
const CREATE_LIST = [
  'create table if not exists schema_migrations (name text primary key, checksum text not null, applied_at timestamptz not null)',
  'alter table schema_migrations add column if not exists is_contraction boolean not null default true',
].join('; ')

/** Null: there are no tables yet. */
async function findState(connection: Connection): Promise<SchemaState | null> {
  const [list] = await connection.query<{ isThere: boolean }>(
    `select to_regclass('schema_migrations') is not null as "isThere"`,
  )
  return list!.isThere ? schemaState(await connection.query<AppliedMigration>(SELECT_APPLIED)) : null
}

const isUpToDate = (state: SchemaState) => state.missing.length === 0 && objectionTo(state) === null

async function runFresh(connection: Connection, clock: Clock): Promise<string[]> {
  await connection.query(CREATE_LIST)
  const applied = await connection.query<AppliedMigration>(SELECT_APPLIED)
  const state = schemaState(applied)
  const objection = objectionTo(state)
  if (objection) throw objection
  for (const migration of state.missing) await apply(connection, migration, clock)
  return state.missing.map(({ name }) => name)
}

const noteApplied = (migration: Migration, clock: Clock) => ({
  text: 'insert into schema_migrations (name, checksum, applied_at, is_contraction) values ($1, $2, $3, $4)',
  values: [migration.name, migration.checksum, clock.now(), isContraction(migration)],
})

/** For a restore: some of the migrations, as a part of the caller's transaction. Nobody else uses the tables. */
export async function migrateWithin(client: pg.ClientBase, migrations: readonly Migration[], clock: Clock) {
  await client.query(CREATE_LIST)
  for (const migration of migrations) {
    const { text } = migration
    await client.query(isWithoutTransaction(migration) ? text.replace(/ concurrently\b/i, '') : text)
    await client.query(noteApplied(migration, clock))
  }
}

/**
 * Mail flows while tables change: everybody who comes later waits behind whoever waits for a lock, so that is short, and comes again in a moment.
 * At first it is as short as a statement usually takes: one that locks many tables has those already that it got. Then it ends before PostgreSQL looks for
 * deadlocks (1 s): the one who gives way is this. After a while it is longer, since autovacuum gives way only then.
 */
const LOCK_STAGES = [
  { tries: 10, lockMs: 50 },
  { tries: 30, lockMs: 400 },
  { tries: 400, lockMs: 1_500 },
]
const MAX_TRIES = LOCK_STAGES.at(-1)!.tries
const PAUSE_MS = 400

async function apply(connection: Connection, migration: Migration, clock: Clock) {
  const { name, text } = migration
  try {
    if (isWithoutTransaction(migration)) {
      await runStatement(
        {
          query: (query) => connection.query(query),
          briefly: (statement) => briefly(connection, () => connection.query(statement)),
        },
        text,
      )
      await connection.query(noteApplied(migration, clock))
    } else {
      await briefly(connection, async () => {
        await connection.query(text)
        await connection.query(noteApplied(migration, clock))
      })
    }
  } catch (error) {
    throw new Error(`Migration ${name} failed: ${(error as Error).message}`, { cause: error })
  }
}

/** A transaction that is tried again when it had to give way. */
async function briefly(connection: Connection, work: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await connection.query('begin')
      const { lockMs } = LOCK_STAGES.find((stage) => tries <= stage.tries)!
      await connection.query(`set local lock_timeout = ${lockMs}`)
      await work()
      await connection.query('commit')
      return
    } catch (error) {
      if (!(isLockTimeout(error) || isDeadlock(error)) || tries === MAX_TRIES) throw error
      await connection.query('rollback')
      await wait(PAUSE_MS)
    }
  }
}

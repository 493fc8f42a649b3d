import { resolve } from 'node:path'
import type pg from 'pg'
import { startEmbeddedPostgres } from '../../adapters/postgres/embedded.ts'
import { connectionSettings } from '../../adapters/postgres/settings.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Config } from '../../platform/settings/config.ts'
import { connectionBudget } from '../../platform/settings/connection-budget.ts'
import { Connector } from './connector.ts'
import { Database } from './database.ts'
import { LIMITS } from './limits.ts'
import { migrate } from './migrate.ts'
import { requireSession } from './session-check.ts'
import { type WaitOptions, whenAnswering } from './wait-for-database.ts'

export interface OpenDatabase {
  readonly db: Database
  /** For sessions of its own. */
  readonly connection: pg.ClientConfig
  /** The names of the migrations that ran just now. */
  readonly migrated: string[]
  /**
   * What is in flight is answered first, if that happens within the time. An embedded PostgreSQL is stopped in any case; `overMs` from
   * now nobody waits for it any more, and it goes on stopping by itself.
   */
  close(withinMs?: number, overMs?: number): Promise<void>
}

interface OpenLog {
  info(message: string): void
  warn(message: string): void
}

/**
 * The database of the settings: the one that is named, or the embedded one, started when it does not run yet. Migrated. One that does not
 * answer is waited for, as long as the caller likes.
 */
export async function openDatabase(
  config: Config,
  log: OpenLog,
  clock: Clock,
  { waitMs = 0, signal }: Partial<Pick<WaitOptions, 'waitMs' | 'signal'>> = {},
): Promise<OpenDatabase> {
  const { connection, stop } = await reachServer(config, log)
  try {
    const { address } = new Connector(connection, LIMITS)
    const migrated = await whenAnswering(
      async () => {
        if (config.DATABASE_URL) await requireSession(connection)
        return migrate(connection, clock, log)
      },
      { waitMs, address, log, signal },
    )
    const db = Database.connect(connection, { log, clock, budget: connectionBudget(config) })
    return {
      db,
      connection,
      migrated,
      async close(withinMs, overMs) {
        const end = overMs === undefined ? undefined : performance.now() + overMs
        await db.close(withinMs)
        await stop(end === undefined ? undefined : Math.max(0, end - performance.now()))
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

export interface Server {
  readonly connection: pg.ClientConfig
  /** Of an embedded one that nobody else uses. */
  stop(withinMs?: number): Promise<void>
}

/** The server of the settings, as it is: nothing is migrated. The embedded one is started when it does not run yet. */
export async function reachServer(config: Config, log: OpenLog): Promise<Server> {
  if (config.DATABASE_URL) return { connection: { connectionString: config.DATABASE_URL }, stop: async () => {} }
  const settings = connectionSettings(config)
  const embedded = await startEmbeddedPostgres({ dataDir: resolve(config.DATA_DIR), log, settings })
  return { connection: embedded.connection, stop: (withinMs) => embedded.stop(withinMs) }
}

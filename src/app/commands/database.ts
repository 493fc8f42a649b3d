import type { Database } from '../../kernel/db/database.ts'
import { type OpenDatabase, openDatabase } from '../../kernel/db/open.ts'
import { SchemaError } from '../../kernel/db/schema-state.ts'
import { NoSession } from '../../kernel/db/session-check.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Config } from '../../platform/settings/config.ts'
import { OperatorError } from './command.ts'
import { quiet } from './quiet.ts'

/** The database of the settings. If it is unavailable, one line says so, with what to do. */
export function requireDatabase(
  config: Config,
  log: Parameters<typeof openDatabase>[1],
  wait: { waitMs?: number; signal?: AbortSignal } = {},
): Promise<OpenDatabase> {
  return openDatabase(config, log, systemClock, wait).catch((error) => {
    if (wait.signal?.aborted) throw error
    throw new OperatorError(databaseTrouble(config, error), { cause: error })
  })
}

const MAX_WAIT_SECONDS = 24 * 3_600

/** For commands that may be started before their database is. */
export const WAIT_FLAG = { wait: { type: 'string' } } as const

export function waitMsOf(given: string | boolean | undefined, { START_WAIT }: Pick<Config, 'START_WAIT'>): number {
  const seconds = Number(given ?? START_WAIT)
  if (given === '' || !Number.isInteger(seconds) || seconds < 0 || seconds > MAX_WAIT_SECONDS)
    throw new OperatorError(`--wait must be a number of seconds up to ${MAX_WAIT_SECONDS}, not \`${given}\`.`)
  return seconds * 1_000
}

/** For a short command: the database, for as long as the work takes. */
export async function withDatabase<Result>(config: Config, work: (db: Database) => Promise<Result>): Promise<Result> {
  const database = await requireDatabase(config, quiet)
  try {
    return await work(database.db)
  } finally {
    await database.close()
  }
}

export function databaseTrouble(config: Config, error: unknown): string {
  if (error instanceof SchemaError) return error.message
  const { message } = error as Error
  // The embedded one says itself what to do about it, and so does the check of sessions.
  const isSaid = !config.DATABASE_URL || error instanceof NoSession
  const advice = isSaid ? '' : '. Check that it is running, and POSTWREN_DATABASE_URL.'
  return `The database cannot be used: ${message}${advice}`
}

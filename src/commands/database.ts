import { systemClock } from '../platform/clock.ts'
import type { Config } from '../platform/config.ts'
import { type OpenDatabase, openDatabase } from '../platform/db/open.ts'
import { SchemaError } from '../platform/db/schema-state.ts'
import { NoSession } from '../platform/db/session-check.ts'
import { OperatorError } from './command.ts'

/** The database of the settings. That it cannot be had is told in one line, with what to do. */
export function requireDatabase(config: Config, log: Parameters<typeof openDatabase>[1]): Promise<OpenDatabase> {
  return openDatabase(config, log, systemClock).catch((error) => {
    throw new OperatorError(databaseTrouble(config, error), { cause: error })
  })
}

export function databaseTrouble(config: Config, error: unknown): string {
  if (error instanceof SchemaError) return error.message
  const { message } = error as Error
  // The embedded one says itself what to do about it, and so does the check of sessions.
  const isSaid = !config.DATABASE_URL || error instanceof NoSession
  const advice = isSaid ? '' : '. Is it running, and is POSTWREN_DATABASE_URL right?'
  return `The database cannot be used: ${message}${advice}`
}

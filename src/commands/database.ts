import type { Config } from '../platform/config.ts'
import { type OpenDatabase, openDatabase } from '../platform/db/open.ts'
import { SchemaError } from '../platform/db/schema-state.ts'
import { OperatorError } from './command.ts'

/** The database of the settings. That it cannot be had is told in one line, with what to do. */
export function requireDatabase(config: Config, log: Parameters<typeof openDatabase>[1]): Promise<OpenDatabase> {
  return openDatabase(config, log).catch((error) => {
    throw new OperatorError(databaseTrouble(config, error), { cause: error })
  })
}

export function databaseTrouble(config: Config, error: unknown): string {
  if (error instanceof SchemaError) return error.message
  const { message, errors, code } = error as { message: string; errors?: Error[]; code?: string }
  // A name with several addresses fails with an error for each of them, and no words of its own.
  const reason = message || errors?.[0]?.message || code
  // The embedded one says itself what to do about it.
  const advice = config.DATABASE_URL ? '. Is it running, and is POSTWREN_DATABASE_URL right?' : ''
  return `The database cannot be used: ${reason}${advice}`
}

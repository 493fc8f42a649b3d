import type pg from 'pg'
import { tryBackupLock } from '../../../kernel/db/backup-lock.ts'
import { Connector, destroy } from '../../../kernel/db/connector.ts'
import { LIMITS } from '../../../kernel/db/limits.ts'
import { reachServer } from '../../../kernel/db/open.ts'
import { isLost } from '../../../platform/database-errors.ts'
import type { Config } from '../../../platform/settings/config.ts'
import { OperatorError } from '../command.ts'
import { databaseTrouble } from '../database.ts'
import { quiet } from '../quiet.ts'

/** How values are written as text is up to the session: always the same way, so that each server reads what another has written. */
export const SESSION_SETTINGS = {
  ...{ statement_timeout: '0', lock_timeout: '0', idle_in_transaction_session_timeout: '0' },
  ...{
    client_encoding: 'UTF8',
    TimeZone: 'UTC',
    IntervalStyle: 'postgres',
    bytea_output: 'hex',
    extra_float_digits: '3',
  },
}

const NAME = 'postwren backup'

/** A connection for as long as the work takes, to the database of the settings as it is: nothing is migrated. Only one command has it at a time. */
export async function withSession<Result>(
  config: Config,
  work: (client: pg.Client, connection: pg.ClientConfig) => Promise<Result>,
): Promise<Result> {
  const server = await reachServer(config, quiet).catch((error) => {
    throw new OperatorError(databaseTrouble(config, error), { cause: error })
  })
  try {
    return await withClient(server.connection, async (client) => {
      if (!(await tryBackupLock(client)))
        throw new OperatorError('Another backup, restore or verification of this database is running.')
      return await work(client, server.connection)
    })
  } catch (error) {
    // Also when PostgreSQL itself ends in the middle.
    if (isLost(error)) throw new OperatorError(databaseTrouble(config, error), { cause: error })
    throw error
  } finally {
    await server.stop()
  }
}

export async function withClient<Result>(
  connection: pg.ClientConfig,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const { client } = await new Connector(connection, LIMITS).connect({ name: NAME, settings: SESSION_SETTINGS })
  try {
    const result = await work(client)
    await client.end()
    return result
  } catch (error) {
    // Whatever is under way is rolled back, and nobody waits for it.
    destroy(client)
    throw error
  }
}

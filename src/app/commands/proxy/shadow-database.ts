import { Connector } from '../../../kernel/db/connector.ts'
import type { Config } from '../../../platform/settings/config.ts'
import { OperatorError } from '../command.ts'
import { databaseTrouble } from '../database.ts'

const CONNECT_MS = 5_000

/**
 * A Postwren in inbox mode takes all mail of its database for itself. In the database of one that sends, it would take the mail of people:
 * only an empty one will do, or one that a shadow has made.
 */
export async function requireShadowDatabase(config: Config): Promise<void> {
  if (!config.DATABASE_URL) return
  const isForeign = await isForeignDatabase(config.DATABASE_URL).catch((error) => {
    throw new OperatorError(databaseTrouble(config, error), { cause: error })
  })
  if (isForeign)
    throw new OperatorError(
      'The database of POSTWREN_DATABASE_URL belongs to an installation of Postwren. Give the proxy an empty one of its own, or unset it to use the embedded one.',
    )
}

async function isForeignDatabase(url: string): Promise<boolean> {
  const connector = new Connector({ connectionString: url, query_timeout: CONNECT_MS }, { connectMs: CONNECT_MS })
  const { client } = await connector.connect()
  try {
    const { rows } = await client.query<{ isForeign: boolean }>(
      `select to_regclass('secret_key_mark') is not null and to_regclass('shadow_pairs') is null as "isForeign"`,
    )
    return rows[0]!.isForeign
  } finally {
    await client.end()
  }
}

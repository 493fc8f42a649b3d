import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasKeys, insertApiKey, replaceSettingsKey } from '../../features/api-keys/queries.ts'
import { newToken } from '../../features/api-keys/token.ts'
import { ensureTeam } from '../../features/teams/queries.ts'
import { findFirstTeam } from '../../features/teams/reads.ts'
import type { Database } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import type { Config } from '../../platform/settings/config.ts'
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../../platform/settings/data-folder.ts'

const FIRST_TEAM = 'default'
const FIRST_KEY_LOCK = 7_077_002

/** Makes sure that there is a way in. Returns the token when this start made one, to be shown this once. */
export async function ensureFirstKey(db: Database, config: Config): Promise<string | null> {
  return db.transaction(async (trx) => {
    // Of ten processes that start at once, one makes the key.
    await trx.query(sql`select pg_advisory_xact_lock(${FIRST_KEY_LOCK})`)
    // It may have another name by now.
    const team = (await findFirstTeam(trx)) ?? (await ensureTeam(trx, FIRST_TEAM)).id
    const key = { name: 'First key', permission: 'full_access' } as const
    if (config.API_KEY) await replaceSettingsKey(trx, team, { ...key, token: config.API_KEY })
    if (await hasKeys(trx)) return null
    const token = newToken(config)
    await insertApiKey(trx, team, { ...key, token })
    // Before the commit: a key that could not be kept was never made, and the next start makes another.
    keepKey(config, token)
    return token
  })
}

/** Where the key of the first start is kept. */
export const firstKeyFile = ({ DATA_DIR }: Pick<Config, 'DATA_DIR'>) => join(DATA_DIR, 'api-key')

function keepKey({ DATA_DIR }: Config, token: string) {
  mkdirSync(DATA_DIR, { recursive: true, mode: PRIVATE_FOLDER })
  const file = firstKeyFile({ DATA_DIR })
  rmSync(file, { force: true }) // the mode is for a new file only
  writeFileSync(file, `${token}\n`, { mode: PRIVATE_FILE })
}

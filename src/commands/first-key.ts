import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../platform/config.ts'
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../platform/data-folder.ts'
import type { Database } from '../platform/db/database.ts'
import { sql } from '../platform/db/sql.ts'
import { insertApiKey } from '../resources/api-keys/queries.ts'
import { newToken } from '../resources/api-keys/token.ts'
import { ensureTeam } from '../resources/teams/queries.ts'

export const FIRST_TEAM = 'default'
const FIRST_KEY_LOCK = 7_077_002

/** Makes sure that there is a way in. Returns the token when this start made one, to be shown this once. */
export async function ensureFirstKey(db: Database, config: Config): Promise<string | null> {
  return db.transaction(async (trx) => {
    // Of ten processes that start at once, one makes the key.
    await trx.query(sql`select pg_advisory_xact_lock(${FIRST_KEY_LOCK})`)
    const { id: team } = await ensureTeam(trx, FIRST_TEAM)
    const [anyKey] = await trx.query(sql`select 1 as found from api_keys limit 1`)
    const token = config.API_KEY ?? (anyKey ? null : newToken())
    if (token) await insertApiKey(trx, team, { name: 'First key', permission: 'full_access', token })
    if (!token || config.API_KEY) return null
    // Before the commit: a key that could not be kept was never made, and the next start makes another.
    keepKey(config.DATA_DIR, token)
    return token
  })
}

function keepKey(dataDir: string, token: string) {
  mkdirSync(dataDir, { recursive: true, mode: PRIVATE_FOLDER })
  const file = join(dataDir, 'api-key')
  rmSync(file, { force: true }) // the mode is for a new file only
  writeFileSync(file, `${token}\n`, { mode: PRIVATE_FILE })
}

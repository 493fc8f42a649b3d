import type { Database } from '../../src/kernel/db/database.ts'
import { openDatabase } from '../../src/kernel/db/open.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { loadConfig } from '../../src/platform/settings/config.ts'
import { atEndOf, type Lifetime } from './program.ts'

/** The database of a service, beside it. Closed when the test ends. */
export async function databaseOf({ dataDir }: { dataDir: string }, lifetime: Lifetime = 'test'): Promise<Database> {
  const config = loadConfig({ POSTWREN_DATA_DIR: dataDir })
  const { db, close } = await openDatabase(config, { info() {}, warn() {} }, systemClock)
  atEndOf(lifetime, () => close())
  return db
}

import { onTestFinished } from 'vitest'
import { systemClock } from '../../src/platform/clock.ts'
import { loadConfig } from '../../src/platform/config.ts'
import type { Database } from '../../src/platform/db/database.ts'
import { openDatabase } from '../../src/platform/db/open.ts'

/** The database of a service, beside it. Closed when the test ends. */
export async function databaseOf({ dataDir }: { dataDir: string }): Promise<Database> {
  const config = loadConfig({ POSTWREN_DATA_DIR: dataDir })
  const { db, close } = await openDatabase(config, { info() {}, warn() {} }, systemClock)
  onTestFinished(() => close())
  return db
}

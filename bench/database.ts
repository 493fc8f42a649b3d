import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { startEmbeddedPostgres } from '../src/adapters/postgres/embedded.ts'
import { Database } from '../src/kernel/db/database.ts'
import { systemClock } from '../src/platform/clock.ts'
import { atEnd } from './cleanup.ts'

const log = { info() {}, warn: (text: string) => console.error(text) }

/** A data folder that is gone afterwards. Only named here: the service makes it so that PostgreSQL's user gets through. */
export function temporaryDataDir(suffix = ''): string {
  const dataDir = join(tmpdir(), `postwren-bench-${process.pid}${suffix}`)
  atEnd(async () => {
    // A service that had to be killed leaves its PostgreSQL running. Who joins it and leaves as the last one stops it.
    if (existsSync(postmasterFile(dataDir))) await (await startEmbeddedPostgres({ dataDir, log })).stop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  return dataDir
}

const postmasterFile = (dataDir: string) => join(dataDir, 'postgres', 'postmaster.pid')

export interface JoinedDatabase {
  readonly connection: pg.ClientConfig
  readonly db: Database
  /** The process whose children serve the connections. */
  readonly pid: number
  leave(): Promise<void>
}

/** Joins the embedded PostgreSQL that the service runs in this folder. It stays up until we leave it, too. */
export async function joinDatabase(dataDir: string): Promise<JoinedDatabase> {
  const embedded = await startEmbeddedPostgres({ dataDir, log })
  const db = Database.connect(embedded.connection, { clock: systemClock })
  const leave = atEnd(async () => {
    await db.close()
    await embedded.stop()
  })
  const pid = Number.parseInt(readFileSync(postmasterFile(dataDir), 'utf8'), 10)
  return { connection: embedded.connection, db, pid, leave }
}

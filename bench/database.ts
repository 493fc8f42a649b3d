import type pg from 'pg'
import { Database } from '../src/platform/db/database.ts'
import { startEmbeddedPostgres } from '../src/platform/postgres/embedded.ts'
import { atEnd } from './cleanup.ts'

export interface JoinedDatabase {
  readonly connection: pg.ClientConfig
  readonly db: Database
  leave(): Promise<void>
}

/** Joins the embedded PostgreSQL that the service runs in this folder. It stays up until we leave it, too. */
export async function joinDatabase(dataDir: string): Promise<JoinedDatabase> {
  const embedded = await startEmbeddedPostgres({ dataDir, log: { info() {}, warn: (text) => console.error(text) } })
  const db = new Database(embedded.connection)
  const leave = atEnd(async () => {
    await db.close()
    await embedded.stop()
  })
  return { connection: embedded.connection, db, leave }
}

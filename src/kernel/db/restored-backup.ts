import type pg from 'pg'
import type { Queryable } from './database.ts'
import { sql } from './sql.ts'

/** Where a database came from that was restored and is not to send anything yet. */
export interface RestoredBackup {
  readonly name: string
  readonly madeAt: Date
  readonly restoredAt: Date
}

/** In the transaction of the restore: from its first moment on nothing is sent. */
export async function noteRestored(client: pg.ClientBase, { name, madeAt, restoredAt }: RestoredBackup) {
  await client.query(
    sql.write`
      insert into restored_backups (name, made_at, restored_at) values (${name}, ${madeAt}, ${restoredAt})`.toQuery(),
  )
}

/** Null: this database was not restored, or the operator has finished with it. */
export async function findRestored(db: Pick<Queryable, 'query'>): Promise<RestoredBackup | null> {
  const [row] = await db.query<RestoredBackup>(sql`
    select name, made_at as "madeAt", restored_at as "restoredAt" from restored_backups`)
  return row ?? null
}

/** The same for whoever looks at a database that may have no tables yet. */
export async function readRestored(client: pg.ClientBase): Promise<RestoredBackup | null> {
  const { rows } = await client.query<{ isThere: boolean }>(
    `select to_regclass('restored_backups') is not null as "isThere"`,
  )
  return rows[0]!.isThere
    ? findRestored({ query: async (statement) => (await client.query(statement.toQuery())).rows })
    : null
}

/** From the next start on everything is sent. Null: there was nothing to finish. */
export async function finishRestored(db: Queryable): Promise<RestoredBackup | null> {
  const [row] = await db.query<RestoredBackup>(sql.write`
    delete from restored_backups returning name, made_at as "madeAt", restored_at as "restoredAt"`)
  return row ?? null
}

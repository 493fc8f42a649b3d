import type pg from 'pg'
import type { BlobStore } from '../../../adapters/blobs/blob-store.ts'
import { openBlobStore } from '../../../adapters/blobs/open-blob-store.ts'
import { adoptCellKeys } from '../../../features/cells/index.ts'
import { Connector } from '../../../kernel/db/connector.ts'
import type { Database, Transaction } from '../../../kernel/db/database.ts'
import { LIMITS } from '../../../kernel/db/limits.ts'
import type { Sql } from '../../../kernel/db/sql.ts'
import { openSealer, type Sealer } from '../../../kernel/secrets.ts'
import { systemClock } from '../../../platform/clock.ts'
import { type Config, publicUrl } from '../../../platform/settings/config.ts'
import { OperatorError } from '../command.ts'
import { requireDatabase } from '../database.ts'
import { SESSION } from '../export/format.ts'
import { quiet } from '../quiet.ts'

/** One of the two cells of a move. */
export interface Side {
  readonly cell: string
  readonly url: string
  readonly db: Database
  /** A session of its own: rows are read in snapshots, and written without triggers. */
  readonly client: pg.Client
  readonly sealer: Sealer
  readonly blobs: BlobStore
  close(): Promise<void>
}

export async function openSide(config: Config, which: 'this' | 'the other'): Promise<Side> {
  if (config.CELL === undefined)
    throw new OperatorError(`POSTWREN_CELL of ${which} cell is not set: a team can only move between cells with names.`)
  const { db, connection, close } = await requireDatabase(config, quiet)
  try {
    const [sealer, blobs] = [await openSealer(db, config), await openBlobStore(config)]
    // A team that came from a third cell takes the keys of that one along.
    await adoptCellKeys(db, sealer)
    const { client } = await new Connector(connection, LIMITS).connect({
      name: 'postwren cell move',
      settings: { ...SESSION, statement_timeout: '0', idle_in_transaction_session_timeout: '0' },
    })
    return {
      ...{ cell: config.CELL, url: publicUrl(config), db, client, sealer, blobs },
      async close() {
        await client.end().catch(() => {})
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** The session of a side, for what takes a transaction. Whoever uses it begins and ends that. */
export const within = ({ client }: Pick<Side, 'client'>): Transaction => ({
  clock: systemClock,
  async query<Row>(statement: Sql) {
    const { text, values } = statement.toQuery()
    return (await client.query(text, values)).rows as Row[]
  },
  announce() {},
})

/** In a transaction of the session. */
export async function inTransaction<Result>(side: Side, work: (trx: Transaction) => Promise<Result>): Promise<Result> {
  await side.client.query('begin')
  try {
    const result = await work(within(side))
    await side.client.query('commit')
    return result
  } catch (error) {
    await side.client.query('rollback').catch(() => {})
    throw error
  }
}

/**
 * Rows are copied as they are, with what triggers have made of them: counts, documents of the search, pending events. So the session that writes
 * them fires no triggers, as one of a replica. PostgreSQL lets superusers do that, and whom they allow to.
 */
export async function withoutTriggers({ client }: Side) {
  try {
    await client.query('set session_replication_role = replica')
  } catch (error) {
    if ((error as { code?: string }).code !== '42501') throw error
    const { rows } = await client.query('select current_user as role')
    throw new OperatorError(
      `The database role ${rows[0].role} of the other cell may not set session_replication_role, which a move needs. As a superuser there: grant set on parameter session_replication_role to ${rows[0].role};`,
    )
  }
}

import { setTimeout as wait } from 'node:timers/promises'
import { isLockTimeout } from '../../platform/database-errors.ts'
import { type Database, pooled, type Transaction } from '../db/database.ts'
import { raw, sql } from '../db/sql.ts'
import type { PartitionedTable } from './tables.ts'

/** Others wait behind whoever waits for a lock: so short, and again in a moment. */
const LOCK_MS = 100
const PAUSE_MS = 250
const MAX_TRIES = 40

/** A transaction that changes tables. It gives up at once where it would have to wait, and is tried again. */
export async function briefly<Result>(db: Database, work: (trx: Transaction) => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction(async (trx) => {
        await trx.query(sql`${raw(`set local lock_timeout = ${LOCK_MS}`)}`)
        return work(trx)
      })
    } catch (error) {
      if (!isLockTimeout(error) || tries === MAX_TRIES) throw error
      await wait(PAUSE_MS)
    }
  }
}

/** Without a lock that anybody feels: it waits for transactions that have begun before, and who begins later does not see the partition. */
export const detach = (db: Database, { name }: PartitionedTable, partition: string) =>
  pooled(db).query(sql`${raw(`alter table ${name} detach partition ${partition} concurrently`)}`)

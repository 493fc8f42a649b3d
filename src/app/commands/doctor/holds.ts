import type pg from 'pg'
import { ALL_MAIL, type HoldScope, listHolds } from '../../../features/limits/holds.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import type { Sql } from '../../../kernel/db/sql.ts'
import { systemClock } from '../../../platform/clock.ts'
import { type Finding, warning } from './finding.ts'

/** Mail that somebody holds back, and may have forgotten. */
export async function checkHolds(client: pg.Client): Promise<Finding[]> {
  // A database that is older than holds has none; of one that is to be migrated nothing is said.
  const there = await client.query<{ isThere: boolean }>(
    `select exists (select from pg_attribute where attrelid = to_regclass('delivery_holds') and attname = 'tag') as "isThere"`,
  )
  if (!there.rows[0]!.isThere) return []
  const query = async (statement: Sql) => (await client.query(statement.toQuery())).rows
  const holds = await listHolds({ clock: systemClock, query } as Queryable)
  if (holds.length === 0) return []
  const isAll = holds.some((hold) => Object.keys(ALL_MAIL).every((name) => !hold[name as keyof HoldScope]))
  const what = holds.length === 1 ? '1 hold keeps mail back' : `${holds.length} holds keep mail back`
  return [warning('holds', `${isAll ? 'All mail is on hold' : what}. See: postwren queue holds`)]
}

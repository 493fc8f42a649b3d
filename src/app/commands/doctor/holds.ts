import type pg from 'pg'
import { listHolds } from '../../../features/limits/holds.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import type { Sql } from '../../../kernel/db/sql.ts'
import { systemClock } from '../../../platform/clock.ts'
import { type Finding, warning } from './finding.ts'

/** Mail that somebody holds back, and may have forgotten. */
export async function checkHolds(client: pg.Client): Promise<Finding[]> {
  // A database that is older than holds has none.
  const there = await client.query<{ isThere: boolean }>(
    `select to_regclass('delivery_holds') is not null as "isThere"`,
  )
  if (!there.rows[0]!.isThere) return []
  const query = async (statement: Sql) => (await client.query(statement.toQuery())).rows
  const holds = await listHolds({ clock: systemClock, query } as Queryable)
  if (holds.length === 0) return []
  const isAll = holds.some(({ team, recipientDomain, senderDomain }) => !team && !recipientDomain && !senderDomain)
  const what = holds.length === 1 ? '1 hold keeps mail back' : `${holds.length} holds keep mail back`
  return [warning('holds', `${isAll ? 'All mail is on hold' : what}. See: postwren queue holds`)]
}

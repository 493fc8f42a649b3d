import type pg from 'pg'
import { type Finding, warning } from './finding.ts'

/** Mail that somebody holds back, and may have forgotten. A database that is older than holds has none. */
export async function checkHolds(client: pg.Client): Promise<Finding[]> {
  const there = await client.query<{ isThere: boolean }>(
    `select to_regclass('delivery_holds') is not null as "isThere"`,
  )
  if (!there.rows[0]!.isThere) return []
  const { rows } = await client.query<{ count: number; isAll: boolean | null }>(`
    select count(*)::int as count, bool_or(num_nonnulls(team_id, recipient_domain, sender_domain) = 0) as "isAll" from delivery_holds`)
  const { count, isAll } = rows[0]!
  if (count === 0) return []
  const what = isAll ? 'All mail is on hold' : count === 1 ? '1 hold keeps mail back' : `${count} holds keep mail back`
  return [warning('holds', `${what}. See: postwren queue holds`)]
}

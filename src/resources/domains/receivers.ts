import { toAsciiDomain } from '../../mail/address.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'

/** Whose mail it is that comes to this domain, and whether that team wants to receive. */
export async function findReceiver(
  db: Queryable,
  domainName: string,
): Promise<{ team: string; isReceiving: boolean } | undefined> {
  const [row] = await db.query<{ team: string; isReceiving: boolean }>(sql`
    select team_id as team, receiving as "isReceiving" from domains
    where name = ${toAsciiDomain(domainName)} and not is_placeholder`)
  return row
}

import type { Queryable } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { AddressPattern } from '../../../mail/address-pattern.ts'

/** Why an address cannot be erased as it stands: it is how somebody signs in, or where a team gets its mail. Null: it can. */
export async function findObstacle(
  { db }: { readonly db: Queryable },
  address: string,
  team: string | null,
): Promise<string | null> {
  const pattern = new AddressPattern(address)
  const [user] = await db.query<{ email: string }>(sql`
    select u.email from users u where lower(u.email) = lower(${pattern.address})
      and (${team}::uuid is null or exists (select from memberships m where m.user_id = u.id and m.team_id = ${team}::uuid))`)
  if (user)
    return team === null
      ? `${user.email} signs in to the dashboard. Remove the user first: postwren user remove ${user.email}`
      : 'This address belongs to a member of the team. Remove the member first.'
  const [inbox] = await db.query<{ name: string }>(sql`
    select i.name from inboxes i where i.email_address = ${pattern.address} and (${team}::uuid is null or i.team_id = ${team}::uuid)
    limit 1`)
  return inbox ? `This is the address of the inbox ${inbox.name}. Delete the inbox first.` : null
}

/** The teams that had to do with a person who was erased. */
export async function findSuppressing(db: Queryable, digest: string): Promise<string[]> {
  const rows = await db.query<{ team: string }>(sql`
    select t.id as team from teams t join suppressions s on s.team_id = t.id and lower(s.email) = ${digest}`)
  return rows.map(({ team }) => team)
}

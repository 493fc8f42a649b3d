import type { Queryable } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { OperatorError, oneLine } from '../command.ts'
import { lastMigration } from '../export/format.ts'
import type { Side } from './side.ts'

/** What would stop a move later is said before it begins. */
export async function requireMovable({ from, to, team }: { from: Side; to: Side; team: string }) {
  const [here, there] = await Promise.all(
    [from, to].map(({ client }) => lastMigration(async (text) => (await client.query(text)).rows)),
  )
  if (here !== there)
    throw new OperatorError(`The cells run different versions (${here}, ${there}). Upgrade both to the same one first.`)
  const [own] = await from.db.query<{ name: string; isToBeDeleted: boolean; isHeld: boolean }>(sql`
    select name, delete_at is not null as "isToBeDeleted",
      exists (select from delivery_holds where team_id = ${team}) as "isHeld"
    from teams where id = ${team}`)
  if (own!.isToBeDeleted) throw new OperatorError('This team is about to be deleted.')
  if (own!.isHeld)
    throw new OperatorError('An operator holds mail of this team. Release it first: postwren queue release')
  await requireNoPersonalData(from.db, team)
  const taken = await to.db.query(sql`select 1 as found from teams where name = ${own!.name} and id <> ${team}`)
  if (taken.length > 0)
    throw new OperatorError(`The other cell has another team named ${oneLine(own!.name)}. Rename one of them first.`)
  const domains = await from.db.query<{ name: string }>(sql`select name from domains where team_id = ${team}`)
  const [domain] = await to.db.query<{ name: string }>(sql`
    select name from domains where name = any (${domains.map(({ name }) => name)}::text[]) and team_id <> ${team}`)
  if (domain)
    throw new OperatorError(
      `The domain ${domain.name} belongs to another team of the other cell. Delete it there first.`,
    )
}

/** What was asked about a person stays with the address in this cell, and would never be done: neither an erasure nor the second search of the log behind it. */
export async function requireNoPersonalData(db: Queryable, team: string) {
  const open = await db.query(sql`
    select 1 as found from personal_data_requests where team_id = ${team} and completed_at is null
    union all
    select 1 from jobs where payload ->> 'team' = ${team} and name like 'personal-data.%' and failed_at is null
    limit 1`)
  if (open.length > 0)
    throw new OperatorError(
      'The data of a person is being searched or erased in this team, which takes until ten minutes after it is reported as erased. Run the same command again then.',
    )
}

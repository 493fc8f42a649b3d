import { type RowKey, type Sql, sql } from '../../kernel/db/sql.ts'

// What statements of others read received mail through. A piece calls an email `e`, its bodies `b`, an attachment `a`. After one with
// `where` another condition may follow.

/** The received emails of a team. */
export const receivedOf = (team: string | Sql): Sql => sql`received_emails e where e.team_id = ${team}`

export const joinReceived = ({ team, id }: RowKey): Sql =>
  sql`join received_emails e on e.team_id = ${team} and e.id = ${id}`

export const RECEIVED_WITH_BODIES = sql`
  received_emails e left join received_bodies b on b.team_id = e.team_id and b.received_id = e.id`

/** The bodies of all received emails of a team. */
export const receivedBodies = (team: string | Sql): Sql => sql`received_bodies b where b.team_id = ${team}`

export const receivedBodiesOf = ({ team, id }: RowKey): Sql => sql`${receivedBodies(team)} and b.received_id = ${id}`

export const receivedAttachmentsOf = ({ team, id }: RowKey): Sql => sql`
  received_attachments a where a.team_id = ${team} and a.received_id = ${id}`

/** Whether somebody has written to the team from this address, which is in lower case. Who is not trusted has to be proven by what the message brought. */
export const hasWritten = ({
  team,
  address,
  isTrusting,
}: {
  readonly team: Sql
  readonly address: Sql
  readonly isTrusting: Sql
}): Sql => sql`
  exists (select from known_senders s where s.team_id = ${team} and s.address = ${address} and (s.is_proven or ${isTrusting}))`

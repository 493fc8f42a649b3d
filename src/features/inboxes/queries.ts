import type { Static } from 'typebox'
import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { assignments, columnsOf, columnValues, differences, insertion, newRow } from '../../kernel/http/columns.ts'
import type { Rows } from '../../kernel/http/rows.ts'
import { comparableAddress, withoutTag } from '../../mail/address.ts'
import { Inbox, InboxItem, UpdateInbox } from './schema.ts'

export type StoredInbox = Static<typeof Inbox>

export const inboxRows = (team: string): Rows => ({
  columns: columnsOf(InboxItem, 'i'),
  from: sql`inboxes i`,
  where: sql`i.team_id = ${team}`,
  id: sql`i.id`,
})

const COLUMNS = columnsOf(Inbox, 'i')

/** One inbox of a team. */
export type InboxName = { readonly id: string } | { readonly address: string }

export async function findInbox(db: Queryable, team: string, name: InboxName): Promise<StoredInbox | undefined> {
  const isNamed = 'id' in name ? sql`i.id = ${name.id}` : sql`i.email_address = ${comparableAddress(name.address)}`
  const [row] = await db.query<StoredInbox>(sql`
    select ${COLUMNS} from inboxes i where i.team_id = ${team} and ${isNamed}`)
  return row
}

/** All of a team, the one that got mail last first. */
export async function findInboxIds(db: Queryable, team: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from inboxes where team_id = ${team} order by last_received desc nulls last, id`)
  return rows.map(({ id }) => id)
}

export interface NewInbox {
  readonly name: string
  readonly email_address: string
  readonly domain_id: string
  readonly receiving_address: string | null
  readonly from_name: string | null
}

/** Undefined: the team has an inbox of this address. */
export async function insertInbox(db: Queryable, team: string, inbox: NewInbox): Promise<StoredInbox | undefined> {
  const [row] = await db.query<StoredInbox>(sql.write`
    insert into inboxes as i ${insertion({ ...newRow(db, team), ...inbox })}
    on conflict (team_id, email_address) do nothing returning ${COLUMNS}`)
  return row
}

/** Nothing when there is nothing to change. */
export async function updateInbox(
  db: Queryable,
  team: string,
  id: string,
  changes: Static<typeof UpdateInbox>,
): Promise<StoredInbox | undefined> {
  const values = columnValues(UpdateInbox, changes)
  const [row] = await db.query<StoredInbox>(sql.write`
    update inboxes i set ${assignments(values, db.clock.of(team).now())}
    where i.team_id = ${team} and i.id = ${id} and (${differences(values, 'i')}) returning ${COLUMNS}`)
  return row
}

/** Knows no team: these addresses are unique in the installation. A tag makes no difference. */
export async function findForwardingTeam(db: Queryable, address: string): Promise<string | undefined> {
  const [row] = await db.query<{ team: string }>(sql`
    select team_id as team from inboxes where receiving_address = ${withoutTag(comparableAddress(address))}`)
  return row?.team
}

export const deleteInbox = (db: Queryable, team: string, id: string) =>
  db.query(sql.write`delete from inboxes where team_id = ${team} and id = ${id}`)

/** Their files become loose, by a trigger. */
export const deleteDraftsOf = (db: Queryable, team: string, threads: readonly string[]) =>
  db.query(sql.write`delete from inbox_drafts where team_id = ${team} and thread_id = any (${threads}::uuid[])`)

import type { Static } from 'typebox'
import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { columnsOf, columnValues, insertion, newUndatedRow, undatedAssignments } from '../../kernel/http/columns.ts'
import type { Rows } from '../../kernel/http/rows.ts'
import { ContactPropertyItem, CreateContactProperty, type PropertyType, UpdateContactProperty } from './schema.ts'

const COLUMNS = columnsOf(ContactPropertyItem, 'p')

export const contactPropertyRows = (team: string): Rows => ({
  columns: COLUMNS,
  from: sql`contact_properties p`,
  where: sql`p.team_id = ${team}`,
  id: sql`p.id`,
})

export interface PropertyDefinition {
  readonly id: string
  readonly key: string
  readonly type: PropertyType
}

/** Undefined when the key is taken. */
export async function insertContactProperty(
  db: Queryable,
  team: string,
  property: Static<typeof CreateContactProperty>,
): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(sql.write`
    insert into contact_properties ${insertion({
      ...newUndatedRow(db, team),
      ...columnValues(CreateContactProperty, property),
    })}
    on conflict (team_id, key) do nothing returning id`)
  return row?.id
}

export const updateContactProperty = (
  db: Queryable,
  team: string,
  id: string,
  changes: Static<typeof UpdateContactProperty>,
) =>
  db.query(sql.write`
    update contact_properties set ${undatedAssignments(columnValues(UpdateContactProperty, changes))}
    where team_id = ${team} and id = ${id}`)

export async function deleteContactProperty(db: Queryable, team: string, id: string): Promise<boolean> {
  const rows = await db.query(
    sql.write`delete from contact_properties where team_id = ${team} and id = ${id} returning id`,
  )
  return rows.length > 0
}

export const findProperties = (db: Queryable, team: string, keys: readonly string[]) =>
  db.query<PropertyDefinition>(sql`
    select id, key, type from contact_properties where team_id = ${team} and key = any (${keys}::text[])`)

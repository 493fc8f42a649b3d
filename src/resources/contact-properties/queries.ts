import { columnsOf } from '../../http/columns.ts'
import type { Rows } from '../../http/rows.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import { newId } from '../../platform/ids.ts'
import { ContactPropertyItem, type PropertyType } from './schema.ts'

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
  property: { key: string; type: PropertyType; fallback_value?: unknown },
): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(sql`
    insert into contact_properties (team_id, id, key, type, fallback_value)
    values (${team}, ${newId()}, ${property.key}, ${property.type}, ${toJson(property.fallback_value)})
    on conflict (team_id, key) do nothing returning id`)
  return row?.id
}

export const updateFallback = (db: Queryable, team: string, id: string, value: unknown) =>
  db.query(sql`
    update contact_properties set fallback_value = ${toJson(value)} where team_id = ${team} and id = ${id}`)

export async function deleteContactProperty(db: Queryable, team: string, id: string): Promise<boolean> {
  const rows = await db.query(sql`delete from contact_properties where team_id = ${team} and id = ${id} returning id`)
  return rows.length > 0
}

export const findProperties = (db: Queryable, team: string, keys: readonly string[]) =>
  db.query<PropertyDefinition>(sql`
    select id, key, type from contact_properties where team_id = ${team} and key = any (${keys}::text[])`)

const toJson = (value: unknown) => (value === null || value === undefined ? null : JSON.stringify(value))

import type { Static } from 'typebox'
import type { Queryable } from '../../kernel/db/database.ts'
import { type Sql, sql } from '../../kernel/db/sql.ts'
import { assignments, columnsOf, columnValues, insertion, newUndatedRow } from '../../kernel/http/columns.ts'
import type { Rows } from '../../kernel/http/rows.ts'
import { isId } from '../../platform/ids.ts'
import { CreateEvent, EventItem, type EventSchema, UpdateEvent } from './schema.ts'

const COLUMNS = columnsOf(EventItem, 'd')

export const eventRows = (team: string): Rows => ({
  columns: COLUMNS,
  from: sql`event_definitions d`,
  where: sql`d.team_id = ${team}`,
  id: sql`d.id`,
})

/** `:idOrName` of a path as the id of a definition. A name may look like an id: what has the id comes first. */
const idOf = (team: string, idOrName: string): Sql =>
  isId(idOrName)
    ? sql`(select id from event_definitions where team_id = ${team} and (id = ${idOrName} or name = ${idOrName})
        order by name = ${idOrName} limit 1)`
    : sql`(select id from event_definitions where team_id = ${team} and name = ${idOrName})`

export async function findEvent(db: Queryable, team: string, idOrName: string) {
  const [row] = await db.query<Static<typeof EventItem>>(sql`
    select ${COLUMNS} from event_definitions d where d.team_id = ${team} and d.id = ${idOf(team, idOrName)}`)
  return row
}

/** Undefined when the name is taken. */
export async function insertEvent(
  db: Queryable,
  team: string,
  event: Static<typeof CreateEvent>,
): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(sql.write`
    insert into event_definitions ${insertion({ ...newUndatedRow(db, team), ...columnValues(CreateEvent, event) })}
    on conflict (team_id, name) do nothing returning id`)
  return row?.id
}

export async function updateEvent(
  db: Queryable,
  team: string,
  idOrName: string,
  changes: Static<typeof UpdateEvent>,
): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(sql.write`
    update event_definitions set ${assignments(columnValues(UpdateEvent, changes), db.clock.of(team).now())}
    where team_id = ${team} and id = ${idOf(team, idOrName)} returning id`)
  return row?.id
}

export async function deleteEvent(db: Queryable, team: string, idOrName: string): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(sql.write`
    delete from event_definitions where team_id = ${team} and id = ${idOf(team, idOrName)} returning id`)
  return row?.id
}

/** Null: nothing was said about the payload of the event. */
export async function findSchema(db: Queryable, team: string, name: string): Promise<EventSchema | null> {
  const [row] = await db.query<{ schema: EventSchema | null }>(sql`
    select schema from event_definitions where team_id = ${team} and name = ${name}`)
  return row?.schema ?? null
}

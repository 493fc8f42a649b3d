import type { Static } from 'typebox'
import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { assignments, columnsOf, columnValues, differences, insertion, newRow } from '../../kernel/http/columns.ts'
import type { Rows } from '../../kernel/http/rows.ts'
import { isId } from '../../platform/ids.ts'
import { CreateTopic, TopicItem, UpdateTopic } from './schema.ts'

const COLUMNS = columnsOf(TopicItem, 't')

export const topicRows = (team: string): Rows => ({
  columns: COLUMNS,
  from: sql`topics t`,
  where: sql`t.team_id = ${team}`,
  id: sql`t.id`,
  omitsNulls: true,
})

/** What an event says about a topic. Statements that change one return it, so that it says what they left behind. */
const event = (isDeleted: boolean) => sql`
  json_build_object('id', id, 'name', name, 'description', description, 'default_subscription', default_subscription,
    'deleted', ${isDeleted}::boolean, 'created_at', iso_time(created_at), 'updated_at', iso_time(updated_at)) as event`

type TopicEvent = { event: { id: string } }

export async function insertTopic(db: Queryable, team: string, topic: Static<typeof CreateTopic>) {
  const [row] = await db.query<TopicEvent>(sql.write`
    insert into topics ${insertion({ ...newRow(db, team), ...columnValues(CreateTopic, topic) })}
    returning ${event(false)}`)
  return row!.event
}

/** Nothing when there is nothing to change. */
export async function updateTopic(db: Queryable, team: string, id: string, changes: Static<typeof UpdateTopic>) {
  const values = columnValues(UpdateTopic, changes)
  const [row] = await db.query<TopicEvent>(sql.write`
    update topics t set ${assignments(values, db.clock.of(team).now())}
    where team_id = ${team} and id = ${id} and (${differences(values, 't')}) returning ${event(false)}`)
  return row?.event
}

export async function deleteTopic(db: Queryable, team: string, id: string) {
  const [row] = await db.query<TopicEvent>(sql.write`
    delete from topics where team_id = ${team} and id = ${id} returning ${event(true)}`)
  return row?.event
}

export async function countTopics(db: Queryable, team: string, ids: readonly string[]): Promise<number> {
  const rows = await db.query(
    sql`select id from topics where team_id = ${team} and id = any (${ids}::uuid[]) for key share`,
  )
  return rows.length
}

/** The ids of those with these names or ids, by what was given; of several with one name it is the first. */
export async function findTopicsNamed(
  db: Queryable,
  team: string,
  given: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db.query<{ id: string; name: string }>(sql`
    select id, name from topics where team_id = ${team} and (name = any (${given}::text[]) or id = any (${given.filter(isId)}::uuid[]))
    order by id desc`)
  return new Map(rows.flatMap(({ id, name }) => [[name, id] as const, [id, id] as const]))
}

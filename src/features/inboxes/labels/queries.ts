import type { Static } from 'typebox'
import type { Queryable } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { assignments, columnsOf, columnValues, differences, insertion, newRow } from '../../../kernel/http/columns.ts'
import type { InboxRef } from '../threads/queries.ts'
import { Label, UpdateLabel } from './schema.ts'

const COLUMNS = columnsOf(Label, 'l')

type StoredLabel = Static<typeof Label>

/** All of an inbox: they are few. */
export const findLabels = (db: Queryable, { team, inbox }: InboxRef) =>
  db.query<StoredLabel>(sql`
    select ${COLUMNS} from inbox_labels l where l.team_id = ${team} and l.inbox_id = ${inbox} order by lower(l.name)`)

export async function countLabels(db: Queryable, { team, inbox }: InboxRef, ids?: readonly string[]) {
  const [row] = await db.query<{ labels: number }>(sql`
    select count(*)::int as labels from inbox_labels
    where team_id = ${team} and inbox_id = ${inbox} ${ids ? sql`and id = any (${ids}::uuid[])` : sql``}`)
  return row!.labels
}

/** Undefined: there is one of this name. */
export async function insertLabel(
  db: Queryable,
  { team, inbox }: InboxRef,
  label: { name: string; color: string },
): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(sql.write`
    insert into inbox_labels ${insertion({ ...newRow(db, team), inbox_id: inbox, ...label })}
    on conflict (team_id, inbox_id, lower(name)) do nothing returning id`)
  return row?.id
}

/** Whether another label of the inbox has this name. */
export async function isTaken(db: Queryable, { team, inbox }: InboxRef, name: string, id: string): Promise<boolean> {
  const rows = await db.query(sql`
    select id from inbox_labels
    where team_id = ${team} and inbox_id = ${inbox} and lower(name) = lower(${name}) and id <> ${id}`)
  return rows.length > 0
}

export async function updateLabel(
  db: Queryable,
  { team, inbox }: InboxRef,
  id: string,
  changes: Static<typeof UpdateLabel>,
) {
  const values = columnValues(UpdateLabel, changes)
  await db.query(sql.write`
    update inbox_labels l set ${assignments(values, db.clock.of(team).now())}
    where l.team_id = ${team} and l.inbox_id = ${inbox} and l.id = ${id} and (${differences(values, 'l')}) returning l.id`)
}

export async function deleteLabel(db: Queryable, { team, inbox }: InboxRef, id: string): Promise<boolean> {
  const rows = await db.query(sql.write`
    delete from inbox_labels where team_id = ${team} and inbox_id = ${inbox} and id = ${id} returning id`)
  return rows.length > 0
}

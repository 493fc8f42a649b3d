import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import type { MessagesServices } from './services.ts'

/** Of one statement: more messages are labelled one after the other. */
const BATCH = 1_000
/** Messages whose labels are listed. */
const MAX_LISTED = 10_000

/** What a team calls its messages, and how many it calls so. Only the newest labelled ones are looked at. */
export const findLabels = (db: Queryable, team: string) =>
  db.query<{ label: string; count: number }>(sql`
    select label, count(*)::int as count from (
      select k.labels from message_marks k where k.team_id = ${team} and k.labels <> '{}'
      order by k.message_id desc limit ${MAX_LISTED}) k, unnest(k.labels) as label
    group by label order by lower(label), label`)

/** Gives a label another name, or takes it away. A message that has both names already keeps one. */
export async function renameLabel({ db }: MessagesServices, { team }: Actor, label: string, name: string | null) {
  const renamed =
    name === null
      ? sql`array_remove(k.labels, ${label})`
      : sql`case when ${name} = any (k.labels) then array_remove(k.labels, ${label})
          else array_replace(k.labels, ${label}, ${name}) end`
  if (name === label) return
  for (;;) {
    const changed = await db.query(sql.write`
      update message_marks k set labels = ${renamed}
      where k.team_id = ${team} and k.message_id in (
        select m.message_id from message_marks m
        where m.team_id = ${team} and m.labels <> '{}' and m.labels @> array[${label}]::text[]
        order by m.message_id limit ${BATCH} for update)
      returning k.message_id`)
    if (changed.length < BATCH) return
  }
}

import type { Static } from 'typebox'
import type { Queryable } from '../../../kernel/db/database.ts'
import { raw, type Sql, sql } from '../../../kernel/db/sql.ts'
import { columnsOf } from '../../../kernel/http/columns.ts'
import type { Rows } from '../../../kernel/http/rows.ts'
import { currentThread, threadsIn } from '../filing/folders.ts'
import { SHOWN_FOLDER, SHOWN_LABELS, SHOWN_THREAD } from '../filing/shown.ts'
import type { ThreadChoice } from './filter.ts'
import { type Thread, ThreadItem } from './schema.ts'

/** An inbox of a team. */
export interface InboxRef {
  readonly team: string
  readonly inbox: string
}

/** Of `inbox_threads t` with what `WITH_MESSAGES` adds. */
export const threadColumns = ({ showsText }: { showsText: boolean }): Sql =>
  columnsOf(ThreadItem, 't', {
    from: raw('shown."from"'),
    ...Object.fromEntries(['to', 'cc', 'bcc'].map((name) => [name, raw(`coalesce(shown."${name}", '[]')`)])),
    labels: SHOWN_LABELS,
    email_count: raw('t.emails'),
    has_attachment: raw('t.with_attachment > 0'),
    has_draft: raw('t.drafts > 0'),
    read: raw('t.unread = 0'),
    received_at: raw('iso_time(coalesce(newest.created_at, t.created_at))'),
    folder: SHOWN_FOLDER,
    snippet: showsText ? raw("coalesce(newest.snippet, '')") : raw("''"),
  })

/** The message whose people are shown, and the newest one. */
export const WITH_MESSAGES: Sql = sql`
  left join lateral (
    select m."from", m."to", m.cc, m.bcc from inbox_messages m
    where m.team_id = t.team_id and m.inbox_id = t.inbox_id and m.id = t.shown_id limit 1) shown on true
  left join lateral (
    select m.created_at, m.snippet from inbox_messages m
    where m.team_id = t.team_id and m.inbox_id = t.inbox_id and m.id = t.newest_id limit 1) newest on true`

const COLUMNS = { whole: threadColumns({ showsText: true }), veiled: threadColumns({ showsText: false }) }

/**
 * Threads by their newest message. The cursor is the thread that a page ended with, wherever it is by now; of one that is gone its id
 * tells when it began.
 */
export function threadRows(
  { team, inbox }: InboxRef,
  choice: ThreadChoice,
  { showsText }: { showsText: boolean },
): Rows {
  const isFiltered = choice.labels.length > 0 || choice.isRead !== undefined
  return {
    columns: showsText ? COLUMNS.whole : COLUMNS.veiled,
    from: sql`inbox_threads t`,
    where: sql`t.team_id = ${team} and t.inbox_id = ${inbox} ${filterOf(choice)}`,
    id: sql`t.id`,
    order: { by: sql`t.newest_id`, positionOf: (cursor) => positionOf({ team, inbox }, cursor) },
    parts: threadsIn(choice.folders),
    joined: { of: sql`t`, with: WITH_MESSAGES },
    isFiltered,
  }
}

/** Besides the folders, of `inbox_threads t`. */
export const filterOf = ({ labels, isRead }: ThreadChoice): Sql => sql`
  ${labels.length === 0 ? sql`` : sql`and t.labels && ${labels}::uuid[]`}
  ${isRead === undefined ? sql`` : isRead ? sql`and t.unread = 0` : sql`and t.unread > 0`}`

const positionOf = ({ team, inbox }: InboxRef, cursor: string): Sql => sql`
  coalesce((
    select c.newest_id from inbox_threads c
    where c.team_id = ${team} and c.inbox_id = ${inbox} and c.id = ${currentThread(team, cursor)}), ${cursor}::uuid)`

/** A thread as it is shown, also by the id of one that has become part of it. */
export async function findThread(db: Queryable, { team, inbox }: InboxRef, id: string) {
  const [row] = await db.query<{ thread: Static<typeof Thread> }>(sql`
    select ${SHOWN_THREAD} as thread from inbox_threads t
    where t.team_id = ${team} and t.inbox_id = ${inbox} and t.id = ${currentThread(team, id)}`)
  return row?.thread
}

/** The current id of each thread, in the order given: a merged thread has the id of the one it is part of. Null: deleted. */
export async function findCurrentIds(db: Queryable, { team, inbox }: InboxRef, ids: readonly string[]) {
  const rows = await db.query<{ id: string | null }>(sql`
    select t.id from unnest(${ids}::uuid[]) with ordinality as given (id, position)
    left join merged_inbox_threads g on g.team_id = ${team} and g.id = given.id
    left join inbox_threads t on t.team_id = ${team} and t.inbox_id = ${inbox} and t.id = coalesce(g.into_id, given.id)
    order by given.position`)
  return rows.map(({ id }) => id)
}

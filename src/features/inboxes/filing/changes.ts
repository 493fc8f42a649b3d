import type { Queryable, Transaction } from '../../../kernel/db/database.ts'
import { anyTeam, sql } from '../../../kernel/db/sql.ts'
import { recordThreadEvents, type ThreadRef } from './events.ts'
import { currentThread, type ThreadFolder } from './folders.ts'
import { lockInbox } from './lock.ts'
import type { ChangeSource } from './message.ts'

// What is done to threads, by people and by the agent. Each locks the inbox, follows a thread that has become part of another, and
// returns whether there was something to change: if not, nothing is written and nothing told.

interface Thread {
  readonly id: string
  readonly folder: ThreadFolder
  readonly labels: readonly string[]
  readonly assignee: string | null
  readonly unread: number
  /** The newest that was received, or else the newest. */
  readonly shownId: string
}

async function lockThread(trx: Transaction, { team, inbox, thread }: ThreadRef): Promise<Thread | undefined> {
  await lockInbox(trx, team, inbox)
  const [row] = await trx.query<Thread>(sql`
    select id, folder, labels, assignee_email as assignee, unread, shown_id as "shownId" from inbox_threads
    where team_id = ${team} and inbox_id = ${inbox} and id = ${currentThread(team, thread)}`)
  return row
}

/** From the trash it is deleted after a while, in the time of the team. */
export async function moveThread(
  trx: Transaction,
  ref: ThreadRef,
  folder: ThreadFolder,
  source: ChangeSource,
): Promise<boolean> {
  const thread = await lockThread(trx, ref)
  if (!thread || thread.folder === folder) return false
  await trx.query(sql.write`
    update inbox_threads set folder = ${folder}, trashed_at = ${folder === 'trash' ? trx.clock.of(ref.team).now() : null}
    where team_id = ${ref.team} and id = ${thread.id}`)
  const change = { from: thread.folder, to: folder }
  await recordThreadEvents(trx, [
    { ref: { ...ref, thread: thread.id }, type: 'inbox.thread.folder.updated', source, extra: change },
  ])
  return true
}

/** Read means that all of it is. What is marked as unread is what came last. */
export async function markThread(
  trx: Transaction,
  ref: ThreadRef,
  isRead: boolean,
  source: ChangeSource,
): Promise<boolean> {
  const thread = await lockThread(trx, ref)
  if (!thread || isRead === (thread.unread === 0)) return false
  const { team, inbox } = ref
  const which = isRead
    ? sql`thread_id = ${thread.id} and not is_read`
    : sql`inbox_id = ${inbox} and id = ${thread.shownId}`
  await trx.query(
    sql.write`update inbox_messages set is_read = ${isRead} where team_id = ${anyTeam(team)} and ${which}`,
  )
  await recordThreadEvents(trx, [{ ref: { ...ref, thread: thread.id }, type: 'inbox.thread.read.updated', source }])
  return true
}

export interface LabelChange {
  readonly add?: readonly string[]
  readonly remove?: readonly string[]
  /** Instead of all that it has. */
  readonly set?: readonly string[]
}

interface Label {
  readonly id: string
  readonly name: string
  readonly color: string
}

/** Labels that the inbox does not have are left out. */
export async function labelThread(
  trx: Transaction,
  ref: ThreadRef,
  { add = [], remove = [], set }: LabelChange,
  source: ChangeSource,
): Promise<boolean> {
  const thread = await lockThread(trx, ref)
  if (!thread) return false
  const wanted = new Set([...(set ?? thread.labels), ...add].map(asStored))
  for (const label of remove) wanted.delete(asStored(label))
  const labels = await findLabels(trx, ref, [...thread.labels, ...wanted])
  const [added, removed] = [
    labels.filter(({ id }) => wanted.has(id) && !thread.labels.includes(id)),
    labels.filter(({ id }) => !wanted.has(id)),
  ]
  if (added.length === 0 && removed.length === 0) return false
  const left = labels.filter(({ id }) => wanted.has(id)).map(({ id }) => id)
  await trx.query(sql.write`
    update inbox_threads set labels = ${left}::uuid[] where team_id = ${ref.team} and id = ${thread.id}`)
  const change = { added, removed }
  await recordThreadEvents(trx, [
    { ref: { ...ref, thread: thread.id }, type: 'inbox.thread.labels.updated', source, extra: change },
  ])
  return true
}

/** Ids come in any case. */
const asStored = (id: string) => id.toLowerCase()

const findLabels = (db: Queryable, { team, inbox }: ThreadRef, ids: readonly string[]) =>
  db.query<Label>(sql`
    select id, name, color from inbox_labels
    where team_id = ${team} and inbox_id = ${inbox} and id = any (${ids}::uuid[]) order by lower(name)`)

/** Takes a label that is gone from so many threads. Returns how many had it. */
export async function stripLabel(
  trx: Transaction,
  { team, inbox, label }: { team: string; inbox: string; label: string },
  limit: number,
): Promise<number> {
  if (!(await lockInbox(trx, team, inbox))) return 0
  const rows = await trx.query(sql.write`
    update inbox_threads t set labels = array_remove(t.labels, ${label}::uuid)
    where t.team_id = ${team} and t.id in (
      select l.id from inbox_threads l
      where l.team_id = ${team} and l.inbox_id = ${inbox} and l.labels @> array[${label}::uuid] limit ${limit})
    returning t.id`)
  return rows.length
}

interface Assignment {
  readonly assignee: string | null
  /** Who did it, if it was a person. */
  readonly by: string | null
  readonly source: ChangeSource
}

export async function assignThread(
  trx: Transaction,
  ref: ThreadRef,
  { assignee, by, source }: Assignment,
): Promise<boolean> {
  const thread = await lockThread(trx, ref)
  if (!thread || thread.assignee === assignee) return false
  await trx.query(sql.write`
    update inbox_threads set assignee_email = ${assignee} where team_id = ${ref.team} and id = ${thread.id}`)
  const type = assignee === null ? 'inbox.thread.unassigned' : 'inbox.thread.assigned'
  const extra = {
    ...(assignee !== null && { assignee_email: assignee, assigned_by_email: by }),
    previous_assignee_email: thread.assignee,
  }
  await recordThreadEvents(trx, [{ ref: { ...ref, thread: thread.id }, type, source, extra }])
  return true
}

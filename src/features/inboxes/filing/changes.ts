import type { Queryable, Transaction } from '../../../kernel/db/database.ts'
import { rowsOf } from '../../../kernel/db/rows.ts'
import { anyTeam, sql } from '../../../kernel/db/sql.ts'
import type { EventType } from '../../../kernel/outbox/record.ts'
import { recordThreadEvents } from './events.ts'
import type { ThreadFolder } from './folders.ts'
import { lockInbox } from './lock.ts'
import type { ChangeSource } from './message.ts'

// What is done to threads, by people and by the agent. Each locks the inbox, follows threads that have become part of others, and
// returns the ids of the threads that changed: for the others nothing is written and no event emitted.

/** Threads of one inbox. */
export interface ThreadsRef {
  readonly team: string
  readonly inbox: string
  readonly threads: readonly string[]
}

interface Thread {
  readonly id: string
  readonly folder: ThreadFolder
  readonly labels: readonly string[]
  readonly assignee: string | null
  readonly unread: number
  /** The newest that was received, or else the newest. */
  readonly shownId: string
}

async function lockThreads(trx: Transaction, { team, inbox, threads }: ThreadsRef): Promise<Thread[]> {
  await lockInbox(trx, team, inbox)
  return trx.query<Thread>(sql`
    select id, folder, labels, assignee_email as assignee, unread, shown_id as "shownId" from inbox_threads
    where team_id = ${team} and inbox_id = ${inbox} and id in (
      select coalesce(g.into_id, given.id) from unnest(${threads}::uuid[]) as given (id)
      left join merged_inbox_threads g on g.team_id = ${team} and g.id = given.id)
    order by id`)
}

const idsOf = (threads: readonly Thread[]): string[] => threads.map(({ id }) => id)

/** From the trash it is deleted after a while, in the time of the team. */
export async function moveThreads(
  trx: Transaction,
  ref: ThreadsRef,
  folder: ThreadFolder,
  source: ChangeSource,
): Promise<string[]> {
  const threads = (await lockThreads(trx, ref)).filter((thread) => thread.folder !== folder)
  if (threads.length === 0) return []
  const ids = idsOf(threads)
  await trx.query(sql.write`
    update inbox_threads set folder = ${folder}, trashed_at = ${folder === 'trash' ? trx.clock.of(ref.team).now() : null}
    where team_id = ${ref.team} and id = any (${ids}::uuid[])`)
  await recordChanges(trx, ref, source, {
    type: 'inbox.thread.folder.updated',
    of: threads.map(({ id, folder: from }) => ({ id, extra: { from, to: folder } })),
  })
  return ids
}

/** Read means that all of it is. What is marked as unread is what came last. */
export async function markThreads(
  trx: Transaction,
  ref: ThreadsRef,
  isRead: boolean,
  source: ChangeSource,
): Promise<string[]> {
  const threads = (await lockThreads(trx, ref)).filter(({ unread }) => isRead !== (unread === 0))
  if (threads.length === 0) return []
  const { team, inbox } = ref
  const ids = idsOf(threads)
  const which = isRead
    ? sql`thread_id = any (${ids}::uuid[]) and not is_read`
    : sql`inbox_id = ${inbox} and id = any (${threads.map(({ shownId }) => shownId)}::uuid[])`
  await trx.query(
    sql.write`update inbox_messages set is_read = ${isRead} where team_id = ${anyTeam(team)} and ${which}`,
  )
  await recordChanges(trx, ref, source, { type: 'inbox.thread.read.updated', of: ids.map((id) => ({ id })) })
  return ids
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
export async function labelThreads(
  trx: Transaction,
  ref: ThreadsRef,
  change: LabelChange,
  source: ChangeSource,
): Promise<string[]> {
  const threads = await lockThreads(trx, ref)
  const named = [change.add, change.set].flatMap((ids) => ids ?? []).map(asStored)
  const labels = await findLabels(trx, ref, [...new Set([...threads.flatMap((thread) => thread.labels), ...named])])
  const changes = threads
    .map((thread) => ({ id: thread.id, ...relabelled(thread, labels, change) }))
    .filter(({ extra: { added, removed } }) => added.length + removed.length > 0)
  if (changes.length === 0) return []
  const rows = changes.map(({ id, left }) => ({ id, labels: `{${left.join()}}` }))
  await trx.query(sql.write`
    update inbox_threads t set labels = given.labels::uuid[]
    from ${rowsOf(rows, { id: 'uuid', labels: 'text' })} where t.team_id = ${ref.team} and t.id = given.id`)
  await recordChanges(trx, ref, source, { type: 'inbox.thread.labels.updated', of: changes })
  return changes.map(({ id }) => id)
}

/** The labels that a thread is left with, and what that changes. */
function relabelled(thread: Thread, labels: readonly Label[], { add = [], remove = [], set }: LabelChange) {
  const wanted = new Set([...(set ?? thread.labels), ...add].map(asStored))
  for (const label of remove) wanted.delete(asStored(label))
  const added = labels.filter(({ id }) => wanted.has(id) && !thread.labels.includes(id))
  const removed = labels.filter(({ id }) => thread.labels.includes(id) && !wanted.has(id))
  return { left: labels.filter(({ id }) => wanted.has(id)).map(({ id }) => id), extra: { added, removed } }
}

/** Ids come in any case. */
const asStored = (id: string) => id.toLowerCase()

const findLabels = (db: Queryable, { team, inbox }: ThreadsRef, ids: readonly string[]) =>
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

export async function assignThreads(
  trx: Transaction,
  ref: ThreadsRef,
  { assignee, by, source }: Assignment,
): Promise<string[]> {
  const threads = (await lockThreads(trx, ref)).filter((thread) => thread.assignee !== assignee)
  if (threads.length === 0) return []
  const ids = idsOf(threads)
  await trx.query(sql.write`
    update inbox_threads set assignee_email = ${assignee} where team_id = ${ref.team} and id = any (${ids}::uuid[])`)
  const now = assignee === null ? {} : { assignee_email: assignee, assigned_by_email: by }
  await recordChanges(trx, ref, source, {
    type: assignee === null ? 'inbox.thread.unassigned' : 'inbox.thread.assigned',
    of: threads.map(({ id, assignee: before }) => ({ id, extra: { ...now, previous_assignee_email: before } })),
  })
  return ids
}

interface Changes {
  readonly type: EventType
  readonly of: readonly { readonly id: string; readonly extra?: object }[]
}

const recordChanges = (trx: Transaction, { team, inbox }: ThreadsRef, source: ChangeSource, { type, of }: Changes) =>
  recordThreadEvents(
    trx,
    of.map(({ id, extra }) => ({ ref: { team, inbox, thread: id }, type, source, ...(extra && { extra }) })),
  )

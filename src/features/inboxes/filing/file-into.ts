import type { Transaction } from '../../../kernel/db/database.ts'
import { newId } from '../../../platform/ids.ts'
import type { ThreadEvent, ThreadRef } from './events.ts'
import type { PendingMail } from './pending.ts'
import {
  type Document,
  findFiled,
  findNames,
  findNeighbours,
  findThreads,
  type InboxRef,
  insertMessages,
  insertNames,
  insertPeople,
  insertSubjects,
  insertThreads,
  mergeThreads,
  type StoredThread,
  updateThreads,
} from './store.ts'
import { ThreadFinder } from './thread-finder.ts'
import { openedBy, type ThreadState, withMessage, withThread } from './thread-state.ts'

/** A message that goes into an inbox. */
export interface FilingEntry {
  readonly entry: PendingMail
  readonly document: Document
}

/** A message that has found its thread. */
export interface Filed {
  readonly inbox: string
  readonly copy: FilingEntry
  readonly thread: string
  /** It has opened the thread. */
  readonly isFirst: boolean
  /** Set: it has moved the thread, or has merged it with one elsewhere. */
  readonly move: { readonly from: string; readonly to: string } | null
}

/** Files messages into one inbox, whose row is locked. */
export async function fileInto(trx: Transaction, ref: InboxRef, given: readonly FilingEntry[]): Promise<Filed[]> {
  const entries = await withoutFiled(trx, ref, given)
  if (entries.length === 0) return []
  const connections = entries.map(({ document }) => document.connections)
  const known = await findNames(trx, ref, [...new Set(connections.flatMap(({ names }) => names))])
  const neighbours = await findNeighbours(trx, ref, connections)
  const named = entries.flatMap(({ entry }) => entry.sending?.thread ?? [])
  const threadIds = [
    ...known.flatMap(({ thread }) => thread ?? []),
    ...neighbours.map(({ thread }) => thread),
    ...named,
  ]
  const stored = await findThreads(trx, ref, [...new Set(threadIds)])

  const finder = new ThreadFinder(() => newId(trx.clock.of(ref.team)))
  for (const { id, size } of stored) finder.addThread(id, size)
  for (const { name, thread } of known) if (thread !== null) finder.addName(name, thread)
  for (const neighbour of neighbours) finder.addNeighbour(neighbour)
  const found = entries.map((copy) => finder.find(copy.document.connections, copy.entry.sending?.thread))
  // The thread of one may have become part of another through one that came later.
  const filed = entries.map((copy, index) => ({ copy, thread: finder.rootOf(found[index]!) }))

  const merges = stored.map(({ id }) => ({ id, into: finder.rootOf(id) })).filter(({ id, into }) => id !== into)
  const threads = statesAfter(stored, merges, filed)
  await writeThreads(trx, ref, { stored, merges, threads })
  await insertMessages(
    trx,
    ref,
    filed.map(({ copy, thread }) => ({ document: copy.document, thread })),
  )
  const stale = new Set(known.filter(({ thread }) => thread === null).map(({ name }) => name))
  await insertNames(trx, ref, connections, stale)
  await insertSubjects(trx, ref, connections)
  const people = new Map(entries.flatMap(({ document }) => document.people.map((person) => [person.address, person])))
  await insertPeople(trx, ref, [...people.values()])
  return eventsOf(ref, stored, threads, filed)
}

async function withoutFiled(trx: Transaction, ref: InboxRef, entries: readonly FilingEntry[]): Promise<FilingEntry[]> {
  const byEmail = new Map(entries.map((copy) => [copy.entry.email, copy]))
  const there = await findFiled(trx, ref, [...byEmail.keys()])
  const left = [...byEmail.values()].filter(({ entry }) => !there.has(entry.email))
  // In the order in which they came: of two that were sent at the same moment the first one gives the thread its subject.
  return left.sort((a, b) => (a.entry.email < b.entry.email ? -1 : 1))
}

interface Found {
  readonly copy: FilingEntry
  readonly thread: string
}

type Merge = { readonly id: string; readonly into: string }

/** What the threads are, after those that were merged have become one and with the new messages. */
function statesAfter(stored: readonly StoredThread[], merges: readonly Merge[], filed: readonly Found[]) {
  const before = new Map<string, ThreadState>(stored.map((thread) => [thread.id, thread]))
  const after = new Map<string, ThreadState>()
  for (const { id, into } of merges) {
    const base = after.get(into) ?? before.get(into)
    const other = before.get(id)!
    after.set(into, base ? withThread(base, other) : { ...other, id: into })
  }
  for (const { copy, thread } of filed) {
    const { message } = copy.document
    const base = after.get(thread) ?? before.get(thread)
    after.set(thread, base ? withMessage(base, message) : openedBy(thread, message))
  }
  return after
}

async function writeThreads(
  trx: Transaction,
  ref: InboxRef,
  changed: { stored: readonly StoredThread[]; merges: readonly Merge[]; threads: ReadonlyMap<string, ThreadState> },
) {
  const there = new Set(changed.stored.map(({ id }) => id))
  const states = [...changed.threads.values()]
  const [old, opened] = [states.filter(({ id }) => there.has(id)), states.filter(({ id }) => !there.has(id))]
  if (opened.length > 0) await insertThreads(trx, ref, opened)
  if (changed.merges.length > 0) await mergeThreads(trx, ref, changed.merges)
  if (old.length > 0) await updateThreads(trx, ref, old)
}

/** A thread that was opened here has no history: what happened to it on the way is nobody's business. */
function eventsOf(
  { inbox }: InboxRef,
  stored: readonly StoredThread[],
  threads: ReadonlyMap<string, ThreadState>,
  filed: readonly Found[],
): Filed[] {
  const before = new Map(stored.map(({ id, folder }) => [id, folder]))
  const notified = new Set<string>()
  return filed.map(({ copy, thread }) => {
    const isFirstHere = !notified.has(thread)
    notified.add(thread)
    const [from, to] = [before.get(thread), threads.get(thread)!.folder]
    const isMoved = isFirstHere && from !== undefined && from !== to
    return { inbox, copy, thread, isFirst: isFirstHere && from === undefined, move: isMoved ? { from, to } : null }
  })
}

/** What the outside learns: that a thread is there or has moved, and then of the message. */
export const threadEventsOf = (team: string, filed: readonly Filed[]): ThreadEvent[] =>
  filed.flatMap(({ inbox, copy: { entry, document }, thread, isFirst, move }): ThreadEvent[] => {
    const ref = { team, inbox, thread }
    const { email } = entry
    const isInbound = document.message.direction === 'inbound'
    return [
      ...(isFirst ? [{ ref, type: 'inbox.thread.created' as const, source: 'system' as const, email }] : []),
      ...(move ? [{ ref, type: 'inbox.thread.folder.updated' as const, source: 'system' as const, extra: move }] : []),
      ...draftSentOf(ref, entry),
      isInbound
        ? { ref, type: 'inbox.email.received', source: 'system', email }
        : { ref, type: 'inbox.email.sent', source: entry.sending?.source ?? 'api', email },
    ]
  })

/** The event of a draft that begins a thread is written when the thread is there, in the inbox that it was sent from. */
function draftSentOf(ref: ThreadRef, { email, sending }: PendingMail): ThreadEvent[] {
  if (!sending?.sentDraft || sending.inbox !== ref.inbox) return []
  const draft = { ...sending.sentDraft, thread_id: ref.thread }
  return [
    {
      ref,
      type: 'inbox.draft.sent',
      source: sending.source,
      email,
      extra: { draft_id: sending.sentDraft.id, draft },
    },
  ]
}

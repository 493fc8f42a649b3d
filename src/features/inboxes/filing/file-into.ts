import type { Transaction } from '../../../kernel/db/database.ts'
import { newId } from '../../../platform/ids.ts'
import type { ThreadEvent, ThreadPlace } from './events.ts'
import type { Note } from './notes.ts'
import {
  type Document,
  findFiled,
  findNames,
  findNeighbours,
  findThreads,
  type InboxPlace,
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
export interface Copy {
  readonly note: Note
  readonly document: Document
}

/** A message that has found its thread. */
export interface Filed {
  readonly inbox: string
  readonly copy: Copy
  readonly thread: string
  /** It has opened the thread. */
  readonly isFirst: boolean
  /** Set: it has moved the thread, or has merged it with one elsewhere. */
  readonly move: { readonly from: string; readonly to: string } | null
}

/** Files messages into one inbox, whose row is locked. */
export async function fileInto(trx: Transaction, place: InboxPlace, given: readonly Copy[]): Promise<Filed[]> {
  const copies = await withoutFiled(trx, place, given)
  if (copies.length === 0) return []
  const connections = copies.map(({ document }) => document.connections)
  const known = await findNames(trx, place, [...new Set(connections.flatMap(({ names }) => names))])
  const neighbours = await findNeighbours(trx, place, connections)
  const said = copies.flatMap(({ note }) => note.sending?.thread ?? [])
  const threadIds = [...known.flatMap(({ thread }) => thread ?? []), ...neighbours.map(({ thread }) => thread), ...said]
  const stored = await findThreads(trx, place, [...new Set(threadIds)])

  const finder = new ThreadFinder(() => newId(trx.clock.of(place.team)))
  for (const { id, size } of stored) finder.addThread(id, size)
  for (const { name, thread } of known) if (thread !== null) finder.addName(name, thread)
  for (const neighbour of neighbours) finder.addNeighbour(neighbour)
  const found = copies.map((copy) => finder.find(copy.document.connections, copy.note.sending?.thread))
  // The thread of one may have become part of another through one that came later.
  const filed = copies.map((copy, index) => ({ copy, thread: finder.rootOf(found[index]!) }))

  const merges = stored.map(({ id }) => ({ id, into: finder.rootOf(id) })).filter(({ id, into }) => id !== into)
  const threads = statesAfter(stored, merges, filed)
  await writeThreads(trx, place, { stored, merges, threads })
  await insertMessages(
    trx,
    place,
    filed.map(({ copy, thread }) => ({ document: copy.document, thread })),
  )
  const stale = new Set(known.filter(({ thread }) => thread === null).map(({ name }) => name))
  await insertNames(trx, place, connections, stale)
  await insertSubjects(trx, place, connections)
  const people = new Map(copies.flatMap(({ document }) => document.people.map((person) => [person.address, person])))
  await insertPeople(trx, place, [...people.values()])
  return toldOf(place, stored, threads, filed)
}

async function withoutFiled(trx: Transaction, place: InboxPlace, copies: readonly Copy[]): Promise<Copy[]> {
  const byEmail = new Map(copies.map((copy) => [copy.note.email, copy]))
  const there = await findFiled(trx, place, [...byEmail.keys()])
  const left = [...byEmail.values()].filter(({ note }) => !there.has(note.email))
  // In the order in which they came: of two that were sent at the same moment the first one gives the thread its subject.
  return left.sort((a, b) => (a.note.email < b.note.email ? -1 : 1))
}

interface Found {
  readonly copy: Copy
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
  place: InboxPlace,
  changed: { stored: readonly StoredThread[]; merges: readonly Merge[]; threads: ReadonlyMap<string, ThreadState> },
) {
  const there = new Set(changed.stored.map(({ id }) => id))
  const states = [...changed.threads.values()]
  const [old, opened] = [states.filter(({ id }) => there.has(id)), states.filter(({ id }) => !there.has(id))]
  if (opened.length > 0) await insertThreads(trx, place, opened)
  if (changed.merges.length > 0) await mergeThreads(trx, place, changed.merges)
  if (old.length > 0) await updateThreads(trx, place, old)
}

/** A thread that was opened here has no history: what happened to it on the way is nobody's business. */
function toldOf(
  { inbox }: InboxPlace,
  stored: readonly StoredThread[],
  threads: ReadonlyMap<string, ThreadState>,
  filed: readonly Found[],
): Filed[] {
  const before = new Map(stored.map(({ id, folder }) => [id, folder]))
  const told = new Set<string>()
  return filed.map(({ copy, thread }) => {
    const isFirstHere = !told.has(thread)
    told.add(thread)
    const [from, to] = [before.get(thread), threads.get(thread)!.folder]
    const isMoved = isFirstHere && from !== undefined && from !== to
    return { inbox, copy, thread, isFirst: isFirstHere && from === undefined, move: isMoved ? { from, to } : null }
  })
}

/** What the outside learns: that a thread is there or has moved, and then of the message. */
export const threadEventsOf = (team: string, filed: readonly Filed[]): ThreadEvent[] =>
  filed.flatMap(({ inbox, copy: { note, document }, thread, isFirst, move }): ThreadEvent[] => {
    const place = { team, inbox, thread }
    const { email } = note
    const isInbound = document.message.direction === 'inbound'
    return [
      ...(isFirst ? [{ place, type: 'inbox.thread.created' as const, source: 'system' as const, email }] : []),
      ...(move
        ? [{ place, type: 'inbox.thread.folder.updated' as const, source: 'system' as const, extra: move }]
        : []),
      ...draftSentOf(place, note),
      isInbound
        ? { place, type: 'inbox.email.received', source: 'system', email }
        : { place, type: 'inbox.email.sent', source: note.sending?.source ?? 'api', email },
    ]
  })

/** A draft that begins a thread is told of when the thread is there, in the inbox that it was sent from. */
function draftSentOf(place: ThreadPlace, { email, sending }: Note): ThreadEvent[] {
  if (!sending?.sentDraft || sending.inbox !== place.inbox) return []
  const draft = { ...sending.sentDraft, thread_id: place.thread }
  return [
    {
      place,
      type: 'inbox.draft.sent',
      source: sending.source,
      email,
      extra: { draft_id: sending.sentDraft.id, draft },
    },
  ]
}

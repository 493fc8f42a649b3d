import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Static } from 'typebox'
import { MAX_BATCH_THREADS, type UpdateThreads } from '../../../../src/features/inboxes/threads/schema.ts'
import { call, type Item, type Reply } from '../../api.ts'
import { isOneOf, refetchMatching } from '../../queries.ts'
import { formatNumber } from '../../ui/locale.ts'
import { runSerially } from '../../ui/serial-queue.ts'
import { toast } from '../../ui/toast.tsx'
import { type MoveTarget, moveTargetOf } from './folders.ts'
import { begin, type Change, changed, end, type Pending, type ThreadState, unreadBy } from './pending.ts'
import { MOVES } from './sidebar-folders.ts'
import { texts } from './texts.ts'
import type { Rows } from './thread-rows.ts'
import { offerUndo } from './undo.ts'

/** What an act has to know of a thread. Rows are such, and so is an opened thread. */
export type KnownThread = ThreadState & { readonly id: string }
export type Label = ThreadState['labels'][number]

interface Step {
  readonly thread: KnownThread
  readonly change: Change
}

/** What a call is asked to do with many threads. */
function changesOf(change: Change): Omit<BatchBody, 'ids'> {
  switch (change.kind) {
    case 'move':
      return { folder: change.to }
    case 'mark':
      return { read: change.read }
    case 'assign':
      return { assignee_email: change.to }
    case 'label':
      return { add_labels: change.add.map(({ id }) => id), remove_labels: [...change.remove] }
  }
}

type BatchBody = Static<typeof UpdateThreads>

/** Those that are changed in the same way go together, as many as a call takes. */
function batchesOf(steps: readonly Step[]): readonly (readonly Step[])[] {
  const groups = new Map<string, Step[][]>()
  for (const step of steps) {
    const key = JSON.stringify(changesOf(step.change))
    const slices = groups.get(key) ?? [[]]
    if (slices.at(-1)!.length === MAX_BATCH_THREADS) slices.push([])
    slices.at(-1)!.push(step)
    groups.set(key, slices)
  }
  return [...groups.values()].flat()
}

/** Does it to all of them, and returns which of them failed. */
async function sendAll(inbox: string, steps: readonly Step[]): Promise<Map<Step, Error>> {
  const failed = new Map<Step, Error>()
  const send = async (batch: readonly Step[]) => {
    const ids = batch.map(({ thread }) => thread.id)
    const { errors } = await call('inboxes.threads.batch', { inbox, body: { ids, ...changesOf(batch[0]!.change) } })
    for (const { index, message } of errors) failed.set(batch[index]!, new Error(message))
  }
  // One call after the other: what is done later to the same threads arrives later.
  for (const batch of batchesOf(steps))
    await runSerially(`threads of ${inbox}`, () => send(batch)).catch((error: Error) => {
      for (const step of batch) failed.set(step, error)
    })
  return failed
}

/** Lists of threads and single ones, once they were read. */
const isRead = ({ queryKey, state }: Query) =>
  state.data !== undefined && (queryKey[2] === 'rows' || queryKey[0] === 'inboxes.threads.get')

/** From now on it is what was read: an answer that was asked for before does not bring back the old state. */
async function settle(queries: QueryClient, inbox: string, done: readonly Step[], unread: number) {
  const asked = queries.getQueryCache().findAll({ predicate: isRead, fetchStatus: 'fetching' })
  await queries.cancelQueries({ predicate: isRead })
  const changes = new Map(done.map(({ thread, change }) => [thread.id, change]))
  const update = <State extends KnownThread>(thread: State) =>
    changes.has(thread.id) ? changed(thread, changes.get(thread.id)!) : thread
  queries.setQueriesData<Rows>(
    { predicate: ({ queryKey }) => queryKey[2] === 'rows' },
    (rows) => rows && { ...rows, threads: rows.threads.map(update) },
  )
  queries.setQueriesData<Reply<'inboxes.threads.get'>>(
    { predicate: ({ queryKey }) => queryKey[0] === 'inboxes.threads.get' },
    (thread) => thread && update(thread),
  )
  const count = <One extends { id: string; unread: number }>(one: One): One =>
    one.id === inbox ? { ...one, unread: Math.max(0, one.unread + unread) } : one
  queries.setQueriesData<{ data: Item<'inboxes.list'>[] }>(
    { predicate: ({ queryKey }) => queryKey[0] === 'inboxes.list' },
    (list) => list && { ...list, data: list.data.map(count) },
  )
  for (const { queryKey } of asked) void queries.invalidateQueries({ queryKey, exact: true })
}

/** `isBack`: it takes something back, so rows that went out of a list come into it again. */
async function perform(queries: QueryClient, inbox: string, steps: readonly Step[], isBack: boolean) {
  const pending = new Map<Step, Pending>(
    steps.map((step) => {
      const { thread, change } = step
      return [step, { inbox, thread: thread.id, change, unread: unreadBy(thread, change) }]
    }),
  )
  begin([...pending.values()])
  const failed = await sendAll(inbox, steps)
  const done = steps.filter((step) => !failed.has(step))
  const unread = done.reduce((sum, step) => sum + pending.get(step)!.unread, 0)
  await settle(queries, inbox, done, unread)
  end([...pending.values()])
  const [first] = failed.values()
  if (first)
    toast(
      steps.length === 1
        ? first.message
        : texts.threadActs.someFailed(formatNumber(failed.size), formatNumber(steps.length), first.message),
      {
        isError: true,
      },
    )
  // What is in sight is as it was confirmed; other lists and the counts are read again.
  queries.invalidateQueries({
    predicate: ({ queryKey }) => isOneOf(queryKey, ['inboxes.threads']),
    refetchType: isBack || failed.size > 0 ? 'active' : 'none',
  })
  void refetchMatching(queries, ({ queryKey }) => isOneOf(queryKey, ['inboxes.list', 'inboxes.get']))
  return done
}

const counted = (count: number, done: string) => (count === 1 ? done : texts.threadActs.ofMany(done, count))

/** What can be done with threads of an inbox: seen at once, taken back when it is refused. */
export function useThreadActs(inbox: string) {
  const queries = useQueryClient()
  return useMemo(() => {
    const toAll = (threads: readonly KnownThread[], change: Change): readonly Step[] =>
      threads.filter((thread) => !isDone(thread, change)).map((thread) => ({ thread, change }))
    const run = async (steps: readonly Step[], isBack = false) =>
      steps.length > 0 ? perform(queries, inbox, steps, isBack) : []

    /** Said at once, like what is seen; what then fails is said, too. */
    const runWithUndo = async (steps: readonly Step[], done: string) => {
      if (steps.length === 0) return
      const back = steps.map(backOf)
      const running = run(steps)
      offerUndo(counted(steps.length, done), () =>
        run(back, true).then((undone) => undone.length > 0 && toast(texts.threadActs.undone)),
      )
      await running
    }
    /** Of a single thread everybody sees what was done, and how to take it back. */
    const runWithUndoOfMany = (steps: readonly Step[], done: string) =>
      steps.length > 1 ? runWithUndo(steps, done) : run(steps)

    return {
      move: (threads: readonly KnownThread[], to: MoveTarget) =>
        runWithUndo(toAll(threads, { kind: 'move', to }), MOVES[to].done),
      mark: (threads: readonly KnownThread[], read: boolean) =>
        runWithUndoOfMany(
          toAll(threads, { kind: 'mark', read }),
          read ? texts.threadActs.markedAsRead : texts.threadActs.markedAsUnread,
        ),
      label: (threads: readonly KnownThread[], label: Label, isOn: boolean) =>
        runWithUndoOfMany(
          toAll(threads, { kind: 'label', add: isOn ? [label] : [], remove: isOn ? [] : [label.id] }),
          isOn ? texts.threadActs.labelAdded : texts.threadActs.labelRemoved,
        ),
      assign: (threads: readonly KnownThread[], to: string | null) =>
        runWithUndoOfMany(
          toAll(threads, { kind: 'assign', to }),
          to === null ? texts.threadActs.unassignedToast : texts.threadActs.assignedToast,
        ),
    }
  }, [queries, inbox])
}

/** What takes a step back. */
function backOf({ thread, change }: Step): Step {
  return { thread: changed(thread, change), change: inverseOf(thread, change) }
}

function inverseOf(thread: KnownThread, change: Change): Change {
  switch (change.kind) {
    case 'move':
      return { kind: 'move', to: moveTargetOf(thread.folder) }
    case 'mark':
      return { kind: 'mark', read: thread.read }
    case 'assign':
      return { kind: 'assign', to: thread.assignee_email }
    case 'label':
      return {
        kind: 'label',
        add: thread.labels.filter(({ id }) => change.remove.includes(id)),
        remove: change.add.map(({ id }) => id),
      }
  }
}

export type ThreadActs = ReturnType<typeof useThreadActs>

/** What changes nothing is not asked for. */
function isDone(thread: KnownThread, change: Change): boolean {
  switch (change.kind) {
    case 'move':
      return moveTargetOf(thread.folder) === change.to
    case 'mark':
      return thread.read === change.read
    case 'assign':
      return thread.assignee_email === change.to
    case 'label': {
      const has = new Set(thread.labels.map(({ id }) => id))
      return change.add.every(({ id }) => has.has(id)) && !change.remove.some((id) => has.has(id))
    }
  }
}

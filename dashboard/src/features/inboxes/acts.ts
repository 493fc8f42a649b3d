import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call, type Item, type Reply } from '../../api.ts'
import { isOneOf, refetchMatching } from '../../queries.ts'
import { runSerially } from '../../ui/serial-queue.ts'
import { toast } from '../../ui/toast.tsx'
import { type MoveTarget, moveTargetOf } from './folders.ts'
import { begin, type Change, changed, end, type Pending, type ThreadState, unreadBy } from './pending.ts'
import { MOVES } from './sidebar-folders.ts'
import type { Rows } from './thread-rows.ts'

/** What an act has to know of a thread. Rows are such, and so is an opened thread. */
export type KnownThread = ThreadState & { readonly id: string }
export type Label = ThreadState['labels'][number]

interface Step {
  readonly thread: KnownThread
  readonly change: Change
}

/** There is no call for many threads. This many at a time keep the service quick for others. */
const AT_ONCE = 6

function send(inbox: string, { thread: { id: thread }, change }: Step): Promise<unknown> {
  switch (change.kind) {
    case 'move':
      return call('inboxes.threads.update', { inbox, thread, body: { folder: change.to } })
    case 'mark':
      return call('inboxes.threads.update', { inbox, thread, body: { read: change.read } })
    case 'assign':
      return call('inboxes.threads.update', { inbox, thread, body: { assignee_email: change.to } })
    case 'label':
      return sendLabels(inbox, thread, change)
  }
}

async function sendLabels(inbox: string, thread: string, { add, remove }: Extract<Change, { kind: 'label' }>) {
  if (add.length > 0)
    await call('inboxes.threads.labels.add', { inbox, thread, body: { labels: add.map(({ id }) => id) } })
  for (const label of remove) await call('inboxes.threads.labels.remove', { inbox, thread, label })
}

/** Does it to all of them, and returns which of them failed. */
async function sendAll(inbox: string, steps: readonly Step[]): Promise<Map<Step, Error>> {
  const failed = new Map<Step, Error>()
  const waiting = [...steps]
  const work = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift())
      await runSerially(step.thread.id, () => send(inbox, step)).catch((error: Error) => failed.set(step, error))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
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
    toast(steps.length === 1 ? first.message : `${failed.size} of ${steps.length} failed: ${first.message}`, {
      isError: true,
    })
  // What is in sight is as it was confirmed; other lists and the counts are read again.
  queries.invalidateQueries({
    predicate: ({ queryKey }) => isOneOf(queryKey, ['inboxes.threads']),
    refetchType: isBack || failed.size > 0 ? 'active' : 'none',
  })
  void refetchMatching(queries, ({ queryKey }) => isOneOf(queryKey, ['inboxes.list', 'inboxes.get']))
  return done
}

const counted = (count: number, done: string) => (count === 1 ? done : `${done}: ${count} threads`)

/** The last thing that can be taken back, for the key `z`. */
let lastUndo: (() => void) | null = null

export function undoLast() {
  const undo = lastUndo
  lastUndo = null
  undo?.()
}

/** What can be done with threads of an inbox: seen at once, taken back when it is refused. */
export function useThreadActs(inbox: string) {
  const queries = useQueryClient()
  return useMemo(() => {
    const toAll = (threads: readonly KnownThread[], change: Change): readonly Step[] =>
      threads.filter((thread) => !isDone(thread, change)).map((thread) => ({ thread, change }))
    const run = async (steps: readonly Step[], isBack = false) =>
      steps.length > 0 ? perform(queries, inbox, steps, isBack) : []

    const offerUndo = (text: string, back: readonly Step[]) => {
      const undo = () => {
        if (lastUndo === undo) lastUndo = null
        dismiss()
        void run(back, true).then((done) => done.length > 0 && toast('Undone'))
      }
      lastUndo = undo
      const dismiss = toast(text, { act: { label: 'Undo', run: undo } })
    }

    return {
      async move(threads: readonly KnownThread[], to: MoveTarget) {
        const steps = toAll(threads, { kind: 'move', to })
        if (steps.length === 0) return
        // Said at once, like what is seen; what then fails is said, too.
        const back = steps.map(
          ({ thread }): Step => ({
            thread: { ...thread, folder: to },
            change: { kind: 'move', to: moveTargetOf(thread.folder) },
          }),
        )
        const running = run(steps)
        offerUndo(counted(steps.length, MOVES[to].done), back)
        await running
      },
      mark: (threads: readonly KnownThread[], read: boolean) => run(toAll(threads, { kind: 'mark', read })),
      label: (threads: readonly KnownThread[], label: Label, isOn: boolean) =>
        run(toAll(threads, { kind: 'label', add: isOn ? [label] : [], remove: isOn ? [] : [label.id] })),
      assign: (threads: readonly KnownThread[], to: string | null) => run(toAll(threads, { kind: 'assign', to })),
    }
  }, [queries, inbox])
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

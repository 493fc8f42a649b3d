import { useSyncExternalStore } from 'react'
import type { MoveTarget } from './folders.ts'
import type { ThreadRow } from './thread-rows.ts'

// What was done to threads and is not confirmed yet. Lists are drawn with it on top of what was read, so that every act is seen at once;
// one that is refused is taken out again, and with it all that it has changed. Nothing that was read is touched for it.

export type ThreadState = Pick<ThreadRow, 'folder' | 'read' | 'labels' | 'assignee_email'>
type Label = ThreadRow['labels'][number]

export type Change =
  | { readonly kind: 'move'; readonly to: MoveTarget }
  | { readonly kind: 'mark'; readonly read: boolean }
  | { readonly kind: 'label'; readonly add: readonly Label[]; readonly remove: readonly string[] }
  | { readonly kind: 'assign'; readonly to: string | null }

export function changed<State extends ThreadState>(thread: State, change: Change): State {
  switch (change.kind) {
    case 'move':
      return { ...thread, folder: change.to }
    case 'mark':
      return { ...thread, read: change.read }
    case 'assign':
      return { ...thread, assignee_email: change.to }
    case 'label': {
      const gone = new Set([...change.remove, ...change.add.map(({ id }) => id)])
      return { ...thread, labels: [...thread.labels.filter(({ id }) => !gone.has(id)), ...change.add] }
    }
  }
}

export interface Pending {
  readonly inbox: string
  readonly thread: string
  readonly change: Change
  /** By how much the inbox has more unread threads. */
  readonly unread: number
}

const isUnread = ({ folder, read }: ThreadState) => folder === 'inbox' && !read

export const unreadBy = (thread: ThreadState, change: Change) =>
  Number(isUnread(changed(thread, change))) - Number(isUnread(thread))

/** All of them with what is pending: one look for each, however many there are of both. */
export function withPending<State extends ThreadState & { readonly id: string }>(
  threads: readonly State[],
  pending: readonly Pending[],
): readonly State[] {
  if (pending.length === 0) return threads
  const changes = new Map<string, Change[]>()
  for (const { thread, change } of pending) changes.set(thread, [...(changes.get(thread) ?? []), change])
  return threads.map((thread) => changes.get(thread.id)?.reduce(changed<State>, thread) ?? thread)
}

let pending: readonly Pending[] = []
const listeners = new Set<() => void>()

function become(next: readonly Pending[]) {
  pending = next
  for (const listener of listeners) listener()
}

export const begin = (some: readonly Pending[]) => become([...pending, ...some])

export function end(some: readonly Pending[]) {
  const over = new Set(some)
  become(pending.filter((one) => !over.has(one)))
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const usePending = () => useSyncExternalStore(subscribe, () => pending)

import type { Place } from './folders.ts'
import type { FiledMessage } from './message.ts'

// The first that one of two threads is in is where both are: what somebody has in their inbox does not vanish.
const FOLDERS: readonly Place[] = ['inbox', 'archive', 'trash', 'spam']
export type Traffic = 'inbound' | 'outbound' | 'both'

/** What a thread is, besides what triggers count. */
export interface ThreadState {
  readonly id: string
  readonly subject: string | null
  readonly folder: Place
  readonly traffic: Traffic
  readonly labels: readonly string[]
  readonly assigneeEmail: string | null
  readonly newestId: string
  readonly shownId: string
  readonly trashedAt: Date | null
  /** When its first message was sent, whose subject it has. */
  readonly createdAt: Date
}

type Added = Pick<FiledMessage, 'id' | 'direction' | 'subject' | 'sentAt'>

export const openedBy = (id: string, message: Added): ThreadState => ({
  id,
  subject: message.subject,
  folder: 'inbox',
  traffic: message.direction,
  labels: [],
  assigneeEmail: null,
  newestId: message.id,
  shownId: message.id,
  trashedAt: null,
  createdAt: message.sentAt,
})

export const withMessage = (thread: ThreadState, message: Added): ThreadState =>
  movedTo(folderAfter(thread.folder, message.direction), joined(thread, openedBy(thread.id, message)))

/** A thread that has taken in another. */
export function withThread(thread: ThreadState, other: ThreadState): ThreadState {
  const folder = FOLDERS.find((one) => one === thread.folder || one === other.folder)!
  return movedTo(folder, {
    ...joined(thread, other),
    labels: [...new Set([...thread.labels, ...other.labels])],
    assigneeEmail: thread.assigneeEmail ?? other.assigneeEmail,
    trashedAt:
      thread.trashedAt && other.trashedAt && other.trashedAt > thread.trashedAt
        ? other.trashedAt
        : (thread.trashedAt ?? other.trashedAt),
  })
}

const movedTo = (folder: Place, thread: ThreadState): ThreadState => ({
  ...thread,
  folder,
  trashedAt: folder === 'trash' ? thread.trashedAt : null,
})

/** Mail that comes is seen, unless it is spam; who writes to a thread wants to see what comes of it. */
function folderAfter(folder: Place, direction: 'inbound' | 'outbound'): Place {
  if (folder === 'trash') return 'inbox'
  return folder === (direction === 'inbound' ? 'archive' : 'spam') ? 'inbox' : folder
}

/** What follows from the messages of both. */
const joined = (thread: ThreadState, other: ThreadState): ThreadState => ({
  ...thread,
  ...(other.createdAt < thread.createdAt && { subject: other.subject, createdAt: other.createdAt }),
  traffic: thread.traffic === other.traffic ? thread.traffic : 'both',
  newestId: later(thread.newestId, other.newestId),
  shownId: shownOf(thread, other),
})

/** The newest that was received, or else the newest. */
function shownOf(one: ThreadState, other: ThreadState): string {
  const received = [one, other].filter(({ traffic }) => traffic !== 'outbound')
  return (received.length > 0 ? received : [one, other]).map(({ shownId }) => shownId).reduce(later)
}

const later = (one: string, other: string) => (one > other ? one : other)

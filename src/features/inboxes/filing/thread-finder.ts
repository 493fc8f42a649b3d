import { type Connections, REACH_MS, SUBJECT_KINDS, subjectKey } from './connections.ts'

// Bounds against who sends thousands of mails that belong together. A conversation of people stays far below.
/** A thread of so many takes in nothing more for its subject alone. */
export const MAX_THREAD_BY_SUBJECT = 1_000
/** Two threads of so many are not merged: each message of the smaller one is written anew. */
export const MAX_MERGED_EMAILS = 5_000

/** Of one subject and one kind so many are looked at, the nearest. */
export const MAX_EARLIER = 200

/** A message that is filed, under the key of its kind, subject and person. */
export interface Neighbour {
  readonly subject: string
  readonly sentAt: number
  readonly id: string
  readonly thread: string
}

interface Thread {
  readonly id: string
  size: number
  /** The thread that it has become a part of. */
  into: Thread | null
}

/**
 * Finds the threads of messages of one inbox, one message after the other. A thread is a connected part of a graph: two messages are
 * connected when one names a Message-ID that the other has or names, or when they have subject and a person in common and the later one
 * reaches back as far as the other (`REACH_MS`). So whatever the order in which messages come, they end up in the same threads.
 *
 * It is told what is known about the connections of the messages that it is asked for, and learns from each: of the names that they have,
 * the thread; of their subjects, those before it that it reaches, and of each kind the nearest behind it. That one is enough: whoever of
 * its kind is further away and reaches back to the message reaches the nearest, too.
 */
export class ThreadFinder {
  readonly #threads = new Map<string, Thread>()
  readonly #names = new Map<string, Thread>()
  readonly #neighbours = new Map<string, { sentAt: number; id: string; thread: Thread }[]>()
  readonly #newId: () => string

  constructor(newId: () => string) {
    this.#newId = newId
  }

  addThread(id: string, size: number) {
    this.#threads.set(id, { id, size, into: null })
  }

  addName(name: string, thread: string) {
    this.#names.set(name, this.#threads.get(thread)!)
  }

  addNeighbour({ subject, sentAt, id, thread }: Neighbour) {
    this.#insert(subject, { sentAt, id, thread: this.#threads.get(thread)! })
  }

  /** The thread of a message, which may be a new one. `said`: whoever sent it says so. */
  find(message: Connections, named: string | null = null): string {
    const found = new Set<Thread>()
    const namedThread = named === null ? undefined : this.#threads.get(named)
    if (namedThread) found.add(rootOf(namedThread))
    for (const name of message.names) {
      const thread = this.#names.get(name)
      if (thread) found.add(rootOf(thread))
    }
    for (const subject of message.subjects)
      for (const thread of this.#near(subject, message)) if (thread.size < MAX_THREAD_BY_SUBJECT) found.add(thread)
    const thread = merged([...found]) ?? this.#open()
    thread.size += 1
    for (const name of message.names) if (!this.#names.has(name)) this.#names.set(name, thread)
    for (const subject of message.subjects)
      this.#insert(subjectKey(message.kind, subject), { sentAt: message.sentAt, id: message.id, thread })
    return thread.id
  }

  /** What a thread has become part of: itself, if nothing. */
  rootOf(id: string): string {
    return rootOf(this.#threads.get(id)!).id
  }

  #open(): Thread {
    const thread: Thread = { id: this.#newId(), size: 0, into: null }
    this.#threads.set(thread.id, thread)
    return thread
  }

  /** The threads of those before it that it reaches, and of those behind it that reach it. */
  #near(subject: string, { sentAt, id, kind }: Connections): Set<Thread> {
    const found = new Set<Thread>()
    for (const other of SUBJECT_KINDS) {
      const line = this.#neighbours.get(subjectKey(other, subject)) ?? []
      const at = indexFor(line, { sentAt, id })
      for (let before = at - 1; before >= 0 && at - before <= MAX_EARLIER; before -= 1) {
        if (sentAt - line[before]!.sentAt > REACH_MS[kind]) break
        found.add(rootOf(line[before]!.thread))
      }
      const behind = line[at]
      if (behind && behind.sentAt - sentAt <= REACH_MS[other]) found.add(rootOf(behind.thread))
    }
    return found
  }

  #insert(subject: string, entry: { sentAt: number; id: string; thread: Thread }) {
    const line = this.#neighbours.get(subject) ?? []
    const at = indexFor(line, entry)
    if (line[at]?.id !== entry.id) line.splice(at, 0, entry)
    this.#neighbours.set(subject, line)
  }
}

/** Where in a line, in order of time and then of ids, an entry belongs. */
function indexFor(line: readonly { sentAt: number; id: string }[], { sentAt, id }: { sentAt: number; id: string }) {
  let [low, high] = [0, line.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const one = line[middle]!
    if (one.sentAt < sentAt || (one.sentAt === sentAt && one.id < id)) low = middle + 1
    else high = middle
  }
  return low
}

function rootOf(thread: Thread): Thread {
  let root = thread
  while (root.into) root = root.into
  return root
}

/** The largest takes in the others, and of two as large the older one. Of those that are too large each stays for itself. */
function merged(threads: readonly Thread[]): Thread | undefined {
  const [largest, ...others] = threads.toSorted((a, b) => b.size - a.size || (a.id < b.id ? -1 : 1))
  for (const other of others) {
    if (other.size >= MAX_MERGED_EMAILS) continue
    other.into = largest!
    largest!.size += other.size
  }
  return largest
}

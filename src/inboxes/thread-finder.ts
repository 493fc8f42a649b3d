import type { Connections } from './connections.ts'

/** Two mails of the same subject and people are one conversation if no more time lies between them. */
export const NEAR_MS = 30 * 86_400_000

// Bounds against who sends thousands of mails that belong together. A conversation of people stays far below.
/** A thread of so many takes in nothing more for its subject alone. */
export const MOST_BY_SUBJECT = 1_000
/** Two threads of so many are not merged: each message of the smaller one is written anew. */
export const MOST_MERGED = 5_000

/** A message that is filed, under a digest of subject and person. */
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
 * connected when one names a Message-ID that the other has or names, or when they have subject and a person in common and are neighbours
 * in time. So whatever the order in which messages come, they end up in the same threads.
 *
 * It is told what is known about the connections of the messages that it is asked for, and learns from each: of the names that they have,
 * the thread; of their subjects, the nearest neighbours in time. These are enough: whoever is further away is connected with the nearest.
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
  find(message: Connections, said: string | null = null): string {
    const found = new Set<Thread>()
    const saidThread = said === null ? undefined : this.#threads.get(said)
    if (saidThread) found.add(rootOf(saidThread))
    for (const name of message.names) {
      const thread = this.#names.get(name)
      if (thread) found.add(rootOf(thread))
    }
    for (const subject of message.subjects)
      for (const thread of this.#near(subject, message)) if (thread.size < MOST_BY_SUBJECT) found.add(thread)
    const thread = merged([...found]) ?? this.#open()
    thread.size += 1
    for (const name of message.names) if (!this.#names.has(name)) this.#names.set(name, thread)
    for (const subject of message.subjects) this.#insert(subject, { sentAt: message.sentAt, id: message.id, thread })
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

  /** The threads of those before and behind in time, as far as they are near. */
  #near(subject: string, { sentAt, id }: Connections): Thread[] {
    const line = this.#neighbours.get(subject) ?? []
    const at = placeIn(line, { sentAt, id })
    return [line[at - 1], line[at]].flatMap((one) =>
      one && Math.abs(one.sentAt - sentAt) <= NEAR_MS ? [rootOf(one.thread)] : [],
    )
  }

  #insert(subject: string, entry: { sentAt: number; id: string; thread: Thread }) {
    const line = this.#neighbours.get(subject) ?? []
    const at = placeIn(line, entry)
    if (line[at]?.id !== entry.id) line.splice(at, 0, entry)
    this.#neighbours.set(subject, line)
  }
}

/** Where in a line, in order of time and then of ids, an entry belongs. */
function placeIn(line: readonly { sentAt: number; id: string }[], { sentAt, id }: { sentAt: number; id: string }) {
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
    if (other.size >= MOST_MERGED) continue
    other.into = largest!
    largest!.size += other.size
  }
  return largest
}

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../../test/harness/random.ts'
import { groupBy } from '../../../platform/group-by.ts'
import { type Connections, connectionsOf, REACH_MS, SUBJECT_KINDS, subjectKey } from './connections.ts'
import { MOST_BY_SUBJECT, MOST_MERGED, ThreadFinder } from './thread-finder.ts'

const DAY = 86_400_000

/** Which of the messages are together, each thread by the ids of its messages. */
type Partition = string[][]

const partitionOf = (threads: ReadonlyMap<string, string>): Partition =>
  [...groupBy([...threads], ([, thread]) => thread).values()]
    .map((members) => members.map(([id]) => id).sort())
    .sort((a, b) => (a[0]! < b[0]! ? -1 : 1))

let ids = 0
const newId = () => `thread-${String(++ids).padStart(9, '0')}`

/** What the database does for filing: keeps messages, and answers what is known about some that come. */
class Index {
  readonly #filed = new Map<string, Connections>()
  readonly #threads = new Map<string, string>()

  file(batch: readonly Connections[]) {
    const finder = new ThreadFinder(newId)
    const sizes = groupBy(this.#threads, ([, thread]) => thread)
    for (const [thread, members] of sizes) finder.addThread(thread, members.length)
    const wanted = new Set(batch.flatMap(({ names }) => names))
    for (const { id, names } of this.#filed.values())
      for (const name of names) if (wanted.has(name)) finder.addName(name, this.#threads.get(id)!)
    for (const message of batch)
      for (const subject of message.subjects)
        for (const near of this.#nearest(subject, message)) finder.addNeighbour(near)
    const found = batch.map((message) => [message, finder.find(message)] as const)
    for (const [id, thread] of this.#threads) this.#threads.set(id, finder.rootOf(thread))
    for (const [message, thread] of found) {
      this.#filed.set(message.id, message)
      this.#threads.set(message.id, finder.rootOf(thread))
    }
  }

  get partition(): Partition {
    return partitionOf(this.#threads)
  }

  #nearest(subject: string, { sentAt, id, kind }: Connections) {
    return SUBJECT_KINDS.flatMap((other) => {
      const line = [...this.#filed.values()]
        .filter((one) => one.kind === other && one.subjects.includes(subject))
        .map((one) => ({
          ...{
            subject: subjectKey(other, subject),
            sentAt: one.sentAt,
            id: one.id,
            thread: this.#threads.get(one.id)!,
          },
        }))
        .sort((a, b) => a.sentAt - b.sentAt || (a.id < b.id ? -1 : 1))
      const at = line.findIndex((one) => one.sentAt > sentAt || (one.sentAt === sentAt && one.id > id))
      const behind = at < 0 ? line.length : at
      return [
        ...line.slice(0, behind).filter((one) => sentAt - one.sentAt <= REACH_MS[kind]),
        ...line.slice(behind, behind + 1).filter((one) => one.sentAt - sentAt <= REACH_MS[other]),
      ]
    })
  }
}

/** The rules themselves: every pair is looked at. */
function connectedParts(messages: readonly Connections[]): Partition {
  const parts = new Map(messages.map(({ id }) => [id, id]))
  for (const one of messages)
    for (const other of messages) {
      const later = [one, other].sort((x, y) => y.sentAt - x.sentAt || (y.id < x.id ? -1 : 1))[0]!
      const areNear = Math.abs(one.sentAt - other.sentAt) <= REACH_MS[later.kind]
      const [a, b] = [parts.get(one.id)!, parts.get(other.id)!]
      const isConnected =
        one.names.some((name) => other.names.includes(name)) ||
        (areNear && one.subjects.some((subject) => other.subjects.includes(subject)))
      if (a !== b && isConnected) for (const [id, part] of parts) if (part === b) parts.set(id, a)
    }
  return partitionOf(parts)
}

describe('in whatever order messages come', () => {
  test('and however many at a time, they end up in the same threads', () => {
    const { below, shuffle } = seededRandom()
    const some = (most: number, kind: string, of: number) => [
      ...new Set(Array.from({ length: below(most + 1) }, () => `${kind}${below(of)}`)),
    ]
    for (let graph = 0; graph < 30; graph++) {
      const size = 5 + below(25)
      const messages = Array.from(
        { length: size },
        (_, number): Connections => ({
          id: `message-${number}`,
          names: [`own-${number}`, ...some(3, 'own-', size * 2)],
          subjects: some(3, 'subject-', size),
          kind: SUBJECT_KINDS[below(3)]!,
          sentAt: below(below(2) * 118 + 2) * DAY + below(3) * 3_000_000,
        }),
      )
      const expected = connectedParts(messages)
      for (let order = 0; order < 10; order++) {
        const index = new Index()
        for (const left = shuffle(messages); left.length > 0; ) index.file(left.splice(0, 1 + below(6)))
        expect(index.partition).toEqual(expected)
      }
    }
  })
})

describe('mail of public lists', () => {
  interface Line {
    list: string
    id: string
    references?: string[]
    inReplyTo?: string[]
    from: string
    to?: string[]
    cc?: string[]
    replyTo?: string[]
    subject?: string
    date: number
  }
  const lines = readFileSync('test/fixtures/threads/lists.jsonl', 'utf8').trimEnd().split('\n')
  const lists = groupBy(
    lines.map((line) => JSON.parse(line) as Line),
    ({ list }) => list,
  )
  const readAs = (line: Line, index: number, references: readonly string[]) =>
    connectionsOf(
      {
        ...{ id: `${index}`, from: line.from, to: line.to ?? [], cc: line.cc ?? [], replyTo: line.replyTo ?? [] },
        ...{
          subject: line.subject ?? null,
          messageId: line.id,
          references,
          conversation: null,
          sentAt: new Date(line.date * 1_000),
        },
      },
      [],
    )
  const pairs = (partition: Partition) =>
    new Set(partition.flatMap((thread) => thread.flatMap((a, at) => thread.slice(at + 1).map((b) => `${a} ${b}`))))

  const connectedBy = (line: Line) => [...(line.references ?? []), ...(line.inReplyTo ?? [])]
  const byReferences = (mails: readonly Line[]) =>
    pairs(connectedParts(mails.map((line, at) => ({ ...readAs(line, at, connectedBy(line)), subjects: [] }))))
  const found = (mails: readonly Line[], referencesOf: (line: Line) => string[]) => {
    const index = new Index()
    index.file(mails.map((line, at) => readAs(line, at, referencesOf(line))))
    return pairs(index.partition)
  }

  test.each([...lists])('%s: nothing that references connect is torn apart', (_list, mails) => {
    const ours = found(mails, connectedBy)

    expect([...byReferences(mails)].filter((pair) => !ours.has(pair))).toEqual([])
  })

  // Mails that people wrote, and not those that were made up to have the same subject.
  const REAL = [...lists].filter(([list]) => list === 'default' || list === 'lkml')

  test.each(REAL)('%s: subjects connect nothing that does not belong together', (_list, mails) => {
    expect(found(mails, connectedBy)).toEqual(byReferences(mails))
  })

  test('of programs that send no references the subjects are enough for nine answers of ten', () => {
    const mails = lists.get('default')!
    const real = byReferences(mails)

    const ours = found(mails, () => [])

    expect([...ours].filter((pair) => !real.has(pair))).toEqual([])
    expect(ours.size / real.size).toBeGreaterThan(0.9)
  })
})

describe('what a subject means', () => {
  const HOUR = DAY / 24
  const message = (id: string, at: number, more: { subject?: string; references?: string[]; conversation?: string }) =>
    connectionsOf(
      {
        ...{ id, from: 'reports@example.com', to: ['desk@inbox.example'], cc: [], replyTo: [] },
        ...{
          messageId: `<${id}@example.com>`,
          references: more.references ?? [],
          conversation: more.conversation ?? null,
        },
        ...{ subject: more.subject ?? 'Weekly report', sentAt: new Date(at) },
      },
      ['desk@inbox.example'],
    )
  const threadsOf = (messages: readonly Connections[]) => {
    const index = new Index()
    for (const one of messages) index.file([one])
    return index.partition
  }

  test('each week’s report is a thread of its own, with its answers', () => {
    const weeks = [0, 1, 2, 3].flatMap((week) => [
      message(`report-${week}`, week * 7 * DAY, {}),
      message(`x-answer-${week}`, week * 7 * DAY + 5 * DAY, {
        subject: 'Re: Weekly report',
        references: [`<report-${week}@example.com>`],
      }),
    ])

    expect(threadsOf(weeks)).toEqual([0, 1, 2, 3].map((week) => [`report-${week}`, `x-answer-${week}`]))
    expect(threadsOf(weeks.toReversed())).toEqual(threadsOf(weeks))
  })

  test('an answer without references belongs to what came within a month, one whose references nobody knows within days', () => {
    const first = message('a', 0, {})
    const bare = message('b', 29 * DAY, { subject: 'AW: weekly report' })
    const lost = (at: number) => message('c', at, { subject: 'Re: Weekly report', references: ['<rewritten@relay>'] })

    expect(threadsOf([first, bare])).toEqual([['a', 'b']])
    expect(threadsOf([first, lost(5 * DAY)])).toEqual([['a', 'c']])
    expect(threadsOf([first, lost(7 * DAY)])).toEqual([['a'], ['c']])
  })

  test('the same subject again within hours goes on, a day later it begins anew', () => {
    expect(threadsOf([message('a', 0, {}), message('b', 5 * HOUR, {})])).toEqual([['a', 'b']])
    expect(threadsOf([message('a', 0, {}), message('b', DAY, {})])).toEqual([['a'], ['b']])
  })

  test('the tag of a list is not part of it', () => {
    const answer = message('b', DAY, { subject: 'Re: Agenda' })

    expect(threadsOf([message('a', 0, { subject: '[board] Agenda' }), answer])).toEqual([['a', 'b']])
    expect(threadsOf([message('a', 0, { subject: '[CASE-17] Agenda' }), answer])).toEqual([['a'], ['b']])
  })

  test('Outlook’s index connects answers whose references were lost, whatever their subject has become', () => {
    const one = message('a', 0, { conversation: '01d1 offer' })
    const other = message('b', 90 * DAY, { subject: 'Something else', conversation: '01d1 offer' })

    expect(threadsOf([one, other])).toEqual([['a', 'b']])
    expect(threadsOf([other, one])).toEqual([['a', 'b']])
  })
})

describe('against who sends thousands of mails that belong together', () => {
  const message = (id: string, more: Partial<Connections>): Connections => ({
    ...{ id, names: [], subjects: [], kind: 'plain', sentAt: 0 },
    ...more,
  })

  test('a thread of a thousand takes in nothing more for its subject, but still for a reference', () => {
    const finder = new ThreadFinder(newId)
    finder.addThread('full', MOST_BY_SUBJECT)
    finder.addName('name', 'full')
    finder.addNeighbour({ subject: 'subject', sentAt: 0, id: 'a', thread: 'full' })

    const next = finder.find(message('b', { subjects: ['subject'], sentAt: 1 }))

    expect(next).not.toBe('full')
    expect(finder.find(message('c', { subjects: ['subject'], sentAt: 2 }))).toBe(next)
    expect(finder.find(message('d', { names: ['name'] }))).toBe('full')
  })

  test('two threads of five thousand stay two', () => {
    const finder = new ThreadFinder(newId)
    for (const [name, size] of [
      ['one', MOST_MERGED + 1],
      ['other', MOST_MERGED],
      ['small', MOST_MERGED - 1],
    ] as const) {
      finder.addThread(name, size)
      finder.addName(name, name)
    }

    expect(finder.find(message('a', { names: ['one', 'other', 'small'] }))).toBe('one')

    expect(['one', 'other', 'small'].map((id) => finder.rootOf(id))).toEqual(['one', 'other', 'one'])
  })
})

import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { peopleLines, peopleOf } from '../../src/features/inboxes/filing/people.ts'
import { searchText } from '../../src/features/inboxes/filing/search-document.ts'
import { progress } from '../progress.ts'
import { mailboxOf, randomness, wordOf, zipf } from './language.ts'

const DAYS = 400
const VOCABULARY = 50_000
const WORDS = { fewest: 30, most: 130 }
const CHUNK = 2_000
/** Of those in which somebody may still answer. */
const LIVELY_THREADS = 2_000

/** An inbox that is to be filled. */
export interface Filling {
  readonly id: string
  readonly address: string
  readonly messages: number
  readonly people: number
}

interface Thread {
  readonly id: string
  readonly inbox: string
  readonly subject: string
  readonly folder: string
  readonly createdAt: Date
  traffic: 'inbound' | 'outbound' | 'both'
  emails: number
  newestId: string
  shownId: string
}

/**
 * Mail of a year for several inboxes, in the order in which it would have come. Rows are written as filing writes them, but without its
 * triggers, and the index is made at the end: one by one takes ten times as long.
 */
export async function fillInboxes(connection: pg.ClientConfig, team: string, inboxes: readonly Filling[], now: Date) {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await client.query(
      `set session_replication_role = replica; set synchronous_commit = off; set maintenance_work_mem = '1GB'`,
    )
    await client.query('drop index inbox_messages_by_words')
    const mail = new Mail(inboxes, now)
    const total = inboxes.reduce((sum, { messages }) => sum + messages, 0)
    // One chunk is written while the next one is made up.
    let writing: Promise<unknown> = Promise.resolve()
    for (let done = 0; done < total; done += CHUNK) {
      progress(`writing mail: ${Math.round((done / total) * 100)} %`)
      const messages = Array.from({ length: Math.min(CHUNK, total - done) }, (_, at) => mail.next((done + at) / total))
      const values = valuesOf(team, messages)
      await writing
      writing = insertMessages(client, values)
    }
    await writing
    await insertThreads(client, team, mail.threads)
    await insertPeople(client, team, mail.people)
    progress('making the index of words')
    await client.query(
      'create index inbox_messages_by_words on inbox_messages using gin (search) with (fastupdate = off)',
    )
    progress('settling: vacuum, analyze, checkpoint')
    for (const table of ['inbox_messages', 'inbox_threads', 'inbox_people', 'received_bodies', 'received_emails'])
      await client.query(`vacuum analyze ${table}`)
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
}

class Mail {
  readonly threads: Thread[] = []
  readonly people = new Map<string, ReturnType<typeof peopleOf>[number] & { inbox: string }>()
  readonly #inboxes: readonly Filling[]
  readonly #now: Date
  readonly #random = randomness(1)
  readonly #rank = zipf(VOCABULARY, this.#random)
  readonly #lively = new Map<string, Thread[]>()
  readonly #person = new Map<string, () => number>()
  readonly #written = new Map<string, number>()

  constructor(inboxes: readonly Filling[], now: Date) {
    this.#inboxes = inboxes
    this.#now = now
    for (const { id, people } of inboxes) {
      this.#lively.set(id, [])
      this.#person.set(id, zipf(people, this.#random))
      this.#written.set(id, 0)
    }
  }

  /** `part` says how much of the time is over. */
  next(part: number) {
    // Each inbox gets its share of the mail at any time.
    const inbox = this.#inboxes.reduce((behind, one) => (this.#behind(one) < this.#behind(behind) ? one : behind))
    this.#written.set(inbox.id, this.#written.get(inbox.id)! + 1)
    const at = new Date(this.#now.getTime() - DAYS * 86_400_000 * (1 - part) - 60_000)
    const id = idAt(at)
    const isInbound = this.#random() < 0.7
    const thread = this.#thread(inbox.id, id, at, isInbound)
    const mailbox = mailboxOf(this.#person.get(inbox.id)!())
    const message = {
      id,
      inbox: inbox.id,
      thread: thread.id,
      isInbound,
      from: isInbound ? mailbox : inbox.address,
      to: [isInbound ? inbox.address : mailbox],
      cc: [],
      bcc: [],
      subject: thread.subject,
      attachments:
        this.#random() < 0.1
          ? [{ id, filename: `${this.#words(2)}.pdf`, size: 1, content_type: 'application/pdf' }]
          : [],
      text: this.#words(WORDS.fewest + Math.floor(this.#random() * (WORDS.most - WORDS.fewest))),
      at,
    }
    for (const person of peopleOf(message))
      this.people.set(`${inbox.id} ${person.address}`, { ...person, inbox: inbox.id })
    return message
  }

  #behind = ({ id, messages }: Filling) => this.#written.get(id)! / messages

  #thread(inbox: string, id: string, createdAt: Date, isInbound: boolean): Thread {
    const lively = this.#lively.get(inbox)!
    const direction = isInbound ? 'inbound' : 'outbound'
    if (this.#random() < 0.6 && lively.length > 0) {
      const thread = lively[Math.floor(this.#random() * lively.length)]!
      thread.emails += 1
      if (thread.traffic !== direction) thread.traffic = 'both'
      thread.newestId = id
      if (isInbound) thread.shownId = id
      return thread
    }
    const chance = this.#random()
    const folder = chance < 0.7 ? 'inbox' : chance < 0.95 ? 'archive' : chance < 0.98 ? 'trash' : 'spam'
    const thread = {
      ...{ id: idAt(createdAt), inbox, subject: this.#words(5), folder, createdAt },
      ...{ traffic: direction, emails: 1, newestId: id, shownId: id },
    } satisfies Thread
    this.threads.push(thread)
    if (lively.length < LIVELY_THREADS) lively.push(thread)
    else lively[Math.floor(this.#random() * lively.length)] = thread
    return thread
  }

  #words(amount: number): string {
    return Array.from({ length: amount }, () => wordOf(this.#rank())).join(' ')
  }
}

type Message = ReturnType<Mail['next']>

const idAt = (at: Date) => {
  const hex = at.getTime().toString(16).padStart(12, '0') + randomBytes(10).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
}

const insertMessages = (client: pg.Client, values: unknown[]) =>
  client.query(
    `with given as (
       select * from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::boolean[], $6::text[], $7::jsonb[], $8::text[], $9::jsonb[],
         $10::text[], $11::text[], $12::text[], $13::timestamptz[])
       as given (id, inbox, thread, is_inbound, sender, recipients, subject, files, body, people, search, at)),
     emails as (
       insert into received_emails (team_id, id, "from", "to", cc, bcc, reply_to, received_for, subject, envelope_from, client_address,
         helo, size, read_at, created_at)
       select $1, id, sender, recipients, '[]', '[]', '[]', '[]', subject, '', '', '', 1000, at, at from given),
     bodies as (
       insert into received_bodies (team_id, received_id, headers, text, faults) select $1, id, '[]', body, '[]' from given)
     insert into inbox_messages (team_id, inbox_id, id, thread_id, direction, is_read, "from", "to", cc, bcc, reply_to, subject,
       "references", attachments, snippet, people, search, sent_at, created_at)
     select $1, inbox, id, thread, case when is_inbound then 'inbound' else 'outbound' end, true, sender, recipients, '[]', '[]', '[]',
       subject, '[]', files, left(body, 200), people, search::tsvector, at, at
     from given`,
    values,
  )

function valuesOf(team: string, messages: readonly Message[]): unknown[] {
  const column = (of: (message: Message) => unknown) => messages.map(of)
  return [
    team,
    ...[
      column((one) => one.id),
      column((one) => one.inbox),
      column((one) => one.thread),
      column((one) => one.isInbound),
    ],
    ...[column((one) => one.from), column((one) => JSON.stringify(one.to)), column((one) => one.subject)],
    ...[column((one) => JSON.stringify(one.attachments)), column((one) => one.text), column(peopleLines)],
    ...[column(searchText), column((one) => one.at)],
  ]
}

async function insertThreads(client: pg.Client, team: string, threads: readonly Thread[]) {
  for (let done = 0; done < threads.length; done += 10 * CHUNK) {
    progress(`writing threads: ${Math.round((done / threads.length) * 100)} %`)
    const some = threads.slice(done, done + 10 * CHUNK)
    const column = (name: keyof Thread) => some.map((thread) => thread[name])
    await client.query(
      `insert into inbox_threads (team_id, inbox_id, id, subject, folder, traffic, emails, newest_id, shown_id, created_at)
       select $1, * from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::int[], $8::uuid[], $9::uuid[],
         $10::timestamptz[])`,
      [
        team,
        ...(['inbox', 'id', 'subject', 'folder', 'traffic', 'emails', 'newestId', 'shownId', 'createdAt'] as const).map(
          column,
        ),
      ],
    )
  }
}

async function insertPeople(client: pg.Client, team: string, people: Mail['people']) {
  progress(`writing ${people.size} people`)
  const all = [...people.values()]
  await client.query(
    `insert into inbox_people (team_id, inbox_id, address, name, folded)
     select $1, * from unnest($2::uuid[], $3::text[], $4::text[], $5::text[])`,
    [
      team,
      all.map(({ inbox }) => inbox),
      ...(['address', 'name', 'folded'] as const).map((name) => all.map((one) => one[name])),
    ],
  )
}

import type { Database } from '../../src/kernel/db/database.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import { mailboxOf, randomness, wordOf } from './language.ts'

/** Questions of one kind, as the query of an address. Who asks for words of some email asks for one that the inbox has. */
export interface Kind {
  readonly what: string
  readonly path: 'threads' | 'threads/search'
  readonly queries: Asked
  /** How many times as long it may take in the large inbox. Null: it is told, and has no mark. */
  readonly must: number | null
}

export interface Asked {
  readonly large: readonly string[]
  readonly small: readonly string[]
}

const EACH = 40
/** Words that nearly every email has. */
const STOP_WORDS = 30

const random = randomness(2)
const between = (least: number, most: number) => least + Math.floor(random() * (most - least))
/** The same of both. */
const times = (make: () => string): Asked => {
  const queries = Array.from({ length: EACH }, make)
  return { large: queries, small: queries }
}
const search = (parameters: Record<string, string>) => new URLSearchParams({ limit: '20', ...parameters }).toString()
const word = (least: number, most: number) => wordOf(between(least, most))

/** What people ask: words that they remember of an email, frequent ones, rare ones, and some that are nowhere. */
export async function questions(db: Database, inboxes: { large: string; small: string }): Promise<Kind[]> {
  const texts = { large: await someTexts(db, inboxes.large), small: await someTexts(db, inboxes.small) }
  const common = new Set(Array.from({ length: STOP_WORDS }, (_, rank) => wordOf(rank)))
  const pair = (text: string) => {
    const words = text.split(' ').filter((one) => !common.has(one))
    return [words[3], words[Math.floor(words.length / 2)]].join(' ')
  }
  const phrase = (text: string) => `"${text.split(' ').slice(5, 8).join(' ')}"`
  const asked = (query: (text: string) => string): Asked => ({
    large: texts.large.map((text) => search({ query: query(text) })),
    small: texts.small.map((text) => search({ query: query(text) })),
  })
  const people = () => mailboxOf(between(0, 500)).split(/[<>]/)[1]!
  const kind = (what: string, queries: Asked, must: number | null = null): Kind => ({
    ...{ what, queries, must },
    path: 'threads/search',
  })
  return [
    { what: 'first page of threads', path: 'threads', queries: times(() => 'limit=20'), must: 1.5 },
    kind('search for two words of some email', asked(pair), 1.5),
    kind(
      '– two frequent words',
      times(() => search({ query: `${word(10, 100)} ${word(10, 100)}` })),
    ),
    kind(
      '– a frequent and a rare word',
      times(() => search({ query: `${word(10, 100)} ${word(5_000, 40_000)}` })),
    ),
    kind(
      '– two words of middling frequency',
      times(() => search({ query: `${word(300, 2_000)} ${word(300, 2_000)}` })),
    ),
    kind(
      '– one frequent word',
      times(() => search({ query: word(0, 50) })),
    ),
    kind(
      '– one rare word',
      times(() => search({ query: word(10_000, 45_000) })),
    ),
    kind(
      '– a word that is nowhere',
      times(() => search({ query: `x${between(0, 1e9)}` })),
    ),
    kind(
      '– a word, without another',
      times(() => search({ query: `${word(50, 500)} -${word(0, 50)}` })),
    ),
    kind('– a phrase of three words of some email', asked(phrase)),
    kind(
      '– from somebody',
      times(() => search({ from: people() })),
    ),
    kind(
      '– a word, from all with a first name',
      times(() => search({ query: word(10, 300), from: 'anna.' })),
    ),
    kind(
      '– a word, in the trash',
      times(() => search({ query: word(50, 500), folders: 'trash' })),
    ),
  ]
}

async function someTexts(db: Database, inbox: string): Promise<string[]> {
  const rows = await db.queryPooled<{ text: string }>(sql`
    select b.text from inbox_messages m join received_bodies b on b.team_id = m.team_id and b.received_id = m.id
    where m.inbox_id = ${inbox} order by md5(m.id::text) limit ${EACH}`)
  return rows.map(({ text }) => text)
}

import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { makeInbox } from '../../../../test/harness/inboxes.ts'
import { rowsOf } from '../../../kernel/db/rows.ts'
import { type Sql, sql } from '../../../kernel/db/sql.ts'
import { firstIdAt, firstSandboxIdAt } from '../../../platform/ids.ts'
import { searchText } from '../filing/search-document.ts'
import { timeOf } from '../filing/search-marks.ts'
import { findThreads, lookInto, type Search, surroundings } from './finding.ts'
import { conditionsOf, readTerms } from './query.ts'
import { FIRST_ID, LAST_ID, marksOf, nextRange } from './slices.ts'

const HOUR_MS = 3_600_000
const BEGIN = Date.parse('2026-01-01T00:00:00Z')
const MESSAGES = 2_000

/** An hour lies between two of them. */
const idOf = (number: number) => firstIdAt(new Date(BEGIN + number * HOUR_MS))

/** Many messages, each a thread: all have one word, every tenth another, one alone has a third. */
async function largeInbox() {
  const app = await startApp()
  const acme = await app.as('acme')
  const { team, id: inbox } = await makeInbox(acme)
  const messages = Array.from({ length: MESSAGES }, (_, number) => {
    const text = `often ${number % 10 === 0 ? 'tenth' : ''} ${number === 7 ? 'once' : ''} m${number}`
    const message = {
      id: idOf(number),
      inbox,
      from: 'a@b.test',
      to: [],
      cc: [],
      bcc: [],
      subject: '',
      attachments: [],
      text,
    }
    return { id: message.id, search: searchText(message), folder: number === 5 ? 'trash' : 'inbox' }
  })
  const given = rowsOf(messages, { id: 'uuid', search: 'text', folder: 'text' })
  await app.db.transaction(async (trx) => {
    await trx.query(sql`
      insert into inbox_threads (team_id, inbox_id, id, folder, traffic, newest_id, shown_id, created_at)
      select ${team}, ${inbox}, id, folder, 'inbound', id, id, now() from ${given}`)
    await trx.query(sql`
      insert into inbox_messages (team_id, inbox_id, id, thread_id, direction, is_read, "from", "to", cc, bcc, reply_to,
        "references", attachments, snippet, people, search, sent_at, created_at)
      select ${team}, ${inbox}, id, id, 'inbound', true, 'a@b.test', '[]', '[]', '[]', '[]', '[]', '[]', '', 'fa@b.test',
        search::tsvector, now(), now() from ${given}`)
  })
  const search = (query: string): Search => ({
    ...{
      team,
      inbox,
      conditions: conditionsOf(inbox, readTerms(query)),
      choice: { folders: ['inbox'], labels: [] },
      besides: () => sql``,
    },
    range: { from: FIRST_ID, to: LAST_ID },
  })
  return { app, search }
}

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly Plans?: readonly Plan[]
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

const page = { cursor: null, isOlder: true, amount: 21 }

test('in a large inbox a look reads what its time and its words have in common, and finds what there is', async () => {
  const { app, search } = await largeInbox()
  const explained = (statement: Sql) =>
    app.db.searching(async (trx) => {
      const [row] = await trx.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
        sql`explain (analyze, format json) ${statement}`,
      )
      return nodesOf(row!['QUERY PLAN'][0]!.Plan)
    })
  const often = search('often')
  const { first: range, top } = await surroundings(app.db, often, null, true)

  const nodes = await explained(lookInto(often, { range, isLast: false, top, isOlder: true, amount: 21 }))

  const rows = (relation: string) =>
    nodes.filter((node) => node['Relation Name'] === relation).map((node) => node['Actual Rows'] * node['Actual Loops'])
  expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan')
  expect(nodes.map((node) => node['Index Name'])).toContain('inbox_messages_by_words')
  // Of 2,000 that have the word: those of the first look, of a little time around it, and no more threads than a page has.
  expect(Math.max(...rows('inbox_messages'))).toBeLessThan(800)
  expect(Math.max(...rows('inbox_threads'))).toBeLessThanOrEqual(22)

  const all = { from: FIRST_ID, to: LAST_ID }
  const rare = await explained(
    lookInto(search('often once'), { range: all, isLast: true, top, isOlder: true, amount: 21 }),
  )
  expect(rare.map((node) => node['Node Type'])).not.toContain('Seq Scan')
  expect(Math.max(...rare.map((node) => node['Actual Rows'] * node['Actual Loops']))).toBe(1)

  // What is frequent, what is rare and what is nowhere is found, in both directions.
  const found = async (condition: string, window = {}) =>
    (await findThreads(app.db, search(condition), { ...page, ...window })).map(({ email }) => email)
  const every = (step: number, from: number, amount: number) =>
    Array.from({ length: amount }, (_, index) => idOf(from + step * index))

  expect(await found('often')).toEqual(every(-1, 1_999, 21))
  expect(await found('tenth')).toEqual(every(-10, 1_990, 21))
  expect(await found('once')).toEqual([idOf(7)])
  expect(await found('never')).toEqual([])
  expect(await found('tenth', { cursor: idOf(200) })).toEqual(every(-10, 190, 20))
  expect(await found('tenth', { cursor: idOf(200), isOlder: false })).toEqual(every(10, 210, 21))
  expect(await found('once', { cursor: FIRST_ID, isOlder: false })).toEqual([idOf(7)])
  expect(await found('often', { cursor: idOf(1_995), isOlder: false })).toEqual(every(1, 1_996, 4))
  const trash = { ...search('often'), choice: { folders: ['trash'] as const, labels: [] } }
  expect(await findThreads(app.db, trash, page)).toMatchObject([{ email: idOf(5) }])
  expect(await findThreads(app.db, trash, { ...page, cursor: idOf(5) })).toEqual([])
})

test('a range is named by a handful of marks, and messages in it have one of them', () => {
  const inbox = idOf(1)
  const marks = (id: string) =>
    searchText({ id, inbox, from: '', to: [], cc: [], bcc: [], subject: '', attachments: [], text: '' })
  for (const ms of [1, 1_000, 60_000, HOUR_MS, 100 * HOUR_MS, 10_000 * HOUR_MS]) {
    const range = { from: firstIdAt(new Date(BEGIN - ms)), to: firstIdAt(new Date(BEGIN)) }
    const named = marksOf(inbox, range)
    expect(named.length).toBeLessThanOrEqual(8)
    for (const part of [0, 0.3, 0.99]) {
      const document = marks(firstIdAt(new Date(BEGIN - Math.ceil(ms * (1 - part)))))
      expect(named.filter((mark) => document.includes(`'${mark}'`))).toHaveLength(1)
    }
  }
  expect(marksOf(inbox, { from: FIRST_ID, to: LAST_ID })).toEqual([])
})

test('one look follows another until everything was looked at, and nothing is looked at twice', () => {
  const inSandbox = (number: number) => firstSandboxIdAt(new Date(BEGIN + number * HOUR_MS))
  for (const [idAt, isOlder] of [idOf, inSandbox].flatMap((made) => [[made, true] as const, [made, false] as const])) {
    const whole = { from: idAt(0), to: idAt(100_000) }
    let done = isOlder ? { from: idAt(99_999), to: whole.to } : { from: whole.from, to: idAt(1) }
    let looks = 1
    for (; done.from > whole.from || done.to < whole.to; looks++) {
      const next = nextRange(whole, done, isOlder, 16)
      expect(isOlder ? next.to : next.from).toBe(isOlder ? done.from : done.to)
      expect(timeOf(next.to)).toBeGreaterThan(timeOf(next.from))
      done = isOlder ? { from: next.from, to: done.to } : { from: done.from, to: next.to }
    }
    expect(looks).toBeLessThan(7)
  }
})

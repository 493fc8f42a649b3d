import { beforeEach, expect, test } from 'vitest'
import { type App, startApp } from '../../../test/harness/app.ts'
import { searchBuffers, workBuffers } from '../../../test/harness/buffers.ts'
import { findEmails } from '../../features/emails/combined-filter.ts'
import { emailSearch } from '../../features/emails/search.ts'
import { momentOf } from '../../platform/ids.ts'
import type { JsonRows } from '../db/json-rows.ts'
import { raw, sql } from '../db/sql.ts'
import { FoundItems, pageStatement } from '../http/list.ts'
import { catchUp, readProgress, settleProgress } from './catch-up.ts'
import { growingPieces } from './ranges.ts'

// What a search reads among many emails.

const EMAILS = 12_000
const NEWEST = { limit: 20, cursor: null, direction: 'older' } as const

/** One every 200 ms: of the last two minutes are 600, which each search makes sure to have documents of. */
async function fill({ db }: App, team: string): Promise<string> {
  await db.queryPooled(sql`
    insert into emails (team_id, id, message_id, "from", "to", subject, last_event, created_at)
    select ${team}, (lpad(to_hex(1700000000000 + n::bigint * 200), 12, '0') || '70008' || substr(md5(n::text), 1, 15))::uuid, 'm', 'shop@acme.test',
      jsonb_build_array('person' || n || '@example.com'), case when n = 30 then 'Zebra ' else '' end || 'Order ' || n, 'delivered', now()
    from generate_series(1, ${EMAILS}::int) n`)
  await db.queryPooled(sql`
    update emails set last_event = 'bounced' where team_id = ${team} and substring(subject from '\\d+')::int % 30 = 0`)
  // The first one writes all documents.
  await findEmails(db, team, { q: 'nothing' }, NEWEST)
  for (const table of ['emails', 'emails_by_status', 'email_documents']) await db.query(raw(`vacuum analyze ${table}`))
  return team
}

let app: App
let team: string
/** The tests of this file share a database. */
let filled: Promise<string> | undefined

beforeEach(async () => {
  app = await startApp()
  filled ??= fill(app, (await app.as('acme')).team)
  team = await filled
})

const find = (q: string) =>
  searchBuffers(app.db, async (db) => {
    const rows = await findEmails(db, team, { q }, NEWEST)
    if (rows instanceof FoundItems) throw new Error('not a search')
    const [page] = await db.search<JsonRows>(pageStatement(rows, NEWEST, 3))
    return page!.texts().map((text) => (JSON.parse(text) as { subject: string }).subject)
  })

test('whoever searches does not look up the document of each new item', async () => {
  const buffers = await workBuffers(app.db, (db) => catchUp(db, team, emailSearch.source))

  // It is 21, and was 1,216.
  expect(buffers).toBeLessThan(150)
})

test('the progress moves on without a look at the documents of all time', async () => {
  const end = (await readProgress(app.db, team, emailSearch.source)).high
  const [row] = await app.db.query<{ high: string }>(sql.write`
    update search_progress set high = (
      select id from emails where team_id = ${team} and id < ${end} order by id desc offset 500 limit 1)
    where team_id = ${team} and kind = 'email_documents' returning high`)

  const buffers = await workBuffers(app.db, (db) => settleProgress(db, team, emailSearch.source, row!))

  // Nothing has come for years.
  const { high } = await readProgress(app.db, team, emailSearch.source)
  expect(momentOf(high).getTime()).toBeGreaterThan(app.clock.now().getTime() - 3_600_000)
  // It is 32, and was 770.
  expect(buffers).toBeLessThan(150)
})

test('a rare word leads, and not the hundreds of items with a rare status', async () => {
  const { buffers } = await find('status:bounced zebra')

  // It is 51, and was 569.
  expect(buffers).toBeLessThan(200)
})

test('of a rare status and a frequent word the newest are looked up, and not all with the status', async () => {
  const { buffers } = await find('status:bounced order')

  // Mostly 250 documents and 64 of the status with their emails. With 1,502 of 300,000 that had bounced it read 6,146, and now 1,149.
  expect(buffers).toBeLessThan(1_300)
})

test('what is rare is found by each of the ways', async () => {
  const subjects = async (q: string) => (await find(q)).result.slice(0, 3)

  expect(await subjects('status:bounced zebra')).toEqual(['Zebra Order 30'])
  expect(await subjects('status:delivered zebra')).toEqual([])
  expect(await subjects('status:bounced order')).toEqual(['Order 12000', 'Order 11970', 'Order 11940'])
  expect(await subjects('status:bounced -order')).toEqual([])
  expect(await subjects('status:bounced person30')).toEqual(['Order 3090', 'Order 3060', 'Order 3030'])
})

const idOf = (day: number) => `${(1_700_000_000_000 + day * 86_400_000).toString(16).padStart(12, '0')}`
const idsOf = (days: readonly number[]) =>
  days.map((day) => idOf(day).replace(/^(.{8})(.{4})$/, '$1-$2-7000-8000-000000000000'))

test('candidates are looked up in pieces that grow: the nearest need no look at all weeks', () => {
  const lengths = (days: readonly number[]) => Array.from(growingPieces(idsOf(days)), (piece) => piece.length)

  expect(lengths([])).toEqual([])
  expect(lengths([100])).toEqual([1])
  // A week, then four, then sixteen.
  expect(lengths([200, 199, 190, 170, 161, 100, 99, 60])).toEqual([2, 2, 4])
  expect(lengths([1, 2, 3, 40])).toEqual([3, 1])
  expect(lengths(Array.from({ length: 400 }, () => 7))).toEqual([64, 256, 80])
  const pieces = [...growingPieces(idsOf([200, 199, 190, 100, 50]))]
  expect(pieces.flat()).toEqual(idsOf([200, 199, 190, 100, 50]))
})

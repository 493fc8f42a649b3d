import { expect, onTestFinished, test } from 'vitest'
import { freshDatabase } from '../../../test/harness/database.ts'
import { newId } from '../../../test/harness/ids.ts'
import { systemClock } from '../../platform/clock.ts'
import { Database } from './database.ts'
import { rowsOf } from './rows.ts'
import { sql } from './sql.ts'

async function openDatabase() {
  const db = Database.connect(await freshDatabase(), { clock: systemClock })
  onTestFinished(() => db.close())
  return db
}

test('records come back from a statement as they went in, whatever is in them', async () => {
  const db = await openDatabase()
  const records = [
    {
      id: newId(),
      text: 'a "quoted", {braced} \\ NULL',
      count: 3,
      isDone: true,
      at: new Date('2026-11-15T10:00:00.123Z'),
      bytes: Buffer.from([0, 255]),
      any: ['a', 1, null] as unknown,
      ignored: 1,
    },
    { id: newId(), text: null, count: null, isDone: null, at: null, bytes: null, any: 'a text', ignored: 2 },
    { id: newId(), text: '', count: 0, isDone: false, at: null, bytes: Buffer.alloc(0), any: undefined, ignored: 3 },
  ]

  const rows = await db.query(sql`
    select * from ${rowsOf(records, {
      id: 'uuid',
      text: 'text',
      count: 'int',
      isDone: 'boolean',
      at: 'timestamptz',
      bytes: 'bytea',
      any: 'jsonb',
    })}`)

  expect(rows).toEqual(records.map(({ ignored, ...rest }) => ({ ...rest, any: rest.any ?? null })))
})

test('what no text of PostgreSQL can contain does not get into JSON either, and what only looks like it stays', async () => {
  const db = await openDatabase()
  const given = {
    'key\ud83d': ['half \ud83d', '\ude00 of one', 'zero \0', 'whole 😀', String.raw`\ud83d \u0000 \\ud83d`, '\u0001'],
  }

  const [row] = await db.query<{ texts: string[] }>(sql`
    select array(select json_array_elements_text(data -> 'key\ufffd')) as texts
    from ${rowsOf([{ data: given }], { data: 'json' })}`)

  expect(row!.texts).toEqual([
    ...['half \ufffd', '\ufffd of one', 'zero \ufffd', 'whole 😀'],
    ...[String.raw`\ud83d \u0000 \\ud83d`, '\u0001'],
  ])
})

test('no record is no row, and more records make no other statement', async () => {
  const db = await openDatabase()
  const textOf = (records: { id: string }[]) => rowsOf(records, { id: 'uuid' }, 'wanted').toQuery().text

  expect(await db.query(sql`select * from ${rowsOf([] as { id: string }[], { id: 'uuid' })}`)).toEqual([])
  expect(textOf([])).toBe('unnest($1::uuid[]) as wanted ("id")')
  expect(textOf([{ id: newId() }, { id: newId() }])).toBe(textOf([]))
})

test('a column may be an expression over an array', async () => {
  const db = await openDatabase()
  const records = [
    { number: 1, words: 'one' },
    { number: 2, words: 'two' },
  ]

  const rows = await db.query(sql`
    select * from ${rowsOf(records, { number: 'int', words: sql`string_to_array(${'one,two'}, ',')` })}`)

  expect(rows).toEqual(records)
})

test('a field that the records do not have, or of another type, is no column', () => {
  const records = [{ id: newId(), count: 1 }]

  // @ts-expect-error there is no such field
  rowsOf(records, { name: 'text' })
  // @ts-expect-error a number is no text
  rowsOf(records, { count: 'text' })
})

test.each([
  ['2026-11-17 05:00:00+00', '2026-11-17 05:00:00.0+00'],
  ['2026-11-17 05:00:00.5+00', '2026-11-17 05:00:00.5+00'],
  ['2026-11-17 05:00:00.12345+05:45', '2026-11-16 23:15:00.12345+00'],
  ['1969-12-31 23:59:59.000001+00', '1969-12-31 23:59:59.000001+00'],
])('the time %s is %s on the wire, whatever the database is set to', async (moment, text) => {
  const config = await freshDatabase()
  const db = Database.connect(
    { ...config, options: '-c TimeZone=Asia/Kathmandu -c DateStyle=German' },
    { clock: systemClock },
  )
  onTestFinished(() => db.close())

  expect(await db.query(sql`select wire_time(${moment}::timestamptz) as text`)).toEqual([{ text }])
})

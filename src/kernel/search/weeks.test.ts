import { readFileSync } from 'node:fs'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { freshDatabase } from '../../../test/harness/database.ts'
import { newId } from '../../../test/harness/ids.ts'
import { firstIdAt, firstSandboxIdAt, momentOf } from '../../platform/ids.ts'
import { sql } from '../db/sql.ts'
import { boundAt, periodStart } from '../partitions/tables.ts'
import { forgetOldDocuments } from './old-documents.ts'
import { FIRST_ID, growingWeeks, LAST_ID, weeksWith } from './ranges.ts'

const migration = (name: string) => readFileSync(new URL(`../../../migrations/${name}`, import.meta.url), 'utf8')
const TABLES_BY_WEEK = migration('0175_documents_by_time.sql')
const OLD_BY_WEEK = migration('0176_old_documents_by_week.sql')
/** A Thursday. */
const NOW = new Date('2026-11-19T12:00:00Z')

const day = (id: string) =>
  id === FIRST_ID ? 'first' : id === LAST_ID ? 'last' : momentOf(id).toISOString().slice(0, 10)
const days = (range: { from: string; to: string }, isOlder: boolean) =>
  growingWeeks(range, { isOlder, now: NOW }).map(({ from, to }) => `${day(from)} ${day(to)}`)

test('time is asked for in weeks, the nearest first, and each piece as long as those before it', () => {
  const older = days({ from: FIRST_ID, to: LAST_ID }, true)

  expect(older.slice(0, 4)).toEqual([
    '2026-11-16 last',
    '2026-11-09 2026-11-16',
    '2026-10-26 2026-11-09',
    '2026-09-28 2026-10-26',
  ])
  expect(older.at(-1)).toMatch(/^first /)
  expect(older.length).toBeLessThan(15)
  const from = firstIdAt(new Date('2026-10-07T09:00:00Z'))
  expect(days({ from, to: LAST_ID }, false)).toEqual([
    '2026-10-07 2026-10-12',
    '2026-10-12 2026-10-19',
    '2026-10-19 2026-11-02',
    '2026-11-02 last',
  ])
  const to = boundAt(new Date('2026-10-12T00:00:00Z'))
  expect(days({ from, to }, true)).toEqual(['2026-10-07 2026-10-12'])
  const sandbox = { from: firstSandboxIdAt(new Date(0)), to: LAST_ID }
  expect(growingWeeks(sandbox, { isOlder: true, now: NOW })).toEqual([sandbox])
})

test('pieces follow each other without a gap, whatever the range', () => {
  for (const isOlder of [true, false])
    for (const hours of [0, 1, 24, 160, 168, 169, 3_000, 90_000]) {
      const range = {
        from: firstIdAt(new Date(NOW.getTime() - hours * 3_600_000 - 1)),
        to: hours % 2 === 0 ? LAST_ID : firstIdAt(NOW),
      }
      const pieces = growingWeeks(range, { isOlder, now: NOW })
      const inTime = isOlder ? [...pieces].reverse() : pieces
      expect(inTime[0]!.from).toBe(range.from)
      expect(inTime.at(-1)!.to).toBe(range.to)
      for (const [index, piece] of inTime.entries()) {
        expect(piece.from < piece.to).toBe(true)
        if (index > 0) expect(piece.from).toBe(inTime[index - 1]!.to)
        const { from, to } = weeksWith(piece)
        expect(from <= piece.from && piece.to <= to).toBe(true)
        if (from !== FIRST_ID) expect(periodStart('week', momentOf(from))).toEqual(momentOf(from))
      }
    }
})

interface Bound {
  readonly name: string
  readonly bound: string
}

/** The partitions that the migrations make of a database whose first team is so old, and that may have written some already. Everything is rolled back. */
async function migrated(teamAgeDays: number | null, { isWritten = false } = {}): Promise<Bound[]> {
  const client = new pg.Client(await freshDatabase())
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('begin')
  await client.query('delete from teams; drop table email_documents, received_documents')
  if (teamAgeDays !== null)
    await client.query(
      `insert into teams (id, name, created_at) values ($1, $1::uuid::text, now() - $2 * interval '1 day')`,
      [newId(), teamAgeDays],
    )
  await client.query(TABLES_BY_WEEK)
  if (isWritten)
    await client.query(`insert into email_documents (team_id, id, words) values ($1, $2, 'word')`, [newId(), FIRST_ID])
  await client.query(OLD_BY_WEEK)
  const { rows } = await client.query<Bound>(`
    select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound from pg_inherits h join pg_class c on c.oid = h.inhrelid
    where h.inhparent = 'email_documents'::regclass order by substring(pg_get_expr(c.relpartbound, c.oid) from 'TO (.*)')`)
  await client.query('rollback')
  return rows
}

test('the upgrade cuts documents of what was there before by weeks, as far back as there are teams', async () => {
  const fresh = await migrated(null)
  const old = await migrated(40)

  expect(fresh.map(({ name }) => name).sort()).toEqual(
    expect.arrayContaining(['email_documents_before', 'email_documents_later', 'email_documents_sandboxes']),
  )
  const weeks = old.filter((one) => !fresh.some(({ name }) => name === one.name))
  expect(weeks.length).toBeGreaterThanOrEqual(6)
  expect(weeks.length).toBeLessThanOrEqual(8)
  const ends = old.map(({ bound }) => [...bound.matchAll(/\((?:'([^']*)'|MINVALUE|MAXVALUE)\)/g)].map(([, id]) => id))
  const sorted = ends.sort(([one], [other]) => ((one ?? '') < (other ?? '') ? -1 : 1))
  for (const [index, [from]] of sorted.entries()) if (index > 0) expect(from).toBe(sorted[index - 1]![1])
  expect((await migrated(9_999)).length).toBeLessThan(600)
  // They would have to be moved while nobody can search.
  expect(await migrated(40, { isWritten: true })).toEqual(fresh)
})

test('documents from before the tables by time go two days after the upgrade, and those of other kinds stay', async () => {
  const app = await startApp()
  const { team } = await app.as('acme')
  const kinds = ['email', 'received', 'contact', 'message']
  for (const kind of kinds)
    await app.db.query(sql`
      insert into search_documents (team_id, kind, id, words) select ${team}, ${kind}, uuidv7(), 'x'::tsvector from generate_series(1, 3)`)
  for (const kind of ['email', 'received', 'email_documents'])
    await app.db.query(sql`
      insert into search_progress (team_id, kind, low, high) values (${team}, ${kind}, ${FIRST_ID}, ${FIRST_ID})`)
  const { signal } = new AbortController()
  const left = async () => {
    const rows = await app.db.query<{ kind: string }>(sql`
      select distinct kind from search_documents where team_id = ${team} union all
      select 'progress of ' || kind from search_progress where team_id = ${team} order by 1`)
    return rows.map(({ kind }) => kind)
  }
  const before = await left()

  await forgetOldDocuments.run({}, { db: app.db, signal })
  expect(await left()).toEqual(before)

  app.clock.advance(3 * 86_400)
  await forgetOldDocuments.run({}, { db: app.db, signal })
  expect(await left()).toEqual(['contact', 'message', 'progress of email_documents'])
})

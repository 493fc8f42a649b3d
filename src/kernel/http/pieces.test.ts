import { expect, test } from 'vitest'
import { startAcme } from '../../../test/harness/emails.ts'
import { FIRST_SANDBOX_ID, firstIdAt, firstIdFrom, newId, newSandboxId } from '../../platform/ids.ts'
import { sql } from '../db/sql.ts'
import { behind } from '../search/ranges.ts'
import { idRangesOf, splitBehind, upTo } from './id-ranges.ts'

const NOW = new Date('2026-11-18T12:00:00Z')
const DAY_MS = 86_400_000
const TEAM = newId({ now: () => NOW })

const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY_MS)
const cursorAt = (days: number) => firstIdAt(daysAgo(days))

const DIRECTIONS = [{ isNewer: false }, { isNewer: true }]

test.each(DIRECTIONS)('the pieces of a list follow one another, and leave nothing out: $isNewer', ({ isNewer }) => {
  const cursors = [
    null,
    cursorAt(0),
    cursorAt(3),
    cursorAt(400),
    '00000000-0000-7000-8000-000000000000',
    FIRST_SANDBOX_ID,
  ]
  for (const days of [1, 7] as const)
    for (const cursor of cursors) {
      const pieces = idRangesOf({ periods: { days } }, { cursor, isNewer, team: TEAM, now: NOW })
      const bounds = pieces.map(({ from, to }) => (isNewer ? [from, to] : [to, from]))
      expect(bounds[0]![0]).toBeNull()
      expect(bounds.at(-1)![1]).toBeNull()
      for (const [index, [begin]] of bounds.entries()) if (index > 0) expect(begin).toBe(bounds[index - 1]![1])
      const inner = bounds.flatMap(([, end]) => (end ? [end] : []))
      expect(inner).toEqual(isNewer ? inner.toSorted() : inner.toSorted().toReversed())
    }
})

test('the first piece is next to the cursor, and what a filter leaves out has none', () => {
  const fromNow = idRangesOf({ periods: { days: 7 } }, { cursor: null, isNewer: false, team: TEAM, now: NOW })
  const fromCursor = idRangesOf(
    { periods: { days: 7 } },
    { cursor: cursorAt(100), isNewer: false, team: TEAM, now: NOW },
  )
  const before = { days: 7, before: cursorAt(50) } as const
  const filtered = idRangesOf({ periods: before }, { cursor: null, isNewer: false, team: TEAM, now: NOW })

  expect(fromNow[0]!.from).toBe(cursorAt(14))
  expect(fromCursor[0]!.from).toBe(cursorAt(114))
  expect(filtered[0]!.from).toBe(cursorAt(64))
})

test('a list without periods, and one of a sandbox, are read in one go', () => {
  const sandbox = newSandboxId({ now: () => NOW })
  const whole = [{ from: null, to: null }]

  expect(idRangesOf({}, { cursor: null, isNewer: false, team: TEAM, now: NOW })).toEqual(whole)
  expect(idRangesOf({ periods: { days: 7 } }, { cursor: null, isNewer: false, team: sandbox, now: NOW })).toEqual(whole)
})

/** In every piece some, in some of them many, a few of somebody whose clock is ahead. */
const AGES = [-3, -0.5, 0, 0.1, 0.2, 1, 5, 13.9, 14.1, 20, 97, 99, 240, 517, 519, 700, 1_500, ...Array(30).keys()]

test.each([1, 4, 20, 100])('pages of %i go through years in both directions and skip nothing', async (limit) => {
  const { app, acme } = await startAcme()
  const now = app.clock.now().getTime()
  const ids = AGES.map((age) => newId({ now: () => new Date(now - age * DAY_MS) }))
  for (const id of ids)
    await app.db.query(sql.write`
      insert into emails (team_id, id, message_id, "from", "to", subject, last_event, created_at)
      values (${acme.team}, ${id}, 'm', 'hello@acme.dev', '["ada@one.dev"]', 'Hello', 'delivered', ${app.clock.now()})`)
  const newestFirst = ids.toSorted().toReversed()
  const walk = async (parameter: 'after' | 'before', start: string, filter = '') => {
    const found: string[] = []
    let cursor = start
    for (;;) {
      const { body } = await acme.get(`/emails?limit=${limit}${cursor && `&${parameter}=${cursor}`}${filter}`)
      const page = body.data.map(({ id }: { id: string }) => id)
      found.push(...(parameter === 'after' ? page : page.toReversed()))
      if (!body.has_more) return found
      cursor = found.at(-1)!
    }
  }

  expect(await walk('after', '')).toEqual(newestFirst)
  expect(await walk('after', '', '&status=delivered')).toEqual(newestFirst)
  expect(await walk('before', '00000000-0000-7000-8000-000000000000')).toEqual(newestFirst.toReversed())
  expect(await walk('before', newestFirst.at(-1)!)).toEqual(newestFirst.toReversed().slice(1))
})

test('a piece ends at the cursor where it has no other end', () => {
  const [from, to, cursor] = [cursorAt(30), cursorAt(20), cursorAt(10)]

  expect(upTo(cursor, { from, to: null, isNewer: false })).toEqual({ from, to: cursor })
  expect(upTo(cursor, { from: null, to, isNewer: false })).toEqual({ from: null, to })
  expect(upTo(cursor, { from: null, to, isNewer: true })).toEqual({ from: cursor, to })
  expect(upTo(null, { from, to: null, isNewer: false })).toEqual({ from, to: null })
})

test('ids part a piece into where they are and what is behind them, in both directions', () => {
  const ids = [3, 2, 1].map((days) => newId({ now: () => daysAgo(days) })) as [string, string, string]
  const [lowest, , highest] = ids
  const piece = { from: cursorAt(9), to: cursorAt(0) }
  const end = firstIdFrom(highest, 1)

  expect(splitBehind(ids.toReversed() as typeof ids, { ...piece, isNewer: false })).toEqual({
    part: { from: lowest, to: end },
    rest: { from: piece.from, to: lowest },
  })
  expect(splitBehind(ids, { ...piece, isNewer: true })).toEqual({
    part: { from: lowest, to: end },
    rest: { from: end, to: piece.to },
  })
  // What was read already in the same millisecond is not part of the next piece.
  expect(splitBehind([lowest], { from: null, to: behind(lowest), isNewer: false }).part.to).toBe(behind(lowest))
})

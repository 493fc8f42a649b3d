import { beforeEach, expect, test } from 'vitest'
import { fixedClock } from '../../test/harness/clock.ts'
import { type Clock, systemClock } from './clock.ts'
import { firstIdAt, newId as idOf, isId } from './ids.ts'

/** Of a clock of its own in each test, at the moment that the test says. */
let clock: Clock
beforeEach(() => {
  clock = fixedClock()
})
const newId = (ms: number) => idOf(clock, new Date(ms))

const timeOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

test('an id is a UUID of version 7, in lower case', () => {
  const id = idOf(clock)

  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(isId(id)).toBe(true)
})

test('ids grow, also within a millisecond and far beyond what fits into one', () => {
  const now = Date.now()

  const ids = Array.from({ length: 50_000 }, () => newId(now))

  expect(ids).toEqual(ids.toSorted())
  expect(new Set(ids).size).toBe(ids.length)
})

test('ids grow when the clock is set back', () => {
  const now = Date.now() + 1_000_000

  const ids = [newId(now), newId(now - 3_600_000), newId(0), newId(now - 1), newId(now + 1)]

  expect(ids).toEqual(ids.toSorted())
})

test('an id begins with its time', () => {
  const later = Date.now() + 10_000_000

  expect(timeOf(newId(later))).toBe(later)
  expect(timeOf(newId(2 ** 47))).toBe(2 ** 47)
})

test('a clock that is ahead does not take the ids of another with it', () => {
  const ahead = fixedClock(new Date(clock.now().getTime() + 30 * 86_400_000))

  const ids = [idOf(clock), idOf(ahead), idOf(clock)]

  expect(ids.map(timeOf)).toEqual([clock, ahead, clock].map((one) => one.now().getTime()))
  expect(ids[2]! > ids[0]!).toBe(true)
})

test.each([
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  'C0FFEE00-1234-4234-8234-123456789ABC',
])('%s is an id, whatever its version', (text) => {
  expect(isId(text)).toBe(true)
})

test.each([
  '',
  'x',
  '01932b5c7d3e7c469a516f6f0c1d2e3f',
  '{01932b5c-7d3e-7c46-9a51-6f6f0c1d2e3f}',
  ` ${idOf(systemClock)}`,
  `${idOf(systemClock)}\n`,
])('%j is no id', (text) => {
  expect(isId(text)).toBe(false)
})

test('what was made before a moment is before its first id, and what is made from then on is behind it', () => {
  const now = timeOf(idOf(clock)) + 2
  const [before, at] = [newId(now - 1), newId(now)]

  const first = firstIdAt(new Date(now))

  expect(isId(first)).toBe(true)
  expect([before, first, at]).toEqual([before, first, at].sort())
  expect(firstIdAt(new Date(-1))).toBe('00000000-0000-7000-8000-000000000000')
})

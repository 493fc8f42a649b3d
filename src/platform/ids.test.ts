import { beforeEach, describe, expect, test } from 'vitest'
import { type FixedClock, fixedClock } from '../../test/harness/clock.ts'
import { systemClock } from './clock.ts'
import {
  FIRST_SANDBOX_ID,
  firstIdAt,
  firstIdFrom,
  newId as idOf,
  idsBehind,
  isId,
  isSandbox,
  momentOf,
  newSandboxId,
} from './ids.ts'

/** Of a clock of its own in each test, at the moment that the test says. */
let clock: FixedClock
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
  expect(timeOf(newId(2 ** 47 - 1))).toBe(2 ** 47 - 1)
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

describe('a sandbox', () => {
  const DAY = 86_400_000
  const freeze = (sandbox: string, ms: number, version = 1) =>
    clock.set(sandbox, { version, offsetMs: 0, frozenAt: new Date(clock.now().getTime() + ms) })

  test('has an id of real time itself, and makes ids behind those of all teams, in the order of its time', () => {
    const sandbox = newSandboxId(clock)
    const own = clock.of(sandbox)
    const team = [idOf(clock), idOf(clock.of(idOf(clock)))]
    const before = Array.from({ length: 5_000 }, () => idOf(own))
    freeze(sandbox, 3 * DAY)
    const later = Array.from({ length: 5_000 }, () => idOf(own))
    team.push(idOf(clock), newId(2 ** 47 - 1))

    const all = [...team, ...before, ...later]
    expect(all).toEqual(all.toSorted())
    expect(new Set(all).size).toBe(all.length)
    expect([sandbox, ...team].filter((id) => id >= FIRST_SANDBOX_ID)).toEqual([])
    expect([...before, ...later].filter((id) => id < FIRST_SANDBOX_ID || !isId(id) || isSandbox(id))).toEqual([])
    const now = clock.now().getTime()
    expect([sandbox, before[0]!, later[0]!].map((id) => momentOf(id).getTime() - now)).toEqual([0, 0, 3 * DAY])
  })

  test('that is set back goes on making greater ids', () => {
    const sandbox = newSandboxId(clock)
    freeze(sandbox, 3 * DAY)
    const first = idOf(clock.of(sandbox))
    freeze(sandbox, DAY, 2)

    expect(idOf(clock.of(sandbox)) > first).toBe(true)
  })

  test('has first ids of a moment, and a team has others', () => {
    const [sandbox, moment] = [newSandboxId(clock), new Date(timeOf(idOf(clock)) + 2)]
    const own = clock.of(sandbox)
    const [before, at] = [idOf(own, new Date(moment.getTime() - 1)), idOf(own, moment)]

    const first = firstIdAt(moment, sandbox)

    expect([before, first, at]).toEqual([before, first, at].sort())
    expect(momentOf(first)).toEqual(moment)
    expect(firstIdAt(moment, idOf(clock))).toBe(firstIdAt(moment))
    const far = ['-000001-01-01T00:00:00Z', '9999-12-31T23:59:59Z'].map((text) => firstIdAt(new Date(text), sandbox))
    expect([FIRST_SANDBOX_ID, at, far[1]]).toEqual([far[0], at, far[1]].sort())
    expect([firstIdFrom(at, DAY), firstIdFrom(newId(moment.getTime()), -DAY)]).toEqual([
      firstIdAt(new Date(moment.getTime() + DAY), sandbox),
      firstIdAt(new Date(moment.getTime() - DAY)),
    ])
  })

  test('makes ids behind that of a process whose clock is ahead', () => {
    const sandbox = newSandboxId(clock)
    const ahead = idOf({ now: () => new Date(clock.now().getTime() + DAY), isSandbox: true })
    const behindIt = idsBehind(clock.of(sandbox), ahead)
    const behindOld = idsBehind(clock.of(sandbox), newId(clock.now().getTime() + DAY))

    const ids = [ahead, behindIt(), behindIt()]
    expect(ids).toEqual(ids.toSorted())
    expect(momentOf(ids[2]!).getTime()).toBe(clock.now().getTime() + DAY + 1)
    // Before the bit there were ids without it.
    expect(behindOld() > FIRST_SANDBOX_ID).toBe(true)
  })
})

import { beforeEach, expect, test } from 'vitest'
import { type FixedClock, fixedClock } from '../../test/harness/clock.ts'
import { VIRTUAL_OFFSET_MS } from './clock.ts'
import { newId, newSandboxId } from './ids.ts'

const HOUR = 3_600_000
let clock: FixedClock
let start: number
let sandbox: string
beforeEach(() => {
  clock = fixedClock()
  start = clock.now().getTime()
  sandbox = newSandboxId(clock)
})

const at = (ms: number) => new Date(start + ms)
const freeze = (ms: number, version = 1) => clock.set(sandbox, { version, offsetMs: 0, frozenAt: at(ms) })

test('a sandbox lives in real time until it has a time of its own', () => {
  const own = clock.of(sandbox)

  expect([own.now(), own.toReal(at(HOUR)), own.fromReal(at(HOUR))]).toEqual([at(0), at(HOUR), at(HOUR)])
  freeze(HOUR)
  expect(clock.of(sandbox)).toBe(own)
  expect(own.now()).toEqual(at(HOUR))
  clock.advance(60)
  expect(own.now()).toEqual(at(HOUR))
})

test('a clock that runs stays as far ahead as it is', () => {
  clock.set(sandbox, { version: 1, offsetMs: HOUR, frozenAt: null })
  clock.advance(60)

  expect(clock.of(sandbox).now()).toEqual(at(HOUR + 60_000))
})

test('what is due in the future of a sandbox is nobody’s business, and what is due by now is due', () => {
  freeze(HOUR)
  const own = clock.of(sandbox)

  expect(own.toReal(at(2 * HOUR))).toEqual(at(2 * HOUR + VIRTUAL_OFFSET_MS))
  expect(own.fromReal(at(2 * HOUR + VIRTUAL_OFFSET_MS))).toEqual(at(2 * HOUR))
  expect(own.toReal(at(HOUR))).toEqual(at(0))
  expect(own.toReal(at(HOUR - 5_000))).toEqual(at(-5_000))
  expect(own.fromReal(at(-5_000))).toEqual(at(HOUR))
  expect(own.fromReal(at(5_000))).toEqual(at(HOUR + 5_000))
})

test('who comes late with an older time is not heard', () => {
  freeze(2 * HOUR, 2)
  freeze(HOUR, 1)

  expect(clock.of(sandbox).now()).toEqual(at(2 * HOUR))
})

test('nobody else’s time or ids move with it', () => {
  const [other, team] = [newSandboxId(clock), newId(clock)]
  freeze(HOUR)

  expect([clock.now(), clock.of(other).now(), clock.of(team).now()]).toEqual([at(0), at(0), at(0)])
  expect(newId(clock.of(sandbox)) > newId(clock)).toBe(true)
  expect(clock.of(team)).toBe(clock.of(newId(clock)))
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RetryStagger, TokenBucket } from './bucket.ts'
import {
  MIN_RATE_PER_SECOND,
  nextPace,
  type PaceBounds,
  type PaceEvent,
  type PaceState,
  rateOf,
  restOf,
} from './controller.ts'

const BOUNDS: PaceBounds = { rate: null, connections: 5, observedRate: 0 }

/** A site that takes so many messages a second, with a burst, and asks for less beyond that. */
class Site {
  #tokens: number
  #at = 0
  limit: number
  readonly burst: number

  constructor(limit: number, burst = Math.max(2, limit * 10)) {
    this.limit = limit
    this.burst = burst
    this.#tokens = burst
  }

  takes(now: number): boolean {
    this.#tokens = Math.min(this.burst, this.#tokens + ((now - this.#at) / 1_000) * this.limit)
    this.#at = now
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }
}

/** Somebody with more mail than the site takes, for so many seconds. */
function send(site: Site, seconds: number, begin: { state: PaceState | null; now: number } = { state: null, now: 0 }) {
  let { state, now } = begin
  const bucket = new TokenBucket(now)
  const until = now + seconds * 1_000
  let [taken, refused, sinceTold] = [0, 0, 0]
  let toldAt = now
  const apply = (event: PaceEvent) => {
    const step = nextPace(state, event, { now, bounds: { ...BOUNDS, observedRate: 200 } })
    if (step.cause === 'throttled') bucket.restUntil(step.state!.restUntil)
    state = step.state
  }
  while (now < until) {
    const wait = state ? bucket.wait(now, rateOf(state, null)) : 5
    now += Math.max(1, wait)
    if (state) bucket.wait(now, rateOf(state, null))
    bucket.take()
    if (site.takes(now)) {
      taken++
      sinceTold++
    } else {
      refused++
      apply({ kind: 'throttled', startedAt: now })
    }
    if (now - toldAt >= 5_000) {
      apply({ kind: 'counted', taken: sinceTold, deferred: 0 })
      sinceTold = 0
      toldAt = now
    }
  }
  return { state: state as PaceState | null, now, goodput: taken / (site.limit * seconds), refused }
}

describe('a hidden limit', () => {
  test('is found, and then used to nine tenths with few refusals, whatever it is', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.1, max: 60, noNaN: true }), fc.integer({ min: 1, max: 60 }), (limit, burst) => {
        const site = new Site(limit, Math.max(2, limit * burst))
        const found = send(site, 3_600)
        const used = send(site, 6 * 3_600, found)
        expect(used.goodput).toBeGreaterThan(0.9)
        expect(used.refused / (limit * 6 * 3_600)).toBeLessThan(0.02)
      }),
      { numRuns: 25 },
    )
  })

  test('that falls to a tenth is found again, and so is one that rises tenfold', () => {
    const site = new Site(10)
    let at = send(site, 3_600)
    site.limit = 1
    at = send(site, 1_800, at)
    at = send(site, 3_600, at)
    expect(at.goodput).toBeGreaterThan(0.85)
    site.limit = 10
    at = send(site, 3_600, at)
    at = send(site, 3_600, at)
    expect(at.goodput).toBeGreaterThan(0.85)
  })
})

const anyEvent = fc.oneof(
  fc.record({ kind: fc.constant('throttled' as const), ago: fc.integer({ min: 0, max: 60_000 }) }),
  fc.record({
    kind: fc.constant('counted' as const),
    taken: fc.integer({ min: 0, max: 5_000 }),
    deferred: fc.integer({ min: 0, max: 50 }),
  }),
)

test('whatever happens, the rate stays between one a minute and the ceiling, and connections between one and theirs', () => {
  const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 100_000 }), anyEvent), { maxLength: 200 })
  const ceilings = fc.option(fc.double({ min: MIN_RATE_PER_SECOND, max: 1_000, noNaN: true }), { nil: null })
  fc.assert(
    fc.property(steps, ceilings, fc.integer({ min: 1, max: 100 }), (events, rate, connections) => {
      let state: PaceState | null = null
      let now = 0
      for (const [later, event] of events) {
        now += later
        const given: PaceEvent = event.kind === 'throttled' ? { kind: 'throttled', startedAt: now - event.ago } : event
        const before: PaceState | null = state
        const { state: after, cause } = nextPace(before, given, {
          now,
          bounds: { rate, connections, observedRate: 50 },
        })
        state = after
        if (!after) continue
        expect(after.rate).toBeGreaterThanOrEqual(MIN_RATE_PER_SECOND)
        expect(after.rate).toBeLessThanOrEqual(rate ?? Number.POSITIVE_INFINITY)
        expect(after.connections ?? 1).toBeGreaterThanOrEqual(1)
        expect(after.connections ?? 1).toBeLessThanOrEqual(connections)
        if (cause === 'throttled' && before)
          expect(after.rate).toBeCloseTo(Math.max(MIN_RATE_PER_SECOND, Math.min(before.rate, rate ?? before.rate) / 2))
        if (cause === 'grown') expect(after.rate).toBeGreaterThan(Math.min(before!.rate, rate ?? before!.rate) - 1e-9)
      }
    }),
  )
})

const throttle = (state: PaceState | null, now: number, startedAt = now) =>
  nextPace(state, { kind: 'throttled', startedAt }, { now, bounds: { ...BOUNDS, observedRate: 40 } })

test('replies to what began before the cut, or in the rest after it, count once for all', () => {
  const { state } = throttle(null, 10_000)
  expect(state).toMatchObject({ rate: 20, connections: 2, restUntil: 15_000 })

  expect(throttle(state, 11_000, 9_000)).toEqual({ state, cause: null })
  expect(throttle(state, 14_000, 12_000)).toEqual({ state, cause: null })
  expect(throttle(state, 15_000).state).toMatchObject({ rate: 10, connections: 1, restUntil: 25_000 })
})

test('each rest is twice as long as the one before, up to ten minutes, and the rate ends at one a minute', () => {
  let state: PaceState | null = null
  let now = 0
  const rests: number[] = []
  for (let round = 0; round < 14; round++) {
    state = throttle(state, now).state!
    rests.push((state.restUntil - now) / 1_000)
    now = state.restUntil
  }
  expect(rests.slice(0, 9)).toEqual([5, 10, 20, 40, 80, 160, 320, 600, 600])
  expect(state).toMatchObject({ rate: MIN_RATE_PER_SECOND, connections: 1 })
})

test('a destination that took nothing for an hour has its old pace back within another', () => {
  const site = new Site(10)
  const before = send(site, 3_600)
  site.limit = 0
  const refused = send(site, 3_600, before)
  expect(refused.state!.rate).toBe(MIN_RATE_PER_SECOND)
  site.limit = 10
  const after = send(site, 3_600, refused)
  expect(after.state!.rate).toBeGreaterThan(9)
})

test('it does not grow by more than 2 % of deferrals, nor without mail that would need it', () => {
  const { state } = throttle(null, 0)
  const after = (taken: number, deferred: number) =>
    nextPace(state, { kind: 'counted', taken, deferred }, { now: 25_000, bounds: BOUNDS })
  expect(after(392, 8).cause).toBe('grown')
  expect(after(391, 9).cause).toBe(null)
  expect(after(100, 0).cause).toBe(null)
})

test('a destination that has taken twice its old limit is held back no longer a day later', () => {
  const { state } = throttle(null, 0)
  const day = 86_400_000
  const used: PaceState = { ...state!, rate: 100, roundAt: day }
  const step = nextPace(used, { kind: 'counted', taken: 1_000, deferred: 0 }, { now: day + 10_000, bounds: BOUNDS })
  expect(step).toEqual({ state: null, cause: 'forgotten' })
})

describe('a clock that is set back by an hour', () => {
  const HOUR = 3_600_000

  test('lets mail through a bucket at its rate, and the others have their turns', () => {
    const [bucket, turns] = [new TokenBucket(HOUR), new RetryStagger()]
    expect(bucket.room(HOUR + 1_000, 10)).toBe(10)
    turns.next(HOUR, 0, 1)
    expect(bucket.wait(0, 10)).toBe(0)
    for (let n = 0; n < 10; n++) bucket.take()
    expect(bucket.wait(0, 10)).toBe(100)
    expect([turns.next(0, 0, 1), turns.next(0, 0, 1)]).toEqual([1_000, 2_000])
  })

  test('ends a rest, and the controller hears what is answered', () => {
    const state = throttle(null, HOUR).state!
    const bucket = new TokenBucket(HOUR)
    bucket.restUntil(state.restUntil)
    expect([bucket.wait(HOUR, 1), restOf(state, HOUR)]).toEqual([5_000, HOUR + 5_000])
    expect([bucket.wait(0, 1), restOf(state, 0)]).toEqual([0, null])

    expect(throttle(state, 0).state).toMatchObject({ rate: 10, cutAt: 0, restUntil: 10_000 })
    const counted = (of: PaceState, now: number) =>
      nextPace(of, { kind: 'counted', taken: 400, deferred: 0 }, { now, bounds: BOUNDS })
    const begun = counted(state, 0)
    expect(begun).toMatchObject({ state: { roundAt: 0 }, cause: null })
    expect(counted(begun.state!, 15_000).cause).toBe('grown')
  })
})

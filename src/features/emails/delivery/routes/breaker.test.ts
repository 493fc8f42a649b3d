import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { admits, type Breaker, closedBreaker, nextBreaker, PROBE_MS, RETRY_SCHEDULE_MS } from './breaker.ts'

/** A mail wants to go: begun if the breaker lets it. */
function ask(breaker: Breaker, now: number): { breaker: Breaker; isBegun: boolean } {
  return { breaker: nextBreaker(breaker, { kind: 'asked' }, now), isBegun: admits(breaker, now) }
}

describe('a breaker', () => {
  test('opens with the first fault, lets one mail through when its time has come, and closes with its answer', () => {
    let breaker = closedBreaker(0)
    expect(admits(breaker, 1_000)).toBe(true)
    breaker = nextBreaker(breaker, { kind: 'failed', startedAt: 1_000 }, 1_200)
    expect(breaker).toMatchObject({ state: 'open', since: 1_200, retryAt: 6_200 })
    expect(admits(breaker, 6_199)).toBe(false)
    expect(admits(breaker, 6_200)).toBe(true)
    breaker = nextBreaker(breaker, { kind: 'asked' }, 6_200)
    expect(admits(breaker, 6_201)).toBe(false)
    breaker = nextBreaker(breaker, { kind: 'answered', startedAt: 6_200 }, 6_300)
    expect(breaker).toMatchObject({ state: 'closed', since: 6_300, faults: 0 })
  })

  test('waits longer after each fault in a row, and no longer than five minutes', () => {
    let breaker = closedBreaker(0)
    let now = 0
    const waits = Array.from({ length: 8 }, () => {
      breaker = nextBreaker(breaker, { kind: 'failed', startedAt: now }, now)
      const waitMs = breaker.retryAt - now
      now = breaker.retryAt
      breaker = nextBreaker(breaker, { kind: 'asked' }, now)
      return waitMs
    })
    expect(waits).toEqual([...RETRY_SCHEDULE_MS, 300_000, 300_000])
    expect(breaker.since).toBe(0)
  })

  test('does not count what was under way when it opened, or when it closed', () => {
    const open = nextBreaker(closedBreaker(0), { kind: 'failed', startedAt: 100 }, 200)
    expect(nextBreaker(open, { kind: 'failed', startedAt: 150 }, 300)).toBe(open)
    expect(nextBreaker(open, { kind: 'answered', startedAt: 150 }, 300)).toBe(open)
    const probing = nextBreaker(open, { kind: 'asked' }, open.retryAt)
    expect(nextBreaker(probing, { kind: 'failed', startedAt: 150 }, open.retryAt + 10)).toBe(probing)
    const closed = nextBreaker(probing, { kind: 'answered', startedAt: open.retryAt }, open.retryAt + 20)
    expect(nextBreaker(closed, { kind: 'failed', startedAt: open.retryAt + 10 }, open.retryAt + 30)).toBe(closed)
  })

  test('is asked at once, and heard, when the clock was set back by an hour', () => {
    const hour = 3_600_000
    const open = nextBreaker(closedBreaker(0), { kind: 'failed', startedAt: hour }, hour)
    const probing = nextBreaker(open, { kind: 'asked' }, 1_000)
    expect(probing).toMatchObject({ state: 'half_open', retryAt: 1_000 + PROBE_MS })
    expect(admits(probing, 1_001)).toBe(false)
    const again = nextBreaker(probing, { kind: 'failed', startedAt: 1_000 }, 1_100)
    expect(again).toMatchObject({ state: 'open', changedAt: 1_100, retryAt: 1_100 + RETRY_SCHEDULE_MS[1] })
    expect(nextBreaker(probing, { kind: 'answered', startedAt: 1_000 }, 1_100).state).toBe('closed')
  })
})

const steps = fc.array(
  fc.record({
    afterMs: fc.integer({ min: 0, max: 400_000 }),
    what: fc.constantFrom('ask', 'fail', 'answer'),
    which: fc.nat(5),
  }),
  { maxLength: 60 },
)

test('whatever happens, one mail at a time is let through an open breaker, and never is it shut for good', () => {
  fc.assert(
    fc.property(steps, (all) => {
      let breaker = closedBreaker(0)
      let now = 0
      let underway: number[] = []
      /** When the mail was let through that the breaker waits for. */
      let probedAt = Number.NEGATIVE_INFINITY
      for (const { afterMs, what, which } of all) {
        now += afterMs
        const before = breaker
        if (what === 'ask') {
          const asked = ask(breaker, now)
          if (asked.isBegun && before.state !== 'closed') {
            if (before.state === 'half_open') expect(now - probedAt).toBeGreaterThanOrEqual(PROBE_MS)
            probedAt = now
          }
          if (asked.isBegun) underway.push(now)
          breaker = asked.breaker
        } else if (underway.length > 0) {
          const startedAt = underway[which % underway.length]!
          underway = underway.filter((one) => one !== startedAt)
          breaker = nextBreaker(breaker, { kind: what === 'fail' ? 'failed' : 'answered', startedAt }, now)
          if (what === 'answer') expect(breaker.faults).toBeLessThanOrEqual(before.faults)
          if (what === 'fail' && breaker !== before)
            expect(breaker.retryAt - now).toBe(RETRY_SCHEDULE_MS[Math.min(before.faults, RETRY_SCHEDULE_MS.length - 1)])
        }
        expect(breaker.state === 'closed').toBe(breaker.faults === 0)
        expect(admits(breaker, now + Math.max(PROBE_MS, ...RETRY_SCHEDULE_MS))).toBe(true)
      }
    }),
  )
})

test('a way that has failed and answers again is used again after its next mail, however long it was away', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), (faults) => {
      let breaker = closedBreaker(0)
      let now = 0
      for (let fault = 0; fault < faults; fault++) {
        breaker = nextBreaker(ask(breaker, now).breaker, { kind: 'failed', startedAt: now }, now)
        now = breaker.retryAt
      }
      const { breaker: probing, isBegun } = ask(breaker, now)
      expect(isBegun).toBe(true)
      expect(nextBreaker(probing, { kind: 'answered', startedAt: now }, now + 1).state).toBe('closed')
    }),
  )
})

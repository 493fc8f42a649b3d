import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  allowanceAt,
  allowanceOf,
  dayOf,
  nextWarmUp,
  onDay,
  SILENT_DAYS,
  startOfDay,
  WARM_ALLOWANCE,
  type WarmUp,
  type WarmUpEvent,
} from './warm-up.ts'

const play = (state: WarmUp | null, day: number, events: readonly WarmUpEvent[]) =>
  events.reduce((before, event) => nextWarmUp(before, event, day).state, state)!

/** A day on which as much is sent as may be, and so much of it deferred. */
function sendingDay(state: WarmUp | null, day: number, deferredShare = 0): WarmUp {
  const { state: leased, granted } = nextWarmUp(state, { kind: 'leased', wanted: 1_000_000 }, day)
  const deferred = Math.floor(granted * deferredShare)
  return play(leased, day, [{ kind: 'heard', day, taken: granted - deferred, deferred, returned: 0 }])
}

describe('a warm-up', () => {
  test('begins with 50 and has 1.4 times as many after each sending day', () => {
    let state: WarmUp | null = null
    const allowances: number[] = []
    for (let day = 100; day < 106; day++) {
      state = sendingDay(state, day)
      allowances.push(state.leased)
    }
    expect(allowances).toEqual([50, 70, 98, 137, 192, 268])
  })

  test('does not grow on days without mail', () => {
    const state = sendingDay(null, 100)
    expect(allowanceOf(onDay(state, 101))).toBe(70)
    const silent = play(state, 101, [{ kind: 'leased', wanted: 0 }])
    expect(allowanceOf(onDay(silent, 110))).toBe(70)
  })

  test('stays where it is after a day with more than 5 % of deferrals', () => {
    const grown = sendingDay(sendingDay(null, 100), 101, 0.06)
    expect(allowanceOf(onDay(grown, 102))).toBe(70)
    expect(allowanceOf(onDay(sendingDay(sendingDay(null, 100), 101, 0.04), 102))).toBe(98)
  })

  test('goes two days back on a block, once a day, and at once', () => {
    const later = [100, 101, 102, 103].reduce<WarmUp | null>((state, day) => sendingDay(state, day), null)!
    const blocked = play(later, 104, [
      { kind: 'leased', wanted: 10 },
      { kind: 'blocked', day: 104 },
      { kind: 'blocked', day: 104 },
    ])
    expect(allowanceOf(blocked)).toBe(allowanceAt(2))
    expect(allowanceOf(onDay(blocked, 105))).toBe(allowanceAt(2))
    // What was heard of the day before comes late.
    expect(play(blocked, 105, [{ kind: 'blocked', day: 104 }]).step).toBe(2)
  })

  test('ends when the provider has seen enough, and begins again after 30 silent days', () => {
    let state: WarmUp | null = null
    let day = 0
    while (!state?.isFinished) state = sendingDay(state, ++day)
    expect(allowanceAt(state.step)).toBeGreaterThanOrEqual(WARM_ALLOWANCE)
    expect(day).toBe(24)
    expect(nextWarmUp(state, { kind: 'leased', wanted: 1e9 }, day).granted).toBe(1e9)
    expect(onDay(state, day + SILENT_DAYS).isFinished).toBe(true)
    expect(onDay(state, day + SILENT_DAYS + 1)).toMatchObject({ isFinished: false, step: 0 })
  })

  test('is steered: restarted it has 50 less what was sent today, finished no limit', () => {
    const state = sendingDay(sendingDay(null, 100), 101)
    const restarted = play(state, 101, [{ kind: 'restarted' }])
    expect(nextWarmUp(restarted, { kind: 'leased', wanted: 10 }, 101).granted).toBe(0)
    expect(nextWarmUp(restarted, { kind: 'leased', wanted: 100 }, 102).granted).toBe(70)
    expect(allowanceOf(play(null, 5, [{ kind: 'finished' }]))).toBeNull()
  })

  test('that a clock far ahead has written goes on today, where it was', () => {
    const grown = sendingDay(sendingDay(null, 100), 101)
    const ahead = onDay(grown, 5_000)
    const far = { ...sendingDay(grown, 102), day: 5_000, lastSentOn: 5_000 }
    expect(onDay(far, 103)).toMatchObject({ day: 103, step: far.step, leased: far.leased, lastSentOn: 103 })
    expect(allowanceOf(onDay(onDay(far, 103), 104))).toBe(allowanceAt(far.step + 1))
    expect(ahead.step).toBe(0)
    // Another machine may be a little ahead: its day is the day of all.
    expect(onDay({ ...far, day: 104 }, 103).day).toBe(104)
  })

  test('days are those of UTC', () => {
    expect(dayOf(new Date('1970-01-02T23:59:59Z'))).toBe(1)
    expect(startOfDay(2)).toEqual(new Date('1970-01-03T00:00:00Z'))
  })
})

const event = fc.oneof(
  fc.record({ kind: fc.constant('leased' as const), wanted: fc.nat(200) }),
  fc.record({ kind: fc.constant('returned' as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({ kind: fc.constant('answered' as const), taken: fc.nat(50), deferred: fc.nat(50) }),
  fc.record({ kind: fc.constant('blocked' as const) }),
  fc.record({ kind: fc.constant('days' as const), count: fc.integer({ min: -1, max: 40 }) }),
)

test('whatever happens, no day gets more than its allowance, and no allowance grows by more than one step a day', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 200 }), (events) => {
      let state: WarmUp | null = null
      let today = 1_000
      let [sent, most, sentOn] = [0, 0, 0]
      for (const one of events) {
        const before: WarmUp | null = state
        if (one.kind === 'days') {
          today += one.count
          continue
        }
        if (one.kind === 'leased') {
          const next = nextWarmUp(state, one, today)
          state = next.state
          if (state.day !== sentOn) [sent, most, sentOn] = [0, 0, state.day]
          most = Math.max(most, allowanceOf(state) ?? Number.POSITIVE_INFINITY)
          sent += next.granted
          expect(sent).toBeLessThanOrEqual(most)
        } else {
          const day: number = state?.day ?? today
          const returned = one.kind === 'returned' && day === sentOn && today <= day ? Math.floor(sent * one.share) : 0
          if (returned > 0) sent -= returned
          const told = one.kind === 'answered' ? one : { taken: 0, deferred: 0 }
          const heard = { kind: 'heard', day, taken: told.taken, deferred: told.deferred, returned } as const
          state = nextWarmUp(state, one.kind === 'blocked' ? { kind: 'blocked', day: today } : heard, today).state
        }
        if (before) expect(state.step).toBeLessThanOrEqual(before.step + (state.day > before.day ? 1 : 0))
        expect(state.step).toBeGreaterThanOrEqual(0)
        if (before && before.day - today <= 1) expect(state.day).toBeGreaterThanOrEqual(before.day)
      }
    }),
  )
})

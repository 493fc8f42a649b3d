import { expect, test } from 'vitest'
import { Greylisting } from './greylisting.ts'
import type { PaceSignal } from './pace-signal.ts'

const GREYLISTED: PaceSignal = { cut: null, pause: null, counts: 'greylisted' }
const TAKEN: PaceSignal = { cut: null, pause: null, counts: 'taken' }
const MINUTE = 60_000

/** A destination that answers; minutes since the first attempt of each recipient. */
function start() {
  const greylisting = new Greylisting()
  const hear = (lesson: PaceSignal, recipient: string, { attempt, at }: { attempt: number; at: number }) =>
    greylisting.paceSignalOf(lesson, 'mx.test', { sender: 'acme.dev', recipient, attempt, startedAt: at * MINUTE }).cut
  return {
    again: (recipient: string, attempt: number, at: number) => hear(GREYLISTED, recipient, { attempt, at }),
    taken: (recipient: string, attempt: number, at: number) => hear(TAKEN, recipient, { attempt, at }),
  }
}

test('who is put off for the first time, or came back too early, is greylisted', () => {
  const { again, taken } = start()
  expect([again('ada', 1, 0), again('bob', 1, 0)]).toEqual([null, null])
  expect([again('ada', 2, 1), again('bob', 2, 1)]).toEqual([null, null])
  expect(taken('ada', 3, 6)).toBeNull()

  // One minute is not enough here, and that is known now.
  again('eve', 1, 10)
  expect(again('eve', 2, 11)).toBeNull()
})

test('who comes back after as long as others had to wait, and is put off again, brings too much', () => {
  const { again, taken } = start()
  for (const recipient of ['ada', 'bob', 'eve']) again(recipient, 1, 0)
  expect(again('bob', 2, 1)).toBeNull()
  taken('ada', 2, 1)

  expect(again('eve', 2, 1)).toBe('source')
  expect(again('mallory', 1, 2)).toBeNull()
})

test('nobody is greylisted for a fourth time, and mail that was taken at once says nothing', () => {
  const { again, taken } = start()
  taken('ada', 1, 0)
  again('bob', 1, 0)
  taken('eve', 2, 1)

  expect([again('bob', 2, 1), again('bob', 3, 6), again('bob', 4, 21)]).toEqual([null, null, 'source'])
})

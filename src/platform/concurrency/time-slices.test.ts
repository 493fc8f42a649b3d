import { expect, onTestFinished, test, vi } from 'vitest'
import { countTurns } from '../../../test/harness/turns.ts'
import { TimeSlices } from './time-slices.ts'

/** Time passes only when somebody looks at the clock, so much each time. */
function looksTake(milliseconds: number) {
  let now = 0
  const time = vi.spyOn(performance, 'now').mockImplementation(() => {
    now += milliseconds
    return now
  })
  onTestFinished(() => time.mockRestore())
}

test('pieces that take long have a turn of the event loop each, in their order', async () => {
  looksTake(1)
  const turns = countTurns()
  const slices = new TimeSlices()
  const begun: { piece: number; turn: number }[] = []

  await Promise.all(
    [0, 1, 2, 3].map(async (piece) => {
      await slices.enter()
      begun.push({ piece, turn: turns() })
    }),
  )

  expect(begun.map(({ piece }) => piece)).toEqual([0, 1, 2, 3])
  expect(new Set(begun.map(({ turn }) => turn)).size).toBe(4)
})

test('short pieces share a slice, and each does what it can before the next begins', async () => {
  looksTake(0)
  const turns = countTurns()
  const slices = new TimeSlices()
  const steps: string[] = []
  const seen = new Set<number>()

  await Promise.all(
    ['a', 'b'].map(async (piece) => {
      await slices.enter()
      for (let step = 0; step < 20; step++) {
        steps.push(piece)
        await null
      }
      seen.add(turns())
    }),
  )

  expect(steps.join('')).toBe('a'.repeat(20) + 'b'.repeat(20))
  expect(seen.size).toBe(1)
})

test('who comes after a rest is served as well', async () => {
  const slices = new TimeSlices()
  await slices.enter()
  await new Promise(setImmediate)
  await slices.enter()
  await Promise.all([slices.enter(), slices.enter()])
})

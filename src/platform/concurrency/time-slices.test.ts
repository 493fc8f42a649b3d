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

/** Lets pieces begin, and tells which turn each had. */
async function begin(slices: TimeSlices, pieces: number) {
  const turns = countTurns()
  const begun: { piece: number; turn: number }[] = []
  await Promise.all(
    Array.from({ length: pieces }, async (_, piece) => {
      await slices.enter()
      begun.push({ piece, turn: turns() })
    }),
  )
  return { order: begun.map(({ piece }) => piece), turns: new Set(begun.map(({ turn }) => turn)).size }
}

test('pieces that take long have a turn of the event loop each, in their order', async () => {
  looksTake(4)

  expect(await begin(new TimeSlices(), 4)).toEqual({ order: [0, 1, 2, 3], turns: 4 })
})

test('slices are short while somebody waits, and long again after', async () => {
  looksTake(0.5)
  const slices = new TimeSlices()

  const before = await begin(slices, 16)
  slices.giveWay()
  const meanwhile = await begin(slices, 16)
  for (let look = 0; look < 200; look++) performance.now()
  const after = await begin(slices, 16)

  expect([before.turns, meanwhile.turns, after.turns]).toEqual([2, 16, 2])
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

import { expect, onTestFinished, test, vi } from 'vitest'
import { countTurns } from '../../../test/harness/turns.ts'
import { TimeSlices } from './time-slices.ts'

/** Time that passes when the test says so. */
function startTime() {
  let now = 0
  const time = vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => time.mockRestore())
  return (milliseconds: number) => {
    now += milliseconds
  }
}

/** Lets pieces begin that take some time each, after a few microtasks, and tells in which turns that was. */
async function begin(slices: TimeSlices, pieces: number, work: () => void = () => {}) {
  const turns = countTurns()
  const begun: { piece: number; turn: number }[] = []
  await Promise.all(
    Array.from({ length: pieces }, async (_, piece) => {
      await slices.enter()
      for (let step = 0; step < 5; step++) await null
      work()
      begun.push({ piece, turn: turns() })
    }),
  )
  return { order: begun.map(({ piece }) => piece), turns: new Set(begun.map(({ turn }) => turn)).size }
}

test('pieces that take long have a turn of the event loop each, in their order', async () => {
  const pass = startTime()

  expect(await begin(new TimeSlices(), 4, () => pass(5))).toEqual({ order: [0, 1, 2, 3], turns: 4 })
})

test('short pieces share a slice', async () => {
  const pass = startTime()

  expect((await begin(new TimeSlices(), 40, () => pass(0.05))).turns).toBe(1)
})

test('slices are short while somebody waits, and long again after', async () => {
  const pass = startTime()
  const slices = new TimeSlices()
  const beginAll = async () => (await begin(slices, 16, () => pass(1))).turns

  const before = await beginAll()
  slices.giveWay()
  const meanwhile = await beginAll()
  pass(100)
  const after = await beginAll()

  expect([before, meanwhile, after]).toEqual([4, 16, 4])
})

test('who comes after a rest is served as well', async () => {
  const slices = new TimeSlices()
  await slices.enter()
  await new Promise(setImmediate)
  await slices.enter()
  await Promise.all([slices.enter(), slices.enter()])
})

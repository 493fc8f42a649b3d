import { expect, onTestFinished, test, vi } from 'vitest'
import { makeGate } from '../../../test/harness/gate.ts'
import { Loop } from './loop.ts'

const NEVER_MS = 1_000_000

/** A loop that counts its looks, with somebody to wait for at the one of this number. */
function start(more: (look: number) => boolean, options: { pollMs?: number; restMs?: number } = {}) {
  const gates = Array.from({ length: 10 }, makeGate)
  let looks = 0
  const loop = new Loop(
    async () => {
      const isMore = more(++looks)
      gates[looks - 1]?.open()
      return isMore
    },
    { pollMs: NEVER_MS, restMs: 0, ...options },
  )
  loop.start()
  onTestFinished(() => loop.stop())
  return { loop, look: (number: number) => gates[number - 1]!.opened, count: () => looks }
}

test('it looks again at once while there is more', async () => {
  const { look, count } = start((number) => number < 5)

  await look(5)

  expect(count()).toBe(5)
})

test('without more it waits to be woken up', async () => {
  const { loop, look, count } = start(() => false)
  await look(1)
  await new Promise(setImmediate)
  expect(count()).toBe(1)

  loop.wake()
  await look(2)

  expect(count()).toBe(2)
})

test('it looks by itself after a while', async () => {
  const { look } = start(() => false, { pollMs: 1 })

  await look(3)
})

test('being woken up while it looks makes it look again', async () => {
  const gate = makeGate()
  const begun = makeGate()
  let looks = 0
  const loop = new Loop(
    async () => {
      looks++
      begun.open()
      await gate.opened
      return false
    },
    { pollMs: NEVER_MS, restMs: 0 },
  )
  loop.start()
  await begun.opened

  loop.wake()
  gate.open()
  while (looks < 2) await new Promise(setImmediate)
  await loop.stop()

  expect(looks).toBe(2)
})

test('many who wake it up within its rest share a look', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { loop, look, count } = start(() => false, { restMs: 50 })
  await look(1)

  for (let n = 0; n < 100; n++) {
    loop.wake()
    await new Promise(setImmediate)
  }
  expect(count()).toBe(1)
  await vi.advanceTimersByTimeAsync(50)
  await look(2)
  await new Promise(setImmediate)

  expect(count()).toBe(2)
})

test('it stops when what it does has ended, also while it rests or waits', async () => {
  const { loop, look, count } = start(() => false, { restMs: NEVER_MS })
  await look(1)
  loop.wake()

  await loop.stop()
  loop.wake()
  await new Promise(setImmediate)

  expect(count()).toBe(1)
})

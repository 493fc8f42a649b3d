import { expect, test } from 'vitest'
import { DestinationQueues, type Parked, type Slot } from './destination-queues.ts'

const KEY = { destination: 'mx.slow.dev', priority: 0 }
const BULK = { ...KEY, priority: 1 }

const start = (room = (_destination: string) => Number.POSITIVE_INFINITY) =>
  new DestinationQueues({ memoryBytes: 1_000, connections: 5, room })

const fill = (queues: DestinationQueues, key = KEY) => {
  const slots: Slot[] = []
  for (;;) {
    const slot = queues.reserve(key, { isFetched: true })
    if (slot.kind === 'parked') return slots
    slots.push(slot)
  }
}

const kindOf = (slot: Slot | Parked) => slot.kind

test('a queue begins with 25 slots, and grows with each answer that comes quickly', () => {
  const queues = start()
  const slots = fill(queues)
  for (const slot of slots.slice(1)) slot.release()

  expect(slots).toHaveLength(25)
  expect(fill(queues)).toHaveLength(25 + 24 - 1)
})

test('what goes to many has a queue of its own, and so has every other destination', () => {
  const queues = start()
  fill(queues)

  expect(kindOf(queues.reserve(KEY, { isFetched: false }))).toBe('parked')
  expect(kindOf(queues.reserve(BULK, { isFetched: false }))).toBe('reserved')
  expect(kindOf(queues.reserve({ ...KEY, destination: 'mx.other.dev' }, { isFetched: false }))).toBe('reserved')
})

test('who comes later stands behind what is parked, until all of that was fetched', () => {
  const queues = start()
  const slots = fill(queues)
  queues.parked(KEY)
  expect(queues.withFreeSlots(100)).toEqual([])
  for (const slot of slots) slot.release()

  expect(kindOf(queues.reserve(KEY, { isFetched: false }))).toBe('parked')
  const [fetch] = queues.withFreeSlots(100)
  expect(fetch).toMatchObject({ queue: KEY, limit: 50 })
  queues.fetched(fetch!, 1)

  expect(kindOf(queues.reserve(KEY, { isFetched: false }))).toBe('reserved')
  expect(queues.withFreeSlots(100)).toEqual([])
})

test('what is parked while somebody looks is not overlooked', () => {
  const queues = start()
  queues.parked(KEY)
  const [fetch] = queues.withFreeSlots(100)
  queues.parked(KEY)
  queues.fetched(fetch!, 1)

  expect(queues.withFreeSlots(100)).toHaveLength(1)
})

test('nothing is fetched for a destination that has asked for a pause', () => {
  const paused = new Set([KEY.destination])
  const queues = start((destination) => (paused.has(destination) ? 0 : Number.POSITIVE_INFINITY))
  queues.parked(KEY)

  expect(queues.withFreeSlots(100)).toEqual([])
  paused.clear()
  expect(queues.withFreeSlots(100)).toHaveLength(1)
})

test('no more is fetched at once than was asked for, over all queues', () => {
  const queues = start()
  for (let number = 0; number < 10; number++) queues.parked({ ...KEY, destination: `mx${number}.dev` })

  expect(queues.withFreeSlots(60).map(({ limit }) => limit)).toEqual([25, 25, 10])
})

test('a destination that is stopped is not fetched for, and is in nobody’s way, until its mail is reported again', () => {
  const stopped = new Set([KEY.destination])
  const isStopped = (destination: string) => stopped.has(destination)
  const queues = new DestinationQueues({ memoryBytes: 1_000, connections: 5, room: () => 100, isStopped })
  queues.parked(KEY)
  expect(queues.withFreeSlots(100)).toEqual([])
  expect(kindOf(queues.reserve(KEY, { isFetched: false }))).toBe('reserved')
  stopped.clear()
  expect(queues.withFreeSlots(100)).toEqual([])
  queues.parked(KEY)

  expect(queues.withFreeSlots(100)).toMatchObject([{ queue: KEY }])
})

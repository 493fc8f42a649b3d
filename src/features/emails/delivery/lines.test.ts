import { expect, test } from 'vitest'
import { Lines, type Parked, type Place } from './lines.ts'

const LINE = { destination: 'mx.slow.dev', priority: 0 }
const BULK = { ...LINE, priority: 1 }

const start = (isPaused = (_destination: string) => false) => new Lines({ memoryBytes: 1_000, isPaused })

const fill = (lines: Lines, name = LINE) => {
  const places: Place[] = []
  for (;;) {
    const place = lines.book(name, { isFetched: true })
    if (place.kind === 'parked') return places
    places.push(place)
  }
}

const kindOf = (place: Place | Parked) => place.kind

test('a line begins with 25 places, and grows with each answer that comes quickly', () => {
  const lines = start()
  const places = fill(lines)
  for (const place of places.slice(1)) place.release()

  expect(places).toHaveLength(25)
  expect(fill(lines)).toHaveLength(25 + 24 - 1)
})

test('what goes to many has a line of its own, and so has every other destination', () => {
  const lines = start()
  fill(lines)

  expect(kindOf(lines.book(LINE, { isFetched: false }))).toBe('parked')
  expect(kindOf(lines.book(BULK, { isFetched: false }))).toBe('booked')
  expect(kindOf(lines.book({ ...LINE, destination: 'mx.other.dev' }, { isFetched: false }))).toBe('booked')
})

test('who comes later stands behind what is parked, until all of that was fetched', () => {
  const lines = start()
  const places = fill(lines)
  lines.parked(LINE)
  expect(lines.withRoom(100)).toEqual([])
  for (const place of places) place.release()

  expect(kindOf(lines.book(LINE, { isFetched: false }))).toBe('parked')
  const [fetch] = lines.withRoom(100)
  expect(fetch).toMatchObject({ line: LINE, limit: 50 })
  lines.fetched(fetch!, 1)

  expect(kindOf(lines.book(LINE, { isFetched: false }))).toBe('booked')
  expect(lines.withRoom(100)).toEqual([])
})

test('what is parked while somebody looks is not overlooked', () => {
  const lines = start()
  lines.parked(LINE)
  const [fetch] = lines.withRoom(100)
  lines.parked(LINE)
  lines.fetched(fetch!, 1)

  expect(lines.withRoom(100)).toHaveLength(1)
})

test('nothing is fetched for a destination that has asked for a pause', () => {
  const paused = new Set([LINE.destination])
  const lines = start((destination) => paused.has(destination))
  lines.parked(LINE)

  expect(lines.withRoom(100)).toEqual([])
  paused.clear()
  expect(lines.withRoom(100)).toHaveLength(1)
})

test('no more is fetched at once than was asked for, over all lines', () => {
  const lines = start()
  for (let number = 0; number < 10; number++) lines.parked({ ...LINE, destination: `mx${number}.dev` })

  expect(lines.withRoom(60).map(({ limit }) => limit)).toEqual([25, 25, 10])
})

test('the more are parked, the later they are due unfetched', () => {
  const lines = start()
  fill(lines)
  const seconds = () => (lines.book(LINE, { isFetched: false }) as Parked).seconds
  const first = seconds()
  for (let number = 0; number < 50_000; number++) lines.parked(LINE)

  expect([first, seconds()]).toEqual([60, 160])
})

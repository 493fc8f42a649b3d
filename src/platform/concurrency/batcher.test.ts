import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Batcher } from './batcher.ts'

/** A place that things are written to, one write after the other as the test lets them end. */
function slowBatcher(
  limits: ConstructorParameters<typeof Batcher<number, number>>[1] = { maxItems: 100, maxWrites: 2 },
) {
  const writes: { items: readonly number[]; end(): void; fail(error: Error): void }[] = []
  const batcher = new Batcher<number, number>(
    (items) =>
      new Promise((resolve, reject) => {
        writes.push({ items, end: () => resolve(items.map((item) => item * 10)), fail: reject })
      }),
    limits,
  )
  return { batcher, writes, itemsOf: () => writes.map(({ items }) => items) }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const unavailable = () => Object.assign(new Error('gone'), { code: '57P01' })

// A write is late when a test says so, and not when the machine is busy.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

describe('a batcher', () => {
  test('writes an item that is alone at once, and gives back its result', async () => {
    const { batcher, writes, itemsOf } = slowBatcher()

    const result = batcher.add(1)
    await turn()
    writes[0]!.end()

    expect(itemsOf()).toEqual([[1]])
    expect(await result).toBe(10)
  })

  test('lets an item wait for others where it may, and for no more than half a batch', async () => {
    const { batcher, writes, itemsOf } = slowBatcher({ maxItems: 6, maxWrites: 1, gatherMs: 50 })

    for (const item of [1, 2]) batcher.add(item)
    await turn()
    vi.advanceTimersByTime(49)
    await turn()
    expect(itemsOf()).toEqual([])
    vi.advanceTimersByTime(1)
    expect(itemsOf()).toEqual([[1, 2]])
    batcher.add(3)
    writes[0]!.end()
    await turn()
    expect(writes).toHaveLength(1)
    for (const item of [4, 5]) batcher.add(item)
    await turn()
    expect(itemsOf()).toEqual([
      [1, 2],
      [3, 4, 5],
    ])
    writes[1]!.end()
    batcher.add(6)
    await turn()
    vi.advanceTimersByTime(50)
    expect(itemsOf()[2]).toEqual([6])
  })

  test('writes no more together than it may carry, and what is larger alone', async () => {
    const weigh = (item: number) => ({ tenant: '', weight: item })
    const { batcher, writes, itemsOf } = slowBatcher({ maxItems: 10, maxWrites: 1, weigh })

    const results = [2, 2, 2, 2, 2, 50, 2, 1, 1].map((item) => batcher.add(item))
    for (let n = 0; n < 4; n++) {
      await turn()
      writes[n]?.end()
      await turn()
    }
    await Promise.all(results)

    expect(itemsOf().toSorted((a, b) => a.length - b.length)).toEqual([[50], [2, 1, 1], [2, 2, 2, 2, 2]])
  })

  test('writes together what arrived together', async () => {
    const { batcher, writes, itemsOf } = slowBatcher()

    const results = [1, 2, 3].map((item) => batcher.add(item))
    await turn()
    writes[0]!.end()

    expect(itemsOf()).toEqual([[1, 2, 3]])
    expect(await Promise.all(results)).toEqual([10, 20, 30])
  })

  test('gathers what arrives while a write is under way, and begins a second one for half a batch', async () => {
    const { batcher, writes, itemsOf } = slowBatcher({ maxItems: 4, maxWrites: 2 })

    for (const item of [1, 2, 3, 4, 5, 6]) {
      batcher.add(item)
      await turn()
    }
    expect(itemsOf()).toEqual([[1], [2, 3]])
    expect(batcher.size).toBe(3)
    writes[0]!.end()
    await turn()

    expect(itemsOf()).toEqual([[1], [2, 3], [4, 5, 6]])
    expect(batcher.size).toBe(0)
  })

  test('does not wait for a write that is late', async () => {
    const { batcher, itemsOf } = slowBatcher()
    batcher.add(1)
    await turn()
    batcher.add(2)
    await turn()
    expect(itemsOf()).toEqual([[1]])

    vi.advanceTimersByTime(50)

    expect(itemsOf()).toEqual([[1], [2]])
  })

  test('writes one by one when a write fails, so that a bad item costs only itself', async () => {
    const written: number[] = []
    const batcher = new Batcher<number, number>(
      async (items) => {
        if (items.includes(2)) throw new Error('two is bad')
        written.push(...items)
        return items
      },
      { maxItems: 100, maxWrites: 1 },
    )

    const results = await Promise.allSettled([1, 2, 3].map((item) => batcher.add(item)))

    expect(results).toEqual([
      { status: 'fulfilled', value: 1 },
      { status: 'rejected', reason: new Error('two is bad') },
      { status: 'fulfilled', value: 3 },
    ])
    expect(written).toEqual([1, 3])
  })

  test('does not write again when the other side is away: nobody knows what it has done', async () => {
    const { batcher, writes, itemsOf } = slowBatcher()

    const results = Promise.allSettled([1, 2].map((item) => batcher.add(item)))
    await turn()
    writes[0]!.fail(unavailable())

    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(itemsOf()).toEqual([[1, 2]])
  })

  test('goes on after a failure', async () => {
    const { batcher, writes } = slowBatcher({ maxItems: 100, maxWrites: 1 })
    const failed = batcher.add(1)
    await turn()
    const next = batcher.add(2)

    writes[0]!.fail(unavailable())
    await expect(failed).rejects.toThrow('gone')
    await turn()
    writes[1]!.end()

    expect(await next).toBe(20)
  })

  test('lets tenants take turns, and large items wait for each other alone', async () => {
    interface Item {
      readonly name: string
      readonly tenant: string
      readonly weight: number
    }
    const writes: { names: string[]; end(): void }[] = []
    const batcher = new Batcher<Item, true>(
      (items) =>
        new Promise((resolve) => {
          writes.push({ names: items.map(({ name }) => name), end: () => resolve(items.map(() => true)) })
        }),
      { maxItems: 8, maxWrites: 3, weigh: (item) => item, maxWaiting: 50 },
    )
    const add = (name: string, tenant: string, weight = 1) => batcher.add({ name, tenant, weight })
    const started = () => writes.map(({ names }) => names.join(' '))

    for (let n = 1; n <= 6; n++) add(`batch${n}`, 'acme', 8)
    await turn()
    expect(started()).toEqual(['batch1', 'batch2'])

    for (let n = 1; n <= 12; n++) add(`a${n}`, 'acme')
    for (let n = 1; n <= 3; n++) add(`b${n}`, 'globex')
    await turn()
    expect(started()[2]).toBe('a1 b1 a2 b2 a3 b3 a4 a5')

    add('other batch', 'globex', 8)
    writes[0]!.end()
    await turn()
    expect(started()[3]).toBe('a6 a7 a8 a9 a10 a11 a12')
    writes[1]!.end()
    await turn()
    // Acme was in line before Globex came; then it is Globex's turn.
    expect(started()[4]).toBe('batch3')
    writes[4]!.end()
    await turn()
    expect(started()[5]).toBe('other batch')
  })

  test('bounds what waits of one tenant, and of no other', async () => {
    const { batcher } = slowBatcher()
    const bounded = new Batcher<string, true>(() => new Promise(() => {}), {
      maxItems: 1,
      maxWrites: 1,
      weigh: (tenant) => ({ tenant, weight: 1 }),
      maxWaiting: 2,
    })
    bounded.add('acme')
    await turn()
    bounded.add('acme')
    bounded.add('acme')

    await expect(bounded.add('acme')).rejects.toMatchObject({ isOwnDoing: true })
    bounded.add('globex')
    expect(bounded.size).toBe(3)
    for (let n = 0; n < 1_000; n++) batcher.add(n)
    expect(batcher.size).toBe(1_000)
  })

  test('gives everybody their own result, whatever arrives when, and never does too much at once', async () => {
    const property = fc.asyncProperty(
      fc.array(fc.record({ item: fc.integer(), turns: fc.nat(3), isBad: fc.boolean() }), { maxLength: 60 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 3 }),
      async (arrivals, maxItems, maxWrites) => {
        let underway = 0
        let most = 0
        const batcher = new Batcher<{ item: number; isBad: boolean }, number>(
          async (items) => {
            expect(items.length).toBeLessThanOrEqual(maxItems)
            most = Math.max(most, ++underway)
            await turn()
            underway--
            if (items.some(({ isBad }) => isBad)) throw new Error('bad')
            return items.map(({ item }) => item)
          },
          { maxItems, maxWrites },
        )

        const results: Promise<number>[] = []
        for (const { turns, ...arrival } of arrivals) {
          results.push(batcher.add(arrival))
          results.at(-1)!.catch(() => {})
          for (let n = 0; n < turns; n++) await turn()
        }

        for (const [index, settled] of (await Promise.allSettled(results)).entries()) {
          const { item, isBad } = arrivals[index]!
          expect(settled).toMatchObject(isBad ? { status: 'rejected' } : { status: 'fulfilled', value: item })
        }
        expect(most).toBeLessThanOrEqual(maxWrites)
        expect(batcher.size).toBe(0)
      },
    )
    await fc.assert(property, { numRuns: 100 })
  })
})

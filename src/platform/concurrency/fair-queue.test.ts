import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeGate } from '../../../test/harness/gate.ts'
import { Busy, FairQueue, type Share } from './fair-queue.ts'

/** Longer than all tests take: what still waits at the end of one must not be told while others run. */
const LONG = 3_600_000

/** Work that goes on until the test ends it, in the order in which it began. */
function start(share: Partial<Share> = {}) {
  const queue = new FairQueue({ places: 4, perTenant: 3, waitingPerTenant: 10, waitMs: LONG, ...share })
  const begun: { tenant: string; end(): void }[] = []
  const ask = (tenant: string) =>
    queue.run(tenant, () => {
      const { opened, open } = makeGate()
      begun.push({ tenant, end: open })
      return opened
    })
  return { queue, begun, ask, names: () => begun.map(({ tenant }) => tenant).join('') }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

test('a tenant takes its share and no more, however much there is', async () => {
  const { queue, ask, names } = start()

  for (let n = 0; n < 8; n++) ask('a')

  expect(names()).toBe('aaa')
  expect(queue.waiting).toBe(5)
  ask('b')
  expect(names()).toBe('aaab')
})

test('a place goes to whoever has the fewest, however many others came first', async () => {
  const { begun, ask, names } = start({ places: 3, perTenant: 3 })
  for (let n = 0; n < 6; n++) ask('a')
  for (const tenant of ['b', 'c', 'b']) ask(tenant)

  for (const { end } of begun.slice(0, 3)) {
    end()
    await turn()
  }

  expect(names()).toBe('aaabca')
})

test('tenants with as many take turns', async () => {
  const { begun, ask, names } = start({ places: 1, perTenant: 1 })
  for (const tenant of 'aaabbbcc') ask(tenant)

  for (let n = 0; n < 7; n++) {
    begun[n]!.end()
    await turn()
  }

  expect(names()).toBe('abcabcab')
})

test('the line of a tenant is bounded, and nobody else’s is the shorter for it', async () => {
  const { ask } = start({ places: 1, waitingPerTenant: 2 })
  for (let n = 0; n < 3; n++) ask('a')

  await expect(ask('a')).rejects.toMatchObject({ isOwnDoing: true, code: '53300' })
  const b = ask('b')
  b.catch(() => {})
  expect(await Promise.race([b.catch(() => 'refused'), turn().then(() => 'waits')])).toBe('waits')
})

test('who waits too long is told, and told apart from who is in their own way', async () => {
  const { begun, ask, names } = start({ places: 2, perTenant: 2, waitMs: 1 })
  ask('a')
  ask('a')

  await expect(ask('a')).rejects.toEqual(new Busy(true))
  await expect(ask('b')).rejects.toEqual(new Busy(false))
  begun[0]!.end()
  await turn()
  ask('c')

  expect(names()).toBe('aac')
})

test('whatever comes and goes, the shares hold and everybody is served', async () => {
  const property = fc.asyncProperty(
    fc.array(fc.record({ tenant: fc.constantFrom('a', 'b', 'c'), turns: fc.nat(2), fails: fc.boolean() }), {
      maxLength: 60,
    }),
    fc.integer({ min: 1, max: 4 }),
    fc.integer({ min: 1, max: 3 }),
    async (arrivals, places, perTenant) => {
      const queue = new FairQueue({ places, perTenant, waitingPerTenant: 100, waitMs: LONG })
      const held = new Map<string, number>()
      let done = 0
      const asked = arrivals.map(({ tenant, turns, fails }) =>
        queue.run(tenant, async () => {
          held.set(tenant, (held.get(tenant) ?? 0) + 1)
          expect(held.get(tenant)).toBeLessThanOrEqual(perTenant)
          expect([...held.values()].reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(places)
          for (let n = 0; n < turns; n++) await turn()
          held.set(tenant, held.get(tenant)! - 1)
          done++
          if (fails) throw new Error('failed')
        }),
      )
      await Promise.allSettled(asked)

      expect(done).toBe(arrivals.length)
      expect({ taken: queue.taken, waiting: queue.waiting }).toEqual({ taken: 0, waiting: 0 })
    },
  )
  await fc.assert(property, { numRuns: 100 })
})

test('who gives up leaves the line, and what they asked for is not done', async () => {
  const { queue, begun, ask } = start({ places: 1, perTenant: 1 })
  ask('a')
  const leaving = new AbortController()
  const done: string[] = []
  const given = queue.run('b', async () => void done.push('b'), leaving.signal)
  const later = ask('c')
  leaving.abort(new Error('gone'))

  await expect(given).rejects.toThrow('gone')
  await expect(queue.run('b', async () => void done.push('b'), leaving.signal)).rejects.toThrow('gone')
  expect(queue.waiting).toBe(1)
  begun[0]!.end()
  await turn()
  begun[1]!.end()
  await later
  expect([done, queue.taken, queue.waiting]).toEqual([[], 0, 0])
})

import { expect, test } from 'vitest'
import { fixedClock } from '../../../test/harness/clock.ts'
import { DestinationPools } from './destination-pools.ts'

const LIMITS = { messagesPerConnection: 100, idleMs: 5_000, firstPauseMs: 5_000, maxPauseMs: 600_000 }

async function start() {
  const clock = fixedClock()
  const pools = new DestinationPools({ clock, limits: LIMITS })
  const visit = async (name: string) => {
    const pool = pools.to({ name, hosts: [] })
    await pool.enter()
    pool.leave()
    return pool
  }
  const visitMany = async (prefix: string) => {
    for (let index = 0; index < 2_500; index++) await visit(`${prefix}${index}.example`)
  }
  return { clock, pools, visit, visitMany }
}

test('a million domains, each met once, are not remembered', async () => {
  const { pools, visitMany } = await start()

  for (const prefix of ['a', 'b', 'c', 'd']) await visitMany(prefix)

  expect(pools.all().length).toBeLessThanOrEqual(1_000)
})

test('what is in use, or could not be reached within the hour, is', async () => {
  const { clock, pools, visit, visitMany } = await start()
  const busy = pools.to({ name: 'busy.example', hosts: [] })
  await busy.enter()
  const sore = await visit('sore.example')
  sore.rest.failed(clock.now().getTime())

  await visitMany('a')
  expect(pools.find('busy.example')).toBe(busy)
  expect(pools.find('sore.example')).toBe(sore)

  clock.advance(3_601)
  await visitMany('b')
  expect(pools.find('busy.example')).toBe(busy)
  expect(pools.find('sore.example')).toBe(undefined)
})

test('low priority lets all others enter first', async () => {
  const { pools } = await start()
  const pool = pools.to({ name: 'busy.example', hosts: [], maxConnections: 1 })
  await pool.enter({ isLowPriority: true })
  const entered: string[] = []
  const wait = (name: string, isLowPriority: boolean) =>
    pool.enter({ isLowPriority }).then(() => void entered.push(name))
  wait('slow 1', true)
  wait('slow 2', true)
  wait('quick 1', false)
  wait('quick 2', false)

  expect(pool.load.waiting).toBe(4)
  for (let turn = 0; turn < 4; turn++) {
    pool.leave()
    await new Promise(setImmediate)
  }

  expect(entered).toEqual(['quick 1', 'quick 2', 'slow 1', 'slow 2'])
})

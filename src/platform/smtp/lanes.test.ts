import { expect, test } from 'vitest'
import { fixedClock } from '../../../test/harness/clock.ts'
import { Lanes } from './lanes.ts'

const LIMITS = { messagesPerConnection: 100, idleMs: 5_000, firstPauseMs: 5_000, maxPauseMs: 600_000 }

async function start() {
  const clock = fixedClock()
  const lanes = new Lanes({ clock, limits: LIMITS })
  const visit = async (name: string) => {
    const lane = lanes.to({ name, hosts: [] })
    await lane.enter()
    lane.leave()
    return lane
  }
  const visitMany = async (prefix: string) => {
    for (let index = 0; index < 2_500; index++) await visit(`${prefix}${index}.example`)
  }
  return { clock, lanes, visit, visitMany }
}

test('a million domains, each met once, are not remembered', async () => {
  const { lanes, visitMany } = await start()

  for (const prefix of ['a', 'b', 'c', 'd']) await visitMany(prefix)

  expect(lanes.all().length).toBeLessThanOrEqual(1_000)
})

test('what is in use, or has complained within the hour, is', async () => {
  const { clock, lanes, visit, visitMany } = await start()
  const busy = lanes.to({ name: 'busy.example', hosts: [] })
  await busy.enter()
  const sore = await visit('sore.example')
  sore.throttle.slowDown(clock.now().getTime())

  await visitMany('a')
  expect(lanes.find('busy.example')).toBe(busy)
  expect(lanes.find('sore.example')).toBe(sore)

  clock.advance(3_601)
  await visitMany('b')
  expect(lanes.find('busy.example')).toBe(busy)
  expect(lanes.find('sore.example')).toBe(undefined)
})

test('who is patient lets all others enter first', async () => {
  const { lanes } = await start()
  const lane = lanes.to({ name: 'busy.example', hosts: [], maxConnections: 1 })
  await lane.enter({ isPatient: true })
  const entered: string[] = []
  const wait = (name: string, isPatient: boolean) => lane.enter({ isPatient }).then(() => void entered.push(name))
  wait('slow 1', true)
  wait('slow 2', true)
  wait('quick 1', false)
  wait('quick 2', false)

  expect(lane.load.waiting).toBe(4)
  for (let turn = 0; turn < 4; turn++) {
    lane.leave()
    await new Promise(setImmediate)
  }

  expect(entered).toEqual(['quick 1', 'quick 2', 'slow 1', 'slow 2'])
})

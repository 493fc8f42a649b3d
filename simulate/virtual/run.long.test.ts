import { describe, expect, test } from 'vitest'
import type { SitePolicy, World } from '../sites/site-policy.ts'
import { kumomta } from '../strategies/kumomta.ts'
import type { Pacer, Strategy } from '../strategies/pacer.ts'
import { postwren, postwrenWarmUp } from '../strategies/postwren.ts'
import { powermta } from '../strategies/powermta.ts'
import { reference } from '../strategies/reference.ts'
import { unpaced } from '../strategies/unpaced.ts'
import { generateWorld } from '../world/generate.ts'
import { runVirtual } from './run.ts'
import { summarize } from './summary.ts'

const worldWith = (temper: SitePolicy, offer = 400): World => ({
  window_hours: 1,
  sources: ['192.0.2.10', '192.0.2.11'],
  tenants: 4,
  sites: [
    { name: 'site', voice: 'postfix', domains: ['site.test'], hosts: ['mx.site.test'], daily_offer: offer, temper },
  ],
})

const sent = (world: World, { strategy = unpaced, days = 1 } = {}) =>
  runVirtual({ world, strategy, days, seed: 1 }).sites[0]!

describe('a month of the small world', () => {
  const world = generateWorld({ seed: 1, sites: 5, windowHours: 0.5 })
  const month = (strategy: Strategy, days = 30) => summarize(runVirtual({ world, strategy, days, seed: 1 }))

  test('a controller that follows the replies uses what the sites allow, and is never blocked', () => {
    const { goodput, ...counts } = month(reference)

    expect(counts).toMatchObject({ blocks: 0, escalations: 0, lost: 0 })
    expect(goodput).toBeGreaterThanOrEqual(0.9)
  })

  test('static rules do not fit a world that they were not written for', () => {
    for (const strategy of [kumomta, powermta]) expect(month(strategy, 2).goodput).toBeLessThan(0.9)
  })
})

describe('a provider that blocks strangers with much mail', () => {
  const careful = (growth: number): World => ({
    ...{ window_hours: 1, sources: ['192.0.2.10', '192.0.2.11'], tenants: 2 },
    sites: [
      {
        ...{ name: 'careful', voice: 'outlook', domains: ['careful.test'], daily_offer: 6_000 },
        hosts: ['careful.olc.protection.outlook.com'],
        temper: {
          limits: [{ by: 'source', per_minute: 40, burst: 80 }],
          warm_up: { by: 'source', share: 0.05, growth, blocks_beyond: 60 },
        },
      },
    ],
  })
  const month = (strategy: Strategy, growth = 1.4) =>
    summarize(runVirtual({ world: careful(growth), strategy, days: 30, seed: 1 }))

  test('never gets to know the program without its warm-up, and never blocks it with', () => {
    const [without, withIt] = [month(postwren), month(postwrenWarmUp)]

    expect(without).toMatchObject({ neverWarm: 2, lost: 0 })
    expect(without.blocks).toBeGreaterThan(20)
    expect(withIt).toMatchObject({ blocks: 0, escalations: 0, neverWarm: 0, lost: 0 })
    expect(withIt.taken).toBeGreaterThan(without.taken * 5)
  })

  test('blocks it now and then, and not each day, when it is slower to trust than the schedule', () => {
    const [without, withIt] = [month(postwren, 1.25), month(postwrenWarmUp, 1.25)]

    expect(withIt.blocks).toBeGreaterThan(0)
    expect(withIt.blocks).toBeLessThan(without.blocks / 2)
    expect(withIt.taken).toBeGreaterThan(without.taken)
  })
})

test('a warm-up costs mail where nobody is blocked for it: on its first day each source sends 50 messages, and no site is warmed up', () => {
  const world = generateWorld({ seed: 1, sites: 9, windowHours: 0.5 })

  const { sites } = runVirtual({ world, strategy: postwrenWarmUp, days: 1, seed: 1 })

  const takenBy = (name: string) => sites.find(({ site }) => site === name)!
  for (const name of ['outlook', 'yahoo', 'gmx']) expect(takenBy(name).taken).toBeLessThanOrEqual(2 * 50)
  expect(takenBy('outlook').taken).toBeGreaterThan(50)
  expect(takenBy('site009').taken).toBeGreaterThan(0.9 * takenBy('site009').allowed)
})

test('the same seed gives the same month, to the message, and another one another', () => {
  const run = (seed: number) =>
    runVirtual({ world: generateWorld({ seed, sites: 20, windowHours: 0.25 }), strategy: reference, days: 2, seed })

  expect(run(7)).toEqual(run(7))
  expect(run(8)).not.toEqual(run(7))
})

test('without limits everything is taken, once', () => {
  expect(sent(worldWith({}))).toMatchObject({ offered: 400, taken: 400, allowed: 400 })
})

test('what was not taken at the end of the window is withdrawn', () => {
  const { taken, allowed } = sent(worldWith({ limits: [{ by: 'source', per_minute: 1, burst: 1 }] }), { days: 3 })

  expect(allowed).toBe(3 * 2 * 61)
  expect(taken).toBeLessThanOrEqual(allowed)
  expect(taken).toBeGreaterThan(0)
})

test('greylisted mail comes back and is taken', () => {
  expect(sent(worldWith({ greylist_seconds: 60 }))).toMatchObject({ taken: 400 })
})

test('a sender waits for the connections that it may have, and for a tarpit', () => {
  const slow = worldWith({ tarpit: { after_messages: 0, delay_seconds: 60 } }, 4_000)

  // Twenty connections from each of two sources, one message a minute each.
  expect(sent(slow).taken).toBeLessThanOrEqual(2 * 20 * 60)
  expect(sent(slow).taken).toBeGreaterThan(2 * 20 * 55)
})

test('after a connection was closed without a word the next message gets a new one', () => {
  const { taken, connections } = sent(worldWith({ max_messages_per_connection: 20, closes_silently: true }))

  expect(taken).toBe(400)
  expect(connections).toBeGreaterThanOrEqual(400 / 20)
})

test('TLS that is broken is done without, unless the domain insists', () => {
  expect(sent(worldWith({ tls: 'broken' })).taken).toBe(400)
  expect(sent(worldWith({ tls: 'broken', mta_sts: 'testing' })).taken).toBe(400)
  expect(sent(worldWith({ tls: 'broken', mta_sts: 'enforce' }))).toMatchObject({ taken: 0, allowed: 0 })
})

test('a pacer that never lets anything go sends nothing; one that never asks again loses what was deferred', () => {
  const pacer: Pacer = {
    concurrency: () => ({ connections: 1, messagesPerConnection: 1 }),
    waitMs: () => 60_000,
    answered: () => null,
  }
  const never = { name: 'never', about: '', create: () => pacer }
  const once = { name: 'once', about: '', create: () => ({ ...pacer, waitMs: () => 0 }) }

  expect(sent(worldWith({}), { strategy: never })).toMatchObject({ offered: 0 })
  // Few recipients get two messages.
  expect(sent(worldWith({ greylist_seconds: 3_600 }), { strategy: once })).toMatchObject({ offered: 400, taken: 0 })
})

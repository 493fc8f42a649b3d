import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startDirect } from '../../../../../test/harness/direct.ts'
import { readEmail, sendEmail } from '../../../../../test/harness/emails.ts'
import { hangUp, type Moment, type Reaction } from '../../../../../test/harness/mail-conversation.ts'
import { ehloNames, LOOPBACK_SOURCES, sourcesSetting } from '../../../../../test/harness/sources.ts'
import { raw, sql } from '../../../../kernel/db/sql.ts'
import { createLog } from '../../../../platform/observability/log.ts'
import { addressesIn } from '../../../../platform/settings/sources-setting.ts'
import { listSources } from './index.ts'
import { Sources } from './sources.ts'

type Client = Awaited<ReturnType<typeof startDirect>>['acme']

/** A service that sends from 127.0.0.2 and 127.0.0.3, and a provider that sees where mail comes from. */
async function start(file: object, settings: Record<string, string> = {}) {
  const { names, react } = ehloNames()
  let refuse: (moment: Moment & { client: string }) => Reaction | undefined = () => undefined
  const started = await startDirect(
    {
      react: (moment) =>
        react(moment) ?? refuse({ ...moment, client: started?.server.clients[moment.connection - 1] ?? '' }),
    },
    { ...sourcesSetting({ sources: LOOPBACK_SOURCES, ...file }), ...settings },
  )
  const { app, dns, server, acme, from } = started
  for (const table of ['warm_ups', 'pace_controllers', 'delivery_pauses', 'destination_pauses', 'destination_stops'])
    await app.db.query(sql`delete from ${raw(table)}`)
  dns.set('box.dev', { MX: [{ exchange: 'mx.google.com', preference: 10 }] })
  dns.set('mx.google.com', { A: ['127.0.0.1'] })
  await app.startWorkers()
  const send = (count: number, { client = acme, ...email }: { client?: Client } & Record<string, unknown> = {}) =>
    Promise.all(Array.from({ length: count }, (_, n) => sendEmail(client, { from, to: `user${n}@box.dev`, ...email })))
  const settled = (ids: readonly string[]) => app.until(async () => (await app.db.query(WAITING(ids))).length === 0)
  /** How many messages came from each address, with the name that it called itself by. */
  const seen = () => {
    const counts: Record<string, number> = {}
    for (const { connection } of server.messages) {
      const key = `${server.clients[connection - 1]} ${names.get(connection)}`
      counts[key] = (counts[key] ?? 0) + 1
    }
    return counts
  }
  const refuseBy = (next: typeof refuse) => {
    refuse = next
  }
  return { ...started, send, settled, seen, refuseBy }
}

/** Those that nobody has decided about yet. */
const WAITING = (ids: readonly string[]) => sql`
  select from deliveries where email_id = any (${ids}::uuid[]) and state = 'waiting' and replies = '[]'`

const TWO = '127.0.0.2 two.test'
const THREE = '127.0.0.3 three.test'
const BLOCK = '550 5.7.1 Service unavailable; client host blocked using a blocklist'
const POOLS = {
  pools: [
    { name: 'a', sources: { two: 1 } },
    { name: 'b', sources: { three: 1 } },
  ],
  default: 'a',
}

// Elsewhere than on Linux only 127.0.0.1 is an address of the machine.
describe.runIf(process.platform === 'linux')('sources', () => {
  test('mail leaves from the address and under the EHLO name of the pool that the rules choose', async () => {
    const { send, settled, seen } = await start({ ...POOLS, rules: [{ tag: 'category=bulk', pool: 'b' }] })
    const ids = [...(await send(3)), ...(await send(2, { tags: [{ name: 'category', value: 'bulk' }] }))]
    await settled(ids)

    expect(seen()).toEqual({ [TWO]: 3, [THREE]: 2 })
  })

  test('sources of a pool share mail by their weights', async () => {
    const { send, settled, seen } = await start({ pools: [{ name: 'p', sources: { two: 1, three: 3 } }] })
    await settled(await send(60))

    const { [TWO]: two = 0, [THREE]: three = 0 } = seen()
    expect(two + three).toBe(60)
    expect(three).toBeGreaterThan(two)
    expect(two).toBeGreaterThan(0)
  })

  test('what a provider refuses from one source goes by the other; it waits when both are refused', async () => {
    const pools = [{ name: 'p', sources: { two: 9, three: 1 } }]
    const { send, settled, seen, refuseBy, app, acme } = await start({ pools })
    refuseBy(({ step, client }) => (step === 'MAIL' && client === '127.0.0.2' ? BLOCK : undefined))
    // As many as it takes for one of them to be refused: ids are random, and of twelve coins all were heads once in 4,096 runs.
    await settled(await send(12))
    const pauses = await app.db.query<{ identity: string }>(sql`select identity from delivery_pauses`)
    expect(pauses.map(({ identity }) => identity)).toEqual(['127.0.0.2'])

    const before = seen()[THREE] ?? 0
    await settled(await send(10))
    expect(seen()).toEqual({ [THREE]: before + 10 })
    const [first] = await listSources(app.db, { ...SETTINGS, sources: LISTED })
    expect(first).toMatchObject({ name: 'two', pauses: [{ destination: 'gmail' }] })

    refuseBy(({ step }) => (step === 'MAIL' ? BLOCK : undefined))
    const ids = await send(8)
    await settled(ids)
    expect(seen()).toEqual({ [THREE]: before + 10 })
    const { deliveries } = await readEmail(acme, ids[7]!)
    expect(deliveries[0]).toMatchObject({ state: 'waiting' })
  })

  test.each<[string, (moment: { step: string }) => Reaction | undefined]>([
    ['is refused', ({ step }) => (step === 'MAIL' ? BLOCK : undefined)],
    ['cannot reach anybody', ({ step }) => (step === 'CONNECT' ? hangUp : undefined)],
  ])('a source of one pool that %s keeps no mail of another pool', async (_, answer) => {
    const { send, seen, server, refuseBy, app } = await start({
      ...POOLS,
      rules: [{ tag: 'category=reset', pool: 'b' }],
    })
    refuseBy((moment) => (moment.client === '127.0.0.2' ? answer(moment) : undefined))
    const bulk = await send(3)
    const hasDueAt = sql`select from deliveries where email_id = any (${bulk}::uuid[]) and holder is null and claims > 0 and destination is not null`
    await app.until(async () => (await app.db.query(hasDueAt)).length === 3)
    const more = await send(3)
    await send(5, { tags: [{ name: 'category', value: 'reset' }] })
    await server.received(5)

    expect(seen()).toEqual({ [THREE]: 5 })
    // What waits has a time of its own: nobody fetches it for a source that takes none.
    const waiting = sql`select parked_for as "parkedFor" from deliveries where email_id = any (${[...bulk, ...more]}::uuid[]) and holder is null and claims > 0`
    await app.until(async () => (await app.db.query(waiting)).length === 6)
    expect(new Set((await app.db.query<{ parkedFor: string }>(waiting)).map(({ parkedFor }) => parkedFor))).toEqual(
      new Set([null]),
    )
    expect(await app.db.query(sql`select destination from destination_stops`)).toEqual([])
  })

  test('a destination that refuses every source is stopped until the first of them may ask again', async () => {
    const { send, refuseBy, app } = await start({ ...POOLS, rules: [{ tag: 'category=reset', pool: 'b' }] })
    refuseBy(({ step }) => (step === 'MAIL' ? BLOCK : undefined))
    const reset = { tags: [{ name: 'category', value: 'reset' }] }
    const pauses = (count: number) => async () =>
      (await app.db.query(sql`select from delivery_pauses`)).length === count
    await send(1)
    await app.until(pauses(1))
    app.clock.advance(60)
    await send(1, reset)
    await app.until(pauses(2))
    await send(1, reset)

    const stops = sql`
      select s.destination, s.cause, s.stopped_until = p.paused_until as "isFirst"
      from destination_stops s, delivery_pauses p where p.identity = '127.0.0.2'`
    await app.until(async () => (await app.db.query(stops)).length === 1)
    expect(await app.db.query(stops)).toEqual([{ destination: 'gmail', cause: 'paused', isFirst: true }])
  })

  test('what is too fast for one source comes back one after the other', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'ceilings-')), 'ceilings.json')
    writeFileSync(path, JSON.stringify([{ provider: 'gmail', source: 'two', rate: '1/s' }]))
    const { send, server, app } = await start(
      { pools: [{ name: 'p', sources: { two: 1 } }] },
      { POSTWREN_CEILINGS: path },
    )
    const ids = await send(20)
    const claims = async () => {
      const [row] = await app.db.query<{ claims: number; held: number }>(sql`
        select sum(claims)::int as claims, count(holder)::int as held from deliveries where email_id = any (${ids}::uuid[])`)
      return row!
    }
    await app.until(async () => (await claims()).held === 0)
    for (let second = 1; second <= 5; second++) {
      app.clock.advance(1)
      app.db.signals.announce('deliveries')
      await server.received(second)
      await app.until(async () => (await claims()).held === 0)
    }

    expect((await claims()).claims).toBeLessThanOrEqual(20 + 2 * 5)
  })

  test('what stands in line for a source that is refused goes by the other at once', async () => {
    const { send, settled, seen, refuseBy } = await start({ pools: [{ name: 'p', sources: { two: 1, three: 0 } }] })
    refuseBy(({ step, client }) => (step === 'MAIL' && client === '127.0.0.2' ? BLOCK : undefined))
    // More than there are connections for.
    await settled(await send(40))

    expect(Object.keys(seen())).toEqual([THREE])
    expect(seen()[THREE]).toBeGreaterThan(20)
  })

  test('a warm-up has 50 messages on its first day; what is more goes by a source that is warm', async () => {
    const [two, three] = LOOPBACK_SOURCES
    const { send, settled, seen, app } = await start({
      sources: [{ ...two, warm_up: true }, three],
      pools: [{ name: 'p', sources: { two: 1, three: 0 } }],
    })
    await settled(await send(70))

    expect(seen()).toEqual({ [TWO]: 50, [THREE]: 20 })
    const [listed] = await listSources(app.db, {
      ...SETTINGS,
      sources: LISTED.map((one) => ({ ...one, warmUp: true })),
    })
    expect(listed?.warmUps).toMatchObject([
      { provider: 'gmail', day: 0, sentToday: 50, allowance: 50, isFinished: false },
    ])
  })

  test('without another source the rest waits for the next day, with the reason, and goes then', async () => {
    const [two] = LOOPBACK_SOURCES
    const { send, settled, seen, server, app, acme } = await start({
      sources: [{ ...two, warm_up: true }],
      warm_up_domains: false,
    })
    const ids = await send(60)
    await settled(ids)
    expect(seen()).toEqual({ [TWO]: 50 })
    const emails = await Promise.all(ids.map((id) => readEmail(acme, id)))
    const waiting = emails.find(({ deliveries }) => deliveries[0].state === 'waiting')
    expect(waiting?.deliveries[0].replies[0].reply).toMatch(
      /^451 4\.7\.1 Waiting until \d{4}-\d\d-\d\dT00:\d\d:\d\d\.000Z: gmail gets 50 messages a day from the source two on day 0 of its warm-up/,
    )

    app.clock.advance(86_400 + 3_600)
    app.db.signals.announce('deliveries')
    await server.received(60)
    expect(seen()).toEqual({ [TWO]: 60 })
    const [row] = await app.db.query<{ step: number; leased: number }>(sql`select step, leased from warm_ups`)
    expect(row!.step).toBe(1)
    expect(row!.leased).toBeGreaterThanOrEqual(10)
  })

  test('a sending domain is warmed up whatever source its mail leaves from', async () => {
    const { send, settled, seen } = await start({ warm_up_domains: true })
    await settled(await send(64))

    const { [TWO]: two = 0, [THREE]: three = 0 } = seen()
    expect(two + three).toBe(50)
  })

  test('a ceiling of a source is its own, by name or address', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'ceilings-')), 'ceilings.json')
    writeFileSync(path, JSON.stringify([{ provider: 'gmail', source: 'two', connections: 1 }]))
    const { send, settled, server } = await start(
      { pools: [{ name: 'p', sources: { two: 1 } }] },
      { POSTWREN_CEILINGS: path },
    )
    await settled(await send(20))
    expect(server.connections.peak).toBe(1)
  })

  test('a process that stops still has its sources for what it has claimed', async () => {
    const { app } = await start({})
    const settings = {
      ...SETTINGS,
      sources: LISTED,
      pools: [{ name: 'default', members: [{ source: 'two', weight: 1 }] }],
    }
    const sources = new Sources(app.db, {
      log: createLog({ level: 'silent', isTerminal: false }),
      settings,
      canBind: async () => true,
    })
    const stop = await sources.follow(() => {})
    stop()

    const mail = { team: 'acme', domain: 'acme.dev', stream: 'single', tags: [] } as const
    expect(sources.candidatesFor(mail, { key: '1', leftTo: null })).toMatchObject([{ isHere: true }])
  })
})

const LISTED = LOOPBACK_SOURCES.map(({ name, address, ehlo }) => ({
  name,
  addresses: addressesIn(address),
  ehlo,
  warmUp: false,
}))
const SETTINGS = { pools: [], rules: [], defaultPool: 'default', warmUpDomains: [] } as const

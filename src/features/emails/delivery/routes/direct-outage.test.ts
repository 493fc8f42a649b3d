import { expect, test } from 'vitest'
import { startDirect } from '../../../../../test/harness/direct.ts'
import { sendEmail } from '../../../../../test/harness/emails.ts'
import { readableLog } from '../../../../../test/harness/log.ts'
import { startMailServer } from '../../../../../test/harness/mail-server.ts'
import { relayRoute, routesFile } from '../../../../../test/harness/routes.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import { loadConfig } from '../../../../platform/settings/config.ts'
import { listRoutes } from './list-routes.ts'
import { RouteStates } from './route-states.ts'

/** An address of this machine at which nobody listens, until the network is back. */
const AWAY = '127.0.0.9'

/** Sites of two kinds: those behind a network that is away, and those that answer. */
async function start(settings: Record<string, string> = {}) {
  const readable = readableLog()
  const started = await startDirect({}, settings, { log: readable.log })
  const { app, acme, dns, server, from } = started
  await app.db.query(sql`delete from delivery_routes`)
  await app.db.query(sql`delete from destination_stops`)
  const random = Math.random().toString(36).slice(2)
  const site = (name: string, address: string) => {
    const domain = `${name}-${random}.dev`
    dns.set(domain, { MX: [{ exchange: `mx.${domain}`, preference: 10 }] })
    dns.set(`mx.${domain}`, { A: [address] })
    return domain
  }
  const send = async (...domains: string[]) => {
    for (const domain of domains) await sendEmail(acme, { from, to: `ada@${domain}` })
    await app.deliverDue()
  }
  const sites = Array.from({ length: 8 }, (_, n) => site(`s${n}`, AWAY))
  const alive = site('alive', '127.0.0.1')
  const openRoutes = () => app.db.query(sql`select from delivery_routes where state = 'open'`)
  const opened = (count: number) => app.until(async () => (await openRoutes()).length === count)
  /** The network goes away: five sites cannot be connected to, and 30 s later a sixth. */
  const loseNetwork = async () => {
    await send(...sites.slice(0, 5))
    expect(await openRoutes()).toEqual([])
    app.clock.advance(31)
    await send(sites[5]!)
    await opened(1)
  }
  const comeBack = () => startMailServer({ at: { host: AWAY, port: server.port } })
  const rows = (domain: string) =>
    app.db.query<{ state: string; attempts: number; parked: string | null }>(sql`
      select state, attempts, parked_for as parked from deliveries where recipient like ${`%@${domain}`} order by email_id`)
  return { ...started, ...readable, send, site, sites, alive, openRoutes, opened, loseNetwork, comeBack, rows }
}

async function startWithRelay() {
  const relay = await startMailServer()
  const POSTWREN_ROUTES = routesFile({ routes: [{ name: 'direct', kind: 'direct' }, relayRoute('relay', relay)] })
  return { ...(await start({ POSTWREN_ROUTES })), relay, POSTWREN_ROUTES }
}

test('direct that reaches nobody is down for all to see, and mail takes the next route, until a site answers', async () => {
  const { app, send, sites, relay, loseNetwork, comeBack, opened, saying, POSTWREN_ROUTES } = await startWithRelay()
  await loseNetwork()

  expect(relay.messages.map(({ to }) => to)).toEqual([[`ada@${sites[5]}`]])
  const listed = await listRoutes(app.db, loadConfig({ POSTWREN_ROUTES, POSTWREN_DELIVERY: 'direct' }))
  expect(listed).toMatchObject([
    {
      ...{ name: 'direct', state: 'down' },
      fault: {
        fault: 'connection',
        reply: expect.stringMatching(
          /^451 4\.4\.1 6 sites cannot be reached, and none has answered for 30 s; the last one: /,
        ),
      },
    },
    { name: 'relay', state: 'up' },
  ])
  expect(saying('delivery: route direct reaches no site; mail takes another route or waits')).toHaveLength(1)
  const { body } = await app.send({ method: 'GET', url: '/readyz' })
  expect(body).toMatchObject({ status: 'degraded', checks: { routes: 'down', routes_down: ['direct'] } })
  const { body: metrics } = await app.send({ method: 'GET', url: '/metrics' })
  expect(metrics).toContain('postwren_route_up{route="direct"} 0')

  const back = await comeBack()
  await send(sites[6]!)
  expect([relay.messages.length, back.messages.length]).toEqual([2, 0])
  app.clock.advance(6)
  await send(sites[6]!)
  await opened(0)
  expect([relay.messages.length, back.messages.length]).toEqual([2, 1])
  expect(saying('delivery: route direct is back')).toHaveLength(1)
})

test('name servers that answer for nobody are an outage, too', async () => {
  const { app, dns, send, sites, alive, opened } = await start()
  for (const domain of [...sites, alive]) dns.fault(`MX ${domain}`, 'servfail')
  await send(...sites.slice(0, 5))
  app.clock.advance(31)
  await send(sites[5]!)
  await opened(1)
  dns.fault(`MX ${alive}`, null)
  app.clock.advance(6)
  await send(alive)
  await opened(0)
})

test('where there is no other route mail waits for it, and that costs no attempt', async () => {
  const { app, send, sites, loseNetwork, comeBack, opened, rows } = await start()
  await loseNetwork()
  await send(sites[6]!)
  const parked = { state: 'waiting', attempts: 0, parked: 'route/direct' }
  expect([...(await rows(sites[5]!)), ...(await rows(sites[6]!))]).toEqual([parked, parked])

  // Tried again, in vain.
  app.clock.advance(6)
  await app.deliverDue()
  const back = await comeBack()
  app.clock.advance(61)
  await app.delivery.start()
  await back.until(() => [5, 6].every((n) => back.messages.some(({ to }) => to[0] === `ada@${sites[n]}`)))
  await opened(0)
})

test('sites that are away for good do not keep it shut when the network is back', async () => {
  const { app, send, site, alive, loseNetwork, opened, server, rows } = await start()
  await loseNetwork()
  await send(...[0, 1, 2].map((n) => site(`gone-${n}`, AWAY)), alive)
  expect(await rows(alive)).toEqual([{ state: 'waiting', attempts: 0, parked: 'route/direct' }])
  app.clock.advance(6)
  await app.delivery.start()
  await server.until(() => server.messages.length === 1)
  await opened(0)
})

test('it stays shut, for longer each time, while five more cannot be reached', async () => {
  const { app, send, site, loseNetwork } = await start()
  await loseNetwork()
  const faults = async () => {
    const [row] = await app.db.query<{ faults: number; seconds: number }>(sql`
      select faults, extract(epoch from retry_at - changed_at)::int as seconds from delivery_routes where name = 'direct'`)
    return row
  }
  expect(await faults()).toEqual({ faults: 1, seconds: 5 })
  app.clock.advance(6)
  await send(...[0, 1, 2, 3, 4].map((n) => site(`more-${n}`, AWAY)))
  await app.until(async () => (await faults())!.faults === 2)
  expect(await faults()).toEqual({ faults: 2, seconds: 15 })
})

test('dead sites among living ones are their own fault, also when all that is left to try is them', async () => {
  const { app, send, sites, alive, openRoutes } = await start()
  for (const dead of sites) {
    await send(dead, alive)
    app.clock.advance(20)
  }
  // From now on nobody answers: what is tried again was tried before, and sites are known to be away.
  for (let minute = 0; minute < 10; minute++) {
    app.clock.advance(60)
    await send(...sites.slice(0, 5))
  }
  expect(await openRoutes()).toEqual([])
})

test('silence is noticed while no more mail comes, and each node needs its own proof after another has reached somebody', async () => {
  const { app, log, opened } = await start()
  const routes = [{ name: 'direct', kind: 'direct' }] as const
  const [cut, well] = [new RouteStates(app.db, { log, routes }), new RouteStates(app.db, { log, routes })]
  const ignore = await Promise.all([cut.follow(), well.follow()])
  try {
    const found = { fault: 'connection', reply: '451 4.4.1 No route to host', host: null } as const
    const loseAll = () => {
      for (let n = 0; n < 5; n++)
        cut.unreached('direct', { site: `mx${n}`, startedAt: app.clock.now(), found, isExpected: false })
    }
    loseAll()
    cut.judgeReachability()
    expect(cut.isUp('direct')).toBe(true)
    app.clock.advance(30)
    cut.judgeReachability()
    expect(cut.isUp('direct')).toBe(false)
    await opened(1)
    await app.until(async () => !well.isUp('direct'))

    app.clock.advance(6)
    expect(well.room('direct')).toBe(10)
    well.begin('direct')
    well.reached('direct', { site: 'mx0', startedAt: app.clock.now() })
    await opened(0)
    await app.until(async () => cut.isUp('direct'))
    loseAll()
    cut.judgeReachability()
    expect(cut.isUp('direct')).toBe(true)
  } finally {
    for (const end of ignore) end()
  }
})

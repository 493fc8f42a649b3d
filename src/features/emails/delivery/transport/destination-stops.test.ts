import { expect, test } from 'vitest'
import { startApp } from '../../../../../test/harness/app.ts'
import { startDirect } from '../../../../../test/harness/direct.ts'
import { addVerifiedDomain, readEmail, sendEmail } from '../../../../../test/harness/emails.ts'
import { readableLog } from '../../../../../test/harness/log.ts'
import { hangUp } from '../../../../../test/harness/mail-conversation.ts'
import { suspend } from '../../../../../test/harness/operators.ts'
import { relaying } from '../../../../../test/harness/relaying.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import { endPauses } from '../pace/pause-store.ts'
import { retryDeferred } from '../queue/queue-retry.ts'
import type { QueueKey } from './destination-queues.ts'
import { DestinationStops } from './destination-stops.ts'

const BLOCKED = '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org'

/** Two sites at one mail server: it can hang up on those of the first. */
async function start() {
  const started = await startDirect()
  const { app, acme, dns, server, from } = started
  const random = Math.random().toString(36).slice(2)
  const [dead, alive] = [`dead-${random}.dev`, `alive-${random}.dev`]
  // Two addresses of this machine: what is done to connections depends on which was called.
  for (const name of [dead, alive]) dns.set(name, { MX: [{ exchange: `mx.${name}`, preference: 10 }] })
  for (const name of [dead, alive]) dns.set(`mx.${name}`, { A: ['127.0.0.1'] })
  await app.db.query(sql`delete from destination_stops`)
  const send = (to: string) => sendEmail(acme, { from, to })
  const rows = () =>
    app.db.query<{ recipient: string; state: string; claims: number; attempts: number; parked: string | null }>(sql`
      select recipient, state, claims, attempts, parked_for as parked, destination from deliveries
      where recipient like ${`%@${dead}`} order by email_id`)
  const stops = () =>
    app.db.query<{ destination: string; cause: string; failures: number; seconds: number }>(sql`
      select destination, cause, failures, domain, extract(epoch from stopped_until - ${app.clock.now()}::timestamptz)::int as seconds
      from destination_stops`)
  const hangUpAll = () => server.react(({ step }) => (step === 'CONNECT' ? hangUp : undefined))
  return { ...started, random, dead, alive, mx: `mx.${dead}`, send, rows, stops, hangUpAll }
}

type Started = Awaited<ReturnType<typeof start>>

/** The first is tried, the others are parked. */
async function stop({ app, send, dead, hangUpAll, stops }: Started, count = 3) {
  hangUpAll()
  await send(`first@${dead}`)
  await app.deliverDue()
  const ids: string[] = []
  for (let n = 0; n < count; n++) ids.push(await send(`u${n}@${dead}`))
  await app.deliverDue()
  await app.until(async () => (await stops()).length === 1)
  return ids
}

test('mail for a site that cannot be talked to is claimed once and parked under its name, out of the way of claims', async () => {
  const started = await start()
  const { app, server, mx, dead, rows, stops } = started
  await stop(started)
  const { total } = server.connections
  for (let n = 0; n < 3; n++) {
    app.clock.advance(1)
    await app.deliverDue()
  }

  const parked = { state: 'waiting', claims: 1, attempts: 0, parked: mx, destination: mx }
  const tried = { ...parked, recipient: `first@${dead}`, attempts: 1, parked: null }
  expect(await rows()).toEqual([tried, ...[0, 1, 2].map((n) => ({ ...parked, recipient: `u${n}@${dead}` }))])
  expect(await stops()).toMatchObject([{ destination: mx, cause: 'unreachable', failures: 1, domain: dead }])
  expect(server.connections.total).toBe(total)
  const [due] = await app.db.query<{ hours: number }>(sql`
    select min(extract(epoch from due_at - ${app.clock.now()}::timestamptz)::int / 3600) as hours from deliveries where parked_for = ${mx}`)
  expect(due!.hours).toBe(23)
})

test('new mail for it is parked without a look-up or a connection', async () => {
  const started = await start()
  const { app, dns, server, dead, mx, send, rows } = started
  await stop(started, 1)
  const before = [dns.queries.length, server.connections.total]
  await send(`new@${dead}`)
  await app.deliverDue()

  expect([dns.queries.length, server.connections.total]).toEqual(before)
  expect((await rows()).at(-1)).toMatchObject({ recipient: `new@${dead}`, claims: 1, parked: mx, destination: mx })
})

test('when its time is over one message is tried; while that fails it is left alone for longer', async () => {
  const started = await start()
  const { app, server, rows, stops } = started
  await stop(started)
  const { total } = server.connections
  const lengths: number[] = []
  for (let round = 0; round < 3; round++) {
    app.clock.advance((await stops())[0]!.seconds + 1)
    await app.deliverDue()
    await app.until(async () => (await stops())[0]!.failures === round + 2)
    lengths.push((await stops())[0]!.seconds)
  }

  expect(server.connections.total).toBe(total + 3)
  expect(lengths).toEqual([10, 20, 40])
  // Each was tried by itself, the oldest first.
  expect((await rows()).map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1])
})

test('when somebody answers everything else is fetched, and nothing is left behind', async () => {
  const started = await start()
  const { app, acme, server, stops } = started
  const ids = await stop(started, 30)
  server.react(() => undefined)
  app.clock.advance((await stops())[0]!.seconds + 1)
  await app.deliverDue()
  await app.until(async () => (await stops()).length === 0)
  await app.deliverDue()

  for (const id of ids) expect((await readEmail(acme, id)).last_event).toBe('delivered')
  expect(server.connections.peak).toBeLessThanOrEqual(5)
})

test('mail that is tried first and turns out not to be sent is followed by the next, at once', async () => {
  const started = await start()
  const { app, acme, server, dead, random, stops } = started
  const globex = await app.as('globex')
  await addVerifiedDomain(app, globex, `globex-${random}.dev`)
  started.hangUpAll()
  await started.send(`first@${dead}`)
  await app.deliverDue()
  for (let n = 0; n < 5; n++) await sendEmail(globex, { from: `a@globex-${random}.dev`, to: `u${n}@${dead}` })
  await app.deliverDue()
  const id = await started.send(`ada@${dead}`)
  await app.deliverDue()
  await app.until(async () => (await stops()).length === 1)
  await suspend(app, globex)
  server.react(() => undefined)
  app.clock.advance((await stops())[0]!.seconds + 1)
  await app.deliverDue()

  expect((await readEmail(acme, id)).last_event).toBe('delivered')
})

test('mail that waits for a stopped site leaves when all mail goes through a relay', async () => {
  const started = await start()
  const { app, acme, server, dns, stops } = started
  server.react(({ step }) => (step === 'MAIL' ? BLOCKED : undefined))
  await started.send(`first@${started.dead}`)
  await app.deliverDue()
  const id = await started.send(`second@${started.dead}`)
  await app.deliverDue()
  await app.until(async () => (await stops()).length === 1)
  await app.stopDelivery()
  server.react(() => undefined)
  const relayed = await startApp(relaying(server, dns))
  await relayed.startWorkers()

  await relayed.until(async () => (await readEmail(acme, id)).last_event === 'delivered')
  expect(await stops()).toEqual([])
})

test('mail for others goes on, and what has no name to be fetched by never gets a destination', async () => {
  const started = await start()
  const { app, acme, server, alive, send } = started
  await stop(started)
  server.react(() => undefined)
  const id = await send(`ada@${alive}`)
  await app.deliverDue()

  expect((await readEmail(acme, id)).last_event).toBe('delivered')
  expect(await app.db.query(sql`select destination from deliveries where email_id = ${id}`)).toEqual([
    { destination: null },
  ])
})

test('a site whose domain has moved to other servers does not keep its mail', async () => {
  const started = await start()
  const { app, acme, dns, dead, random, server } = started
  const ids = await stop(started, 5)
  server.react(() => undefined)
  dns.set(dead, { MX: [{ exchange: `mx.new-${random}.dev`, preference: 10 }] })
  dns.set(`mx.new-${random}.dev`, { A: ['127.0.0.1'] })
  // What is known of a domain is asked again after a while.
  app.clock.advance(3_600)
  await app.deliverDue()
  await app.until(async () => (await started.stops()).length === 0)
  await app.deliverDue()

  for (const id of ids) expect((await readEmail(acme, id)).last_event).toBe('delivered')
})

test('a destination that refuses our address keeps its mail parked, says why, and gets it when an operator asks for a retry', async () => {
  const started = await start()
  const { app, acme, server, dead, mx, send, rows, stops } = started
  server.react(({ step }) => (step === 'MAIL' ? BLOCKED : undefined))
  await send(`first@${dead}`)
  await app.deliverDue()
  const id = await send(`second@${dead}`)
  await app.deliverDue()
  await app.until(async () => (await stops()).length === 1)
  expect(await stops()).toMatchObject([{ destination: mx, cause: 'paused' }])
  expect((await rows())[1]).toMatchObject({ claims: 1, parked: mx, destination: mx })
  expect((await readEmail(acme, id)).deliveries[0].replies[0].reply).toMatch(/^451 4\.7\.1 Paused until .*spamhaus/)

  server.react(() => undefined)
  await app.delivery.start()
  await app.db.transaction((trx) => endPauses(trx, 'retried'))
  await retryDeferred(app.db, { filter: {}, record: async () => {} })
  await server.until(() => server.messages.length === 2)
  const isDelivered = async () => (await readEmail(acme, id)).last_event === 'delivered'
  await app.until(async () => (await stops()).length === 0 && (await isDelivered()))
})

test('one node tries at a time; another takes over from one that died while it did', async () => {
  const started = await start()
  const { app, mx, stops } = started
  await stop(started)
  const parked: QueueKey[] = []
  const node = () =>
    new DestinationStops(app.db, {
      log: readableLog().log,
      onParked: (queue) => void parked.push(queue),
      endRests: () => {},
      isRefused: () => false,
    })
  const [first, second] = [node(), node()]
  for (const one of [first, second]) (await one.follow())()
  expect(await first!.takeProbes()).toEqual([])
  app.clock.advance((await stops())[0]!.seconds + 1)
  const taken = [await first!.takeProbes(), await second!.takeProbes()]
  app.clock.advance(121)

  expect(taken).toEqual([[mx], []])
  expect(await second!.takeProbes()).toEqual([mx])
  // Whoever starts knows what is parked.
  expect(parked).toContainEqual({ destination: mx, priority: 0 })
})

test('a clock that was set back does not keep a destination stopped', async () => {
  const started = await start()
  const { app, mx, dead, stops } = started
  await stop(started)
  const node = new DestinationStops(app.db, {
    ...{ log: readableLog().log, onParked: () => {}, endRests: () => {}, isRefused: () => false },
  })
  ;(await node.follow())()
  app.clock.advance(-2 * 3_600)
  expect(await node.takeProbes()).toEqual([])
  await node.lookForParked()

  expect(await stops()).toMatchObject([{ destination: mx, domain: dead, seconds: 0 }])
  expect(await node.takeProbes()).toEqual([mx])
})

test('mail that nobody took in all its time has bounced', async () => {
  const started = await start()
  const { app, acme } = started
  const [id] = await stop(started)
  app.clock.advance(72 * 3_600 + 60)
  await app.deliverDue()

  expect((await readEmail(acme, id!)).last_event).toBe('bounced')
})

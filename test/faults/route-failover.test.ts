import { expect, onTestFinished, test, vi } from 'vitest'
import { sql } from '../../src/kernel/db/sql.ts'
import { groupBy } from '../../src/platform/group-by.ts'
import { startDnsServer } from '../harness/dns-server.ts'
import { hangUp, type MailServerOptions, silence } from '../harness/mail-conversation.ts'
import { type MailServer, startMailServer } from '../harness/mail-server.ts'
import { relayRoute, routesFile } from '../harness/routes.ts'
import { startSending } from '../harness/sending.ts'
import { dataFolder, eventually, Service } from '../harness/service.ts'
import { databaseOf } from '../harness/service-database.ts'
import { verifiedDomain } from '../harness/verified-domain.ts'

vi.setConfig({ testTimeout: 180_000 })

type React = NonNullable<MailServerOptions['react']>

const auth = { user: 'relay', pass: 'geheim' }
const WARNING = 'delivery: route main refuses the login'

/** A server with another password: who is logged in has to log in again, and cannot. */
const refusesLogin: React = ({ step }) =>
  step === 'AUTH' ? '535 5.7.8 Wrong password' : step === 'MAIL' ? hangUp : undefined

/** A server that knows by the name in EHLO which process talks to it. `held`: whose messages it takes in and never answers for. */
async function startBackup() {
  const names = new Map<number, string>()
  let held: string | null = null
  const server = await startMailServer({
    react: ({ step, line, connection }) => {
      if (step === 'EHLO') names.set(connection, line.split(' ')[1]!)
      return step === 'MESSAGE' && names.get(connection) === held ? silence : undefined
    },
  })
  return {
    ...server,
    messagesOf: (name: string) => server.messages.filter(({ connection }) => names.get(connection) === name),
    hold: (name: string | null) => {
      held = name
    },
    /** Those that came in to the last byte and were never answered for. */
    unanswered: () => server.seen.filter((mail) => !server.messages.includes(mail)),
  }
}

const messageId = ({ bytes }: { bytes: Buffer }) => /^Message-ID: (\S+)/im.exec(bytes.toString())![1]!

const metrics = async ({ url }: Service) => await (await fetch(`${url}/metrics`)).text()
const readiness = async ({ url }: Service) => (await (await fetch(`${url}/readyz`)).json()) as object
const knowsDown = async (service: Service) => (await metrics(service)).includes('postwren_route_up{route="main"} 0')
const allKnow = (services: readonly Service[], state: 'up' | 'down') =>
  Promise.all(services.map((one) => eventually(async () => (await knowsDown(one)) === (state === 'down'))))
const becomesDegraded = (service: Service) => expect.poll(() => readiness(service)).toMatchObject(DEGRADED)
const faultsOf = async (service: Service) =>
  Number(/^postwren_route_mail_total\{route="main",result="fault"\} (\d+)/m.exec(await metrics(service))?.[1] ?? 0)

const DEGRADED = { status: 'degraded', checks: { routes: 'down', routes_down: ['main'] } }
const WELL = { status: 'ok', checks: { routes: 'ok' } }

test('two processes and a first route that dies twice: both switch, nothing is lost, and it is used again by itself', async () => {
  const dns = await startDnsServer()
  const main = await startMailServer({ auth })
  const [backup, last] = [await startBackup(), await startMailServer()]
  const dataDir = dataFolder()
  const settings = {
    POSTWREN_DELIVERY: 'relay',
    POSTWREN_ROUTES: routesFile({
      routes: [relayRoute('main', main, 'relay:geheim@'), relayRoute('backup', backup), relayRoute('last', last)],
    }),
    POSTWREN_DNS_SERVERS: dns.address,
    POSTWREN_RATE_LIMIT: '0',
    POSTWREN_API_KEY: 're_key_of_the_route_test',
  }
  const start = (name: string) => Service.start({ dataDir, settings: { ...settings, POSTWREN_HOSTNAME: name } })
  const first = await start('first.test')
  const db = await databaseOf(first)
  // Its records name the host of the process that checks them, so there is one.
  await verifiedDomain(first, dns, 'acme.dev')
  const services = [first, await start('second.test')]
  // Each has asked each route how it is, as a process does when it starts, and found it well.
  await main.until(() => main.commands.includes('EHLO second.test') && main.connections.open === 0)

  // One of them finds out, with one mail. The other knows, and has not asked.
  main.react(refusesLogin)
  await first.call('POST', '/emails', { from: 'a@acme.dev', to: 'one@sink.dev', subject: 'Hello', text: 'Hello' })
  await backup.received(1)
  await allKnow(services, 'down')
  for (const service of services) await becomesDegraded(service)
  expect(services.filter(({ stderr }) => stderr.includes(WARNING))).toHaveLength(1)
  expect((await faultsOf(first)) + (await faultsOf(services[1]!))).toBeLessThanOrEqual(1)
  main.react(() => undefined)

  // It is asked again seconds later, by mail: the stream finds it in use.
  let next = 0
  const sending = startSending(() => services[next++ % services.length]!)
  onTestFinished(() => sending.stop())
  await main.received(50)
  await allKnow(services, 'up')

  // It dies under the stream, and both switch. One of them is killed while the backup has messages of it, and has not answered.
  backup.hold('second.test')
  main.react(refusesLogin)
  await backup.until(() => backup.messagesOf('first.test').length > 5 && backup.unanswered().length > 0)
  const second = services[1]!
  second.signal('SIGSTOP')
  const inFlight = await db.query<{ recipient: string }>(sql`
    select recipient from deliveries d join nodes n on n.id = d.holder where d.state = 'waiting' and n.pid = ${second.pid}`)
  services.splice(1, 1)
  await second.kill()
  backup.hold(null)
  // The dead one may have been writing it down, with the others behind it.
  await becomesDegraded(first)

  // Then there is not even a connection. Whoever starts now knows that it is down before a mail has asked.
  main.stop()
  services.push(await start('second.test'))
  await allKnow(services, 'down')
  const faultOfMain = () => db.query(sql`select state, fault from delivery_routes where name = 'main'`)
  await first.stored(async () => expect(await faultOfMain()).toEqual([{ state: 'open', fault: 'connection' }]), 90_000)
  const before = backup.messagesOf('second.test').length
  await backup.until(() => backup.messagesOf('second.test').length > before + 5)
  for (const service of services) expect(await readiness(service)).toMatchObject(DEGRADED)

  // It comes back, and is used again by itself.
  const returned = await startMailServer({ auth, at: { port: main.port } })
  await returned.received(50)
  await allKnow(services, 'up')
  await sending.stop()
  const servers: readonly MailServer[] = [main, backup, last, returned]
  const arrivals = () => servers.flatMap(({ seen }) => seen)
  const missing = () => {
    const arrived = new Set(arrivals().flatMap(({ to }) => to))
    return [...sending.accepted].filter((address) => !arrived.has(address))
  }
  await first.stored(async () => (await db.query(sql`select from deliveries where state = 'waiting'`)).length === 0)
  for (const service of services) expect(await readiness(service)).toMatchObject(WELL)

  expect(missing()).toEqual([])
  // Twice came only what the dead process had handed over before an answer was written down, with the same Message-ID.
  const ids = groupBy(arrivals(), messageId)
  const doubled = [...ids.values()].filter((copies) => copies.length > 1)
  const uncertain = inFlight.map(({ recipient }) => recipient)
  expect(uncertain).toEqual(expect.arrayContaining(doubled.map((copies) => copies[0]!.to[0]!)))
  for (const copies of doubled) expect(copies).toHaveLength(2)
  expect(doubled).toEqual(expect.arrayContaining(backup.unanswered().map((mail) => ids.get(messageId(mail)))))
  expect(new Set(arrivals().map(({ to }) => to[0])).size).toBe(ids.size)
  expect(last.seen).toEqual([])
})

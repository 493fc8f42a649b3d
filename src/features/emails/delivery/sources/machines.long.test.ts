import { expect, test } from 'vitest'
import { startApp } from '../../../../../test/harness/app.ts'
import { startDnsServer } from '../../../../../test/harness/dns-server.ts'
import { addVerifiedDomain, emptyLedger, readEmail, sendEmail } from '../../../../../test/harness/emails.ts'
import { startMailServer } from '../../../../../test/harness/mail-server.ts'
import { meet } from '../../../../../test/harness/meet.ts'
import { LOOPBACK_SOURCES, sourcesSetting } from '../../../../../test/harness/sources.ts'
import { mailExchanger } from '../../../../adapters/dns/mail-exchanger.ts'
import { createResolver } from '../../../../adapters/dns/resolver.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import { systemClock } from '../../../../platform/clock.ts'
import { DELIVERIES_CHANNEL } from '../ledger/queries.ts'
import { directResolver } from '../transport/destination-resolvers.ts'
import { channelOf } from './source-names.ts'

const sendsFromSources = ({ works, watches }: { works: readonly string[]; watches: readonly string[] }) =>
  works.includes(DELIVERIES_CHANNEL) && watches.some((channel) => channel.startsWith(channelOf('')))

/** Two machines of one installation: each has one of the addresses. */
async function startMachines(file: object, addresses = ['127.0.0.2', '127.0.0.3']) {
  const [dns, server] = [await startDnsServer(), await startMailServer()]
  dns.set('box.dev', { A: ['127.0.0.1'] })
  const resolver = createResolver({ servers: [dns.address], timeoutMs: 3_000, tries: 1 })
  const router = directResolver(
    mailExchanger(resolver, { port: server.port, allowPrivateAddresses: true, clock: systemClock }),
  )
  const settings = {
    POSTWREN_DELIVERY: 'direct',
    POSTWREN_DNS_SERVERS: dns.address,
    ...sourcesSetting({ sources: LOOPBACK_SOURCES, ...file }),
  }
  const start = (own: string) => startApp(settings, { router, canBind: async (address) => address === own })
  const apps = await Promise.all(addresses.map(start))
  const one = apps[0]!
  await emptyLedger(one)
  for (const app of apps) await app.startWorkers()
  const acme = await one.as('acme')
  const from = `d-${Math.random().toString(36).slice(2)}.dev`
  await addVerifiedDomain(one, acme, from)
  const send = (count: number) =>
    Promise.all(Array.from({ length: count }, (_, n) => sendEmail(acme, { from: `a@${from}`, to: `user${n}@box.dev` })))
  const clients = () => server.messages.map(({ connection }) => server.clients[connection - 1]).sort()
  return { apps, acme, dns, send, server, clients }
}

// Elsewhere than on Linux only 127.0.0.1 is an address of the machine.
test.runIf(process.platform === 'linux')(
  'mail for a source of another machine is left to the processes there',
  async () => {
    const { apps, send, server, clients } = await startMachines({
      pools: [{ name: 'p', sources: { three: 1 } }],
    })
    await meet(apps, sendsFromSources)
    await send(5)
    await server.received(5)

    expect(clients()).toEqual(Array(5).fill('127.0.0.3'))
  },
)

test.runIf(process.platform === 'linux')(
  'mail for a source of another machine whose warm-up has had its day waits for the next, with the reason',
  async () => {
    const [two, three] = LOOPBACK_SOURCES
    const { apps, acme, dns, send } = await startMachines({
      sources: [two, { ...three, warm_up: true }],
      pools: [{ name: 'p', sources: { three: 1 } }],
      warm_up_domains: false,
    })
    const [app] = apps
    dns.set('box.dev', { MX: [{ exchange: 'mx.google.com', preference: 10 }] })
    dns.set('mx.google.com', { A: ['127.0.0.1'] })
    await app!.db.query(sql`
      insert into warm_ups (kind, identity, provider, step, day, leased, taken, deferred, is_blocked, last_sent_on, is_finished)
      values ('source', 'three', 'gmail', 0, current_date, 50, 50, 0, false, current_date, false)`)
    await meet(apps, sendsFromSources)
    const ids = await send(3)
    const said = async () =>
      (await Promise.all(ids.map((id) => readEmail(acme, id)))).flatMap(({ deliveries }) => deliveries[0].replies)
    await app!.until(async () => (await said()).length === 3)

    for (const { reply } of await said())
      expect(reply).toMatch(/^451 4\.7\.1 Waiting until .*: gmail gets 50 messages a day from the source three/)
  },
)

test.runIf(process.platform === 'linux')('weights are kept over machines', async () => {
  const { apps, send, server, clients } = await startMachines({})
  await meet(apps, sendsFromSources)
  await send(20)
  await server.received(20)
  expect(new Set(clients())).toEqual(new Set(['127.0.0.2', '127.0.0.3']))
})

test.runIf(process.platform === 'linux')('a source that no process has is done without', async () => {
  const { send, server, clients } = await startMachines({ pools: [{ name: 'p', sources: { three: 1 } }] }, [
    '127.0.0.2',
  ])
  await send(3)
  await server.received(3)

  expect(clients()).toEqual(Array(3).fill('127.0.0.2'))
})

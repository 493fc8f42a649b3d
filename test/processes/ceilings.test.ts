import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { type DnsServer, startDnsServer } from '../harness/dns-server.ts'
import { type MailServer, startMailServer } from '../harness/mail-server.ts'
import { knowEachOther } from '../harness/neighbours.ts'
import { Service } from '../harness/service.ts'
import { LOOPBACK_SOURCES, sourcesSetting } from '../harness/sources.ts'
import { verifiedDomain } from '../harness/verified-domain.ts'

vi.setConfig({ testTimeout: 180_000 })

const SMTP_PORT = 25

const canListen = await new Promise<boolean>((resolve) => {
  const server = createServer()
  server.once('error', () => resolve(false))
  server.listen(SMTP_PORT, '127.77.255.1', () => server.close(() => resolve(true)))
})
if (!canListen)
  process.stdout.write('Ceilings are not counted at sites: port 25 of 127.77.255.1 cannot be listened on here.\n')

/** What a site bears at once after a quiet while. Twice the rate goes past it before 60 messages are over. */
const BURST = 20
const MESSAGES = 60

/** Counts the messages that come faster than a rate. */
function meter(perMinute: number) {
  let tokens = BURST
  let at = performance.now()
  let tooMany = 0
  return {
    count() {
      const now = performance.now()
      tokens = Math.min(BURST, tokens + ((now - at) / 60_000) * perMinute)
      at = now
      if (tokens-- < 1) tooMany++
    },
    get tooMany() {
      return tooMany
    },
  }
}

interface SiteOptions {
  readonly dns: DnsServer
  readonly address: string
  readonly host: string
  readonly domains: readonly string[]
  /** By the address that mail comes from, where the rate is one of each; `all` otherwise. */
  readonly rates: Readonly<Record<string, number>>
}

/** A mail server at an address of its own, where mail of these domains goes. */
async function startSite({ dns, address, host, domains, rates }: SiteOptions) {
  const meters = new Map(Object.entries(rates).map(([from, perMinute]) => [from, meter(perMinute)]))
  const server: MailServer = await startMailServer({
    at: { host: address, port: SMTP_PORT },
    react({ step, connection }) {
      if (step === 'MAIL') (meters.get(server.clients[connection - 1] ?? '') ?? meters.get('all'))?.count()
      return undefined
    },
  })
  for (const domain of domains) dns.set(domain, { MX: [{ exchange: host, preference: 10 }] })
  dns.set(host, { A: [address] })
  return {
    server,
    /** What it has counted of all clients, or of one. */
    counted(from?: string) {
      const ofClient = server.messages.filter(
        ({ connection }) => from === undefined || server.clients[connection - 1] === from,
      )
      const byConnection = new Map<number, number>()
      for (const { connection } of ofClient) byConnection.set(connection, (byConnection.get(connection) ?? 0) + 1)
      return {
        connections: from === undefined ? server.connections.peak : server.peaks.get(from),
        messagesPerConnection: Math.max(...byConnection.values()),
        tooMany: meters.get(from ?? 'all')!.tooMany,
      }
    },
  }
}

/** Two processes that deliver straight to the sites, and know of each other. */
async function startTwo(dns: DnsServer, ceilings: readonly object[], more: Record<string, string> = {}) {
  const path = join(mkdtempSync(join(tmpdir(), 'ceilings-')), 'ceilings.json')
  writeFileSync(path, JSON.stringify(ceilings))
  const settings = {
    ...{ POSTWREN_DELIVERY: 'direct', POSTWREN_DNS_SERVERS: dns.address, POSTWREN_PRIVATE_ADDRESSES: 'allow' },
    ...{ POSTWREN_HOSTNAME: 'mail.sender.dev', POSTWREN_CEILINGS: path, POSTWREN_RATE_LIMIT: '0' },
    ...more,
  }
  const first = await Service.start({ settings })
  const second = await Service.start({ dataDir: first.dataDir, settings })
  await verifiedDomain(first, dns, 'sender.dev')
  await knowEachOther(first, second)
  const services = [first, second] as const
  return {
    services,
    send: (count: number, ...domains: readonly string[]) =>
      Promise.all(
        Array.from({ length: count }, (_, n) =>
          services[n % 2]!.call('POST', '/emails', {
            from: 'a@sender.dev',
            to: `user${n}@${domains[n % domains.length]}`,
            subject: 'Hi',
            text: 'Hi',
          }),
        ),
      ),
  }
}

test.skipIf(!canListen)(
  'two processes keep the ceilings of a provider and of a domain, as the sites count them',
  async () => {
    const dns = await startDnsServer()
    const provider = await startSite({
      ...{ dns, address: '127.77.0.1', host: 'aspmx.l.google.com', rates: { all: 300 } },
      domains: ['one.dev', 'two.dev', 'three.dev'],
    })
    const domain = await startSite({
      ...{ dns, address: '127.77.0.2', host: 'mx.four.dev', rates: { all: 300 } },
      domains: ['four.dev'],
    })
    const { services, send } = await startTwo(dns, [
      { provider: 'gmail', connections: 3, messages_per_connection: 4, rate: '300/m' },
      { domain: 'four.dev', connections: 1, messages_per_connection: 2, rate: '300/m' },
    ])

    await Promise.all([send(MESSAGES, 'one.dev', 'two.dev', 'three.dev'), send(MESSAGES, 'four.dev')])
    await Promise.all([provider.server.received(MESSAGES), domain.server.received(MESSAGES)])

    const [atProvider, atDomain] = [provider.counted(), domain.counted()]
    expect(atProvider.connections).toBeLessThanOrEqual(3)
    expect(atProvider).toMatchObject({ messagesPerConnection: 4, tooMany: 0 })
    expect(atDomain).toEqual({ connections: 1, messagesPerConnection: 2, tooMany: 0 })
    await Promise.all(services.map((service) => service.stop()))
  },
)

test.skipIf(!canListen)('and those of each source', async () => {
  const dns = await startDnsServer()
  const site = await startSite({
    ...{ dns, address: '127.77.0.3', host: 'mx.five.dev', domains: ['five.dev'] },
    rates: { '127.0.0.2': 240, '127.0.0.3': 300 },
  })
  const [two, three] = LOOPBACK_SOURCES
  const { services, send } = await startTwo(
    dns,
    [
      { source: two.name, connections: 2, messages_per_connection: 3, rate: '240/m' },
      { source: three.name, connections: 1, messages_per_connection: 5, rate: '300/m' },
    ],
    sourcesSetting({ sources: LOOPBACK_SOURCES }),
  )

  await send(2 * MESSAGES, 'five.dev')
  await site.server.received(2 * MESSAGES)

  const [atTwo, atThree] = [site.counted(two.address), site.counted(three.address)]
  expect(atTwo.connections).toBeLessThanOrEqual(2)
  expect(atTwo).toMatchObject({ messagesPerConnection: 3, tooMany: 0 })
  expect(atThree).toEqual({ connections: 1, messagesPerConnection: 5, tooMany: 0 })
  await Promise.all(services.map((service) => service.stop()))
})

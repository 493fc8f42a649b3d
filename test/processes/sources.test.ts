import { createServer } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { expect, onTestFinished, test, vi } from 'vitest'
import { sql } from '../../src/kernel/db/sql.ts'
import { startDnsServer } from '../harness/dns-server.ts'
import { knowEachOther } from '../harness/neighbours.ts'
import { Service } from '../harness/service.ts'
import { databaseOf } from '../harness/service-database.ts'
import { LOOPBACK_SOURCES, sourcesSetting } from '../harness/sources.ts'
import { verifiedDomain } from '../harness/verified-domain.ts'

vi.setConfig({ testTimeout: 120_000 })

/** Where the provider of the test takes mail; direct delivery goes to port 25 alone. */
const PROVIDER = '127.77.0.1'

const canListen = await new Promise<boolean>((resolve) => {
  const server = createServer()
  server.once('error', () => resolve(false))
  server.listen(25, PROVIDER, () => server.close(() => resolve(true)))
})

/** Counts messages by the address that they come from, and the name that it calls itself by. */
async function startProvider() {
  const counts: Record<string, number> = {}
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, { remoteAddress, hostNameAppearsAs }, done) {
      stream.resume().on('end', () => {
        const key = `${remoteAddress} ${hostNameAppearsAs}`
        counts[key] = (counts[key] ?? 0) + 1
        done()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(25, PROVIDER, resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(resolve)))
  return counts
}

test.skipIf(!canListen)(
  'two processes share the allowance of each source that is warmed up, as the provider counts',
  async () => {
    const counts = await startProvider()
    const dns = await startDnsServer()
    dns.set('box.dev', { MX: [{ exchange: 'mx.google.com', preference: 10 }] })
    dns.set('mx.google.com', { A: [PROVIDER] })
    const settings = {
      POSTWREN_DELIVERY: 'direct',
      POSTWREN_DNS_SERVERS: dns.address,
      POSTWREN_PRIVATE_ADDRESSES: 'allow',
      POSTWREN_RATE_LIMIT: '0',
      ...sourcesSetting({ sources: LOOPBACK_SOURCES.map((source) => ({ ...source, warm_up: true })) }),
    }
    const first = await Service.start({ settings })
    const second = await Service.start({ dataDir: first.dataDir, settings })
    await verifiedDomain(first, dns, 'acme.dev')
    await knowEachOther(first, second)

    const email = { from: 'a@acme.dev', subject: 'Hi', text: 'Hi' }
    const send = (service: Service, from: number) =>
      Promise.all(
        Array.from({ length: 80 }, (_, n) =>
          service.call('POST', '/emails', { ...email, to: `user${from + n}@box.dev` }),
        ),
      )
    await Promise.all([send(first, 0), send(second, 1_000)])
    const db = await databaseOf(first)
    const undecided = () =>
      db.query(
        sql`select from deliveries where state = 'waiting' and coalesce(replies ->> 0, '') not like '%Waiting until%'`,
      )
    await first.stored(async () => (await undecided()).length === 0, 60_000)

    // What one of them had taken and not needed is lost to the mail that was put off meanwhile; never is there more.
    for (const name of ['127.0.0.2 two.test', '127.0.0.3 three.test']) {
      expect(counts[name]).toBeGreaterThanOrEqual(35)
      expect(counts[name]).toBeLessThanOrEqual(50)
    }
    const warmUps = await db.query<{ identity: string; leased: number }>(sql`select identity, leased from warm_ups`)
    for (const { leased } of warmUps) expect(leased).toBeLessThanOrEqual(50)
    await Promise.all([first, second].map((service) => service.stop()))
  },
)

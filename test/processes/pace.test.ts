import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { sql } from '../../src/kernel/db/sql.ts'
import { startDnsServer } from '../harness/dns-server.ts'
import { startMailServer } from '../harness/mail-server.ts'
import { knowEachOther } from '../harness/neighbours.ts'
import { relaying } from '../harness/relaying.ts'
import { Service } from '../harness/service.ts'
import { databaseOf } from '../harness/service-database.ts'
import { verifiedDomain } from '../harness/verified-domain.ts'

vi.setConfig({ testTimeout: 120_000 })

const BUSY = '421 4.7.0 Too much mail, slow down'

/** A site that takes so many messages a second, with a burst, and counts what is too much. */
function siteWith(perSecond: number, burst: number) {
  const counted = { tooMuch: 0 }
  let tokens = burst
  let at = performance.now()
  const react = ({ step }: { step: string }) => {
    if (step !== 'MAIL') return
    const now = performance.now()
    tokens = Math.min(burst, tokens + ((now - at) / 1_000) * perSecond)
    at = now
    if (tokens-- < 1) counted.tooMuch++
    return undefined
  }
  return { react, counted }
}

async function startTwo(ceilings: object) {
  const { react, counted } = siteWith(5, 20)
  const [dns, relay] = [await startDnsServer(), await startMailServer({ react })]
  const path = join(mkdtempSync(join(tmpdir(), 'ceilings-')), 'ceilings.json')
  writeFileSync(path, JSON.stringify([{ site: 'relay', ...ceilings }]))
  const settings = {
    ...relaying(relay, dns),
    POSTWREN_CEILINGS: path,
    POSTWREN_RETRY_SCHEDULE: '1s',
    POSTWREN_RATE_LIMIT: '0',
  }
  const first = await Service.start({ settings })
  const second = await Service.start({ dataDir: first.dataDir, settings })
  await verifiedDomain(first, dns, 'acme.dev')
  await knowEachOther(first, second)
  const send = (service: Service, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, n) =>
        service.call('POST', '/emails', { from: 'a@acme.dev', to: `user${n}@one.dev`, subject: 'Hi', text: 'Hi' }),
      ),
    )
  return { relay, counted, settings, services: [first, second] as const, send }
}

test('two processes share one ceiling, of connections and of the rate, as the site counts them', async () => {
  const { relay, counted, services, send } = await startTwo({ rate: '5/s', connections: 3 })
  // As many as one of them would send alone in half the time.
  await Promise.all(services.map((service) => send(service, 40)))
  await relay.until(() => relay.messages.length === 80)

  expect(relay.connections.peak).toBeLessThanOrEqual(3)
  expect(counted.tooMuch).toBe(0)
  await Promise.all(services.map((service) => service.stop()))
})

test('what one process was told by a site counts for the other, and after a restart', async () => {
  const { relay, settings, services, send } = await startTwo({ connections: 10 })
  const [first, second] = services
  relay.react(({ step }) => (step === 'MAIL' ? BUSY : undefined))
  await send(first, 1)
  const db = await databaseOf(first)
  const pacesIn = () => db.query<{ reply: string }>(sql`select reply from pace_controllers`)
  await expect.poll(pacesIn, { timeout: 20_000 }).toEqual([{ reply: BUSY }])
  relay.react(() => undefined)
  await first.stop()
  await send(second, 5)
  const third = await Service.start({ dataDir: second.dataDir, settings })
  await relay.until(() => relay.messages.length === 6)

  expect(await pacesIn()).toEqual([{ reply: BUSY }])
  await Promise.all([second, third].map((service) => service.stop()))
})

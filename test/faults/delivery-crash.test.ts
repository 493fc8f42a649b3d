import { expect, onTestFinished, test, vi } from 'vitest'
import { startDnsServer } from '../harness/dns-server.ts'
import { startMailServer } from '../harness/mail-server.ts'
import { seededRandom } from '../harness/random.ts'
import { relaying } from '../harness/relaying.ts'
import { startSending } from '../harness/sending.ts'
import { dataFolder, Service } from '../harness/service.ts'
import { verifiedDomain } from '../harness/verified-domain.ts'

vi.setConfig({ testTimeout: 150_000 })

test('kill -9 of api and of workers under load: every accepted email arrives, none twice beyond those in flight', async () => {
  const random = seededRandom()
  const dns = await startDnsServer()
  const relay = await startMailServer()
  const settings = {
    POSTWREN_RATE_LIMIT: '0',
    ...relaying(relay, dns),
    POSTWREN_API_KEY: 're_key_of_the_crash_test',
  }
  const dataDir = dataFolder({ isDurable: true })
  const start = (roles: string) => Service.start({ dataDir, settings: { ...settings, POSTWREN_ROLES: roles } })
  let api = await start('api,jobs')
  const workers = [await start('delivery'), await start('delivery')]
  await verifiedDomain(api, dns, 'acme.dev')
  const sending = startSending(() => api)
  onTestFinished(() => sending.stop())

  let inFlight = 0
  for (const victim of random.shuffle(['api', 'worker', 'worker', 'api', 'worker', 'worker'])) {
    await sending.accept(20 + random.below(40))
    if (victim === 'api') {
      await api.kill()
      api = await start('api,jobs')
    } else {
      const index = random.below(2)
      await workers[index]!.kill()
      // What the dead worker had handed over and not yet written down: one message on each of its connections at the most.
      inFlight += 10
      workers[index] = await start('delivery')
    }
  }
  await sending.stop()
  const arrivals = () => relay.messages.flatMap(({ to }) => to)
  // Some arrive whose acceptance nobody heard of, so the count says nothing.
  const missing = () => {
    const arrived = new Set(arrivals())
    return [...sending.accepted].filter((address) => !arrived.has(address))
  }
  await relay.until(() => missing().length === 0)

  expect(missing()).toEqual([])
  expect(sending.accepted.size).toBeGreaterThan(100)
  expect(arrivals().length - new Set(arrivals()).size).toBeLessThanOrEqual(inFlight)
})

test('kill -9 of processes that accept and deliver: what went straight through arrives all the same', async () => {
  const random = seededRandom()
  const dns = await startDnsServer()
  const relay = await startMailServer()
  const settings = { POSTWREN_RATE_LIMIT: '0', ...relaying(relay, dns), POSTWREN_API_KEY: 're_key_of_the_crash_test' }
  const dataDir = dataFolder({ isDurable: true })
  const start = () => Service.start({ dataDir, settings: { ...settings, POSTWREN_ROLES: 'api,delivery,jobs' } })
  const services = [await start(), await start()]
  await verifiedDomain(services[0]!, dns, 'acme.dev')
  let next = 0
  const sending = startSending(() => services[next++ % 2]!)
  onTestFinished(() => sending.stop())

  let inFlight = 0
  for (const victim of random.shuffle([0, 1, 0, 1])) {
    await sending.accept(20 + random.below(40))
    await services[victim]!.kill()
    inFlight += 10
    services[victim] = await start()
  }
  await sending.stop()
  const arrivals = () => relay.messages.flatMap(({ to }) => to)
  const missing = () => {
    const arrived = new Set(arrivals())
    return [...sending.accepted].filter((address) => !arrived.has(address))
  }
  await relay.until(() => missing().length === 0)

  expect(sending.accepted.size).toBeGreaterThan(80)
  expect(arrivals().length - new Set(arrivals()).size).toBeLessThanOrEqual(inFlight)
})

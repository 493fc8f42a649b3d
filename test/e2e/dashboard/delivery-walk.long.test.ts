import { createServer } from 'node:net'
import { expect, test, vi } from 'vitest'
import { openBrowser } from '../../harness/chromium.ts'
import { CHROMIUM } from '../../harness/chromium-path.ts'
import { startDnsServer } from '../../harness/dns-server.ts'
import { startMailServer } from '../../harness/mail-server.ts'
import { postwren } from '../../harness/program.ts'
import { relayRoute, routesFile } from '../../harness/routes.ts'
import { Service } from '../../harness/service.ts'
import { LOOPBACK_SOURCES, sourcesSetting } from '../../harness/sources.ts'
import { verifiedDomain } from '../../harness/verified-domain.ts'

// Rests double with each reply that asks for less: the longer the commands take in which the provider does so, the longer the way back.
vi.setConfig({ testTimeout: 600_000 })

/** Where the provider takes mail; direct delivery goes to port 25 alone. */
const PROVIDER = { host: '127.78.0.1', port: 25 }
const [TWO, THREE] = LOOPBACK_SOURCES.map(({ address }) => address) as [string, string]

const canListen = await new Promise<boolean>((resolve) => {
  const server = createServer()
  server.once('error', () => resolve(false))
  server.listen(PROVIDER, () => server.close(() => resolve(true)))
})

const tooMuchFrom = (address: string) =>
  `421 4.7.28 Our system has detected an unusual rate of unsolicited mail originating from your IP address [${address}]. gsmtp`

/** A provider that defers what comes from some addresses. */
async function startProvider() {
  const deferred = new Set<string>()
  const server = await startMailServer({
    at: PROVIDER,
    react: ({ step, connection }) => {
      const client = server?.clients[connection - 1] ?? ''
      return step === 'MAIL' && deferred.has(client) ? tooMuchFrom(client) : undefined
    },
  })
  const takenFrom = (client: string) =>
    server.messages.filter(({ connection }) => server.clients[connection - 1] === client).length
  return { ...server, deferred, takenFrom }
}

/** A service with two sources and three routes, what an operator looks at it with, and the provider of box.dev. */
async function start() {
  const [dns, provider] = [await startDnsServer(), await startProvider()]
  const [backup, last] = [await startMailServer(), await startMailServer()]
  dns.set('box.dev', { MX: [{ exchange: 'mx.google.com', preference: 10 }] })
  dns.set('mx.google.com', { A: [PROVIDER.host] })
  const settings = {
    POSTWREN_DELIVERY: 'direct',
    POSTWREN_DNS_SERVERS: dns.address,
    POSTWREN_PRIVATE_ADDRESSES: 'allow',
    POSTWREN_RATE_LIMIT: '0',
    POSTWREN_ROUTES: routesFile({
      routes: [{ name: 'direct', kind: 'direct' }, relayRoute('backup', backup), relayRoute('last', last)],
    }),
    ...sourcesSetting({ sources: LOOPBACK_SOURCES }),
  }
  const service = await Service.start({ settings })
  const { page } = await openBrowser()
  await page.goto(/^ {2}Dashboard +(\S+)$/m.exec(service.stdout)![1]!)
  await page.locator('main').waitFor()
  await verifiedDomain(service, dns, 'acme.dev')

  /** As in a terminal beside it. */
  const command = async (...words: string[]) => {
    const environment = { POSTWREN_DATA_DIR: service.dataDir, ...settings }
    const { code, stdout, complaints } = await postwren(words, { environment })
    expect([code, complaints]).toEqual([0, []])
    return stdout
  }
  let sent = 0
  const send = (count: number) =>
    Promise.all(
      Array.from({ length: count }, () =>
        service.call('POST', '/emails', { from: 'a@acme.dev', to: `u${sent++}@box.dev`, subject: 'Hi', text: 'Hi' }),
      ),
    )
  /** Resolves once all that was sent is somewhere. */
  const arrived = () =>
    Promise.race(
      [provider, backup].map(({ until }) => until(() => provider.messages.length + backup.messages.length >= sent)),
    )
  /** What the dashboard asks for, as it asks. */
  const read = (path: string) =>
    page.evaluate(
      `fetch('/operator/delivery${path}', { headers: { 'x-postwren-dashboard': '1' } }).then((reply) => reply.json())`,
    ) as Promise<{ data: { identity?: string; cause?: string }[]; paces: unknown[] }>
  const open = (path: string) => page.goto(`${service.url}/dashboard/delivery${path}`)
  const row = (name: RegExp) => page.getByRole('row', { name }).first().waitFor()
  return { provider, backup, last, command, send, count: () => sent, arrived, read, open, row }
}

test.runIf(CHROMIUM && canListen)(
  'an operator, two sources, three routes, and a provider that starts to defer',
  async () => {
    const { provider, backup, last, command, send, count, arrived, read, open, row } = await start()

    // All is well: mail leaves from both sources, straight to the provider.
    await send(20)
    await provider.received(20)
    expect(provider.takenFrom(TWO)).toBeGreaterThan(0)
    expect(provider.takenFrom(THREE)).toBeGreaterThan(0)
    expect(await command('queue')).toBe('Nothing waits.\n')

    // The provider defers one source. What hears that takes the next route, everything else leaves from the other source, and nothing waits.
    provider.deferred.add(TWO)
    const before = provider.takenFrom(TWO)
    await send(20)
    await arrived()
    expect(provider.takenFrom(TWO)).toBe(before)
    expect(provider.takenFrom(THREE)).toBeGreaterThan(0)
    expect(backup.messages.length).toBeGreaterThan(0)

    // Which source, and why, is said everywhere.
    const slowed = 'It has asked for less mail from our IP address 127.0.0.2.'
    await expect
      .poll(async () => (await read('')).data)
      .toMatchObject([{ name: 'gmail', state: 'slowed', reason: slowed, rate: null }])
    expect(await read('/destination?name=gmail')).toMatchObject({
      paces: [{ about: 'our IP address 127.0.0.2', reply: tooMuchFrom(TWO) }],
    })
    await open('')
    await row(/gmail slowed It has asked for less mail from our IP address 127\.0\.0\.2\./)
    const partly = await command('queue', 'explain', 'box.dev')
    expect(partly).toMatch(/^Route +direct .*\n +then backup .*\n +then last /m)
    expect(partly).toMatch(/^Source +(two|three) .*\n +or (two|three) /m)
    expect(partly).toMatch(/^Pace .* for our IP address 127\.0\.0\.2 \(some of this mail\), since \S+: 421 4\.7\.28 /m)
    expect(partly).toMatch(/^Expected +as fast as the connections allow$/m)

    // Then it defers the other one, too: now mail waits for its turn, at the rate of both together.
    provider.deferred.add(THREE)
    await send(40)
    await expect.poll(async () => (await read('/destination?name=gmail')).paces).toHaveLength(2)
    expect((await read('')).data).toMatchObject([
      { name: 'gmail', state: 'slowed', reason: 'It has asked for less mail.', rate: expect.any(Number) },
    ])
    const [queue, fully] = await Promise.all([command('queue'), command('queue', 'explain', 'box.dev')])
    expect(queue).toMatch(/^DESTINATION .* RATE\ngmail .* [\d.]+\/(s|min)$/m)
    expect(fully).toMatch(/^Pace .* our IP address 127\.0\.0\.\d .*\n .* our IP address 127\.0\.0\.\d /m)
    expect(fully).toMatch(/^Expected +[\d.]+\/(s|min), by the controllers of all sources$/m)
    await open('/gmail')
    await row(/Rate reduced \(Throttled\): 421 4\.7\.28 .*127\.0\.0\.3/)

    // The operator does not want to wait.
    await command('queue', 'move', '--domain', 'box.dev', '--route', 'backup', '--reason', 'They are busy.')
    await arrived()

    // The provider stops deferring. The pace recovers by itself: straight to the provider again, from both sources.
    provider.deferred.clear()
    const [twoBefore, threeBefore] = [provider.takenFrom(TWO), provider.takenFrom(THREE)]
    const hasGrown = async (source: string) =>
      (await read('/pace?destination=gmail')).data.some(
        ({ identity, cause }) => identity === source && cause === 'grown',
      )
    while (!((await hasGrown(TWO)) && (await hasGrown(THREE)))) {
      await send(10)
      await arrived()
    }
    expect(provider.takenFrom(TWO)).toBeGreaterThan(twoBefore)
    expect(provider.takenFrom(THREE)).toBeGreaterThan(threeBefore)
    await row(/Rate raised/)
    expect(await command('queue')).toBe('Nothing waits.\n')

    // Nothing was lost, nothing came twice, and nobody needed the last route.
    const recipients = [...provider.seen, ...backup.seen].map(({ to }) => to[0])
    expect(recipients).toHaveLength(count())
    expect(new Set(recipients).size).toBe(count())
    expect(last.seen).toEqual([])
  },
)

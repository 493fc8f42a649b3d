import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { cleanUp } from '../../bench/cleanup.ts'
import type { ReplyStyle, SiteDefinition, SitePolicy } from '../sites/site-policy.ts'
import { runLoopback } from './run.ts'

const siteOf = (
  name: string,
  temper: SitePolicy,
  { voice = 'postfix' as ReplyStyle, hosts = [`mx.${name}.internal`] } = {},
) => ({ name, voice, domains: [`${name}.internal`], hosts, daily_offer: 10, temper }) satisfies SiteDefinition

const canListen = await new Promise<boolean>((resolve) => {
  const server = createServer()
  server.once('error', () => resolve(false))
  server.listen(25, '127.66.255.1', () => server.close(() => resolve(true)))
})
if (!canListen)
  process.stdout.write('simulate: port 25 of 127.66.255.1 cannot be listened on; loopback is not tested\n')

test.skipIf(!canListen)(
  'the real program delivers to every kind of site, and each message once',
  async () => {
    onTestFinished(cleanUp)
    const sites = [
      siteOf('plain', {}),
      siteOf('gray', { greylist_seconds: 2 }),
      siteOf('broken', { tls: 'broken' }),
      siteOf('brief', { tls: 'good', max_messages_per_connection: 2, closes_silently: true }),
      siteOf('nobody', { refuses_all: true }),
      siteOf(
        'gmail',
        { limits: [{ by: 'dkim_domain', per_minute: 60, burst: 2 }] },
        { voice: 'gmail', hosts: ['gmail-smtp-in.l.google.com', 'alt1.gmail-smtp-in.l.google.com'] },
      ),
    ]
    const world = { window_hours: 1, sources: ['127.0.0.1'], tenants: 2, sites }

    const result = await runLoopback({ world, seed: 1, emails: 60, minutes: 3, retrySchedule: '3s,5s,10s' })

    const of = (name: string) => result.sites.find(({ site }) => site === name)!
    const taken = result.sites.reduce((sum, site) => sum + site.taken, 0)
    expect(taken + of('nobody').refused).toBe(60)
    expect(result.sites.map(({ blocks }) => blocks)).toEqual([0, 0, 0, 0, 0, 0])
    expect(of('gray').greylisted).toBeGreaterThan(0)
    expect(of('broken').brokenHandshakes).toBeGreaterThan(0)
    expect(of('brief').connections).toBeGreaterThanOrEqual(of('brief').taken / 2)
    expect(of('nobody').taken).toBe(0)
    expect(of('gmail').throttled).toBeGreaterThan(0)
  },
  240_000,
)

test.skipIf(!canListen)(
  'policies of MTA-STS are followed: a site that insists on TLS gets mail by TLS or none',
  async () => {
    onTestFinished(cleanUp)
    const sites = [
      siteOf('strict', { tls: 'good', mta_sts: 'enforce' }),
      siteOf('insisting', { tls: 'broken', mta_sts: 'enforce' }),
      siteOf('trying', { tls: 'broken', mta_sts: 'testing' }),
      siteOf('careless', { tls: 'broken' }),
    ]
    const world = { window_hours: 1, sources: ['127.0.0.1'], tenants: 1, sites }

    const result = await runLoopback({ world, seed: 1, emails: 20, minutes: 0.5, retrySchedule: '3s,5s,10s' })

    const [strict, insisting, trying, careless] = result.sites
    expect(insisting).toMatchObject({ taken: 0, brokenHandshakes: expect.any(Number) })
    expect(insisting!.brokenHandshakes).toBeGreaterThan(0)
    for (const site of [strict, trying, careless]) expect(site!.taken).toBeGreaterThan(0)
    expect(strict!.brokenHandshakes).toBe(0)
  },
  240_000,
)

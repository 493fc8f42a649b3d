import { join } from 'node:path'
import pg from 'pg'
import { startDnsServer } from '../dns-server.ts'
import { byteByByte } from '../mail-conversation.ts'
import { startMailServer } from '../mail-server.ts'
import { startReceiver } from '../receiver.ts'
import { relaying } from '../relaying.ts'
import { eventually, Service, temporaryFolder } from '../service.ts'
import { verifiedDomain } from '../verified-domain.ts'
import type { Cluster } from './cluster.ts'

const ROLES = ['api', 'delivery', 'jobs', 'smtp'] as const
type Role = (typeof ROLES)[number]

/** How a process reaches the database. */
export const WAYS = ['url', 'proxy'] as const
export type Way = (typeof WAYS)[number]

export const READERS = 150

export type Installation = Awaited<ReturnType<typeof startInstallation>>

/** Two processes of each role, one for each way to the database, and the outside world: a relay, name servers, a receiver of webhooks. */
export async function startInstallation(cluster: Cluster, ways: readonly Way[] = WAYS) {
  const dns = await startDnsServer()
  // Each message takes its time, so that there is always something on the wire.
  const relay = await startMailServer({
    react: ({ step }) => (step === 'MESSAGE' ? byteByByte('250 2.0.0 Ok', 2) : undefined),
  })
  const receiver = await startReceiver()
  const settings = {
    POSTWREN_RATE_LIMIT: '0',
    ...relaying(relay, dns),
    POSTWREN_PRIVATE_ADDRESSES: 'allow',
    POSTWREN_API_KEY: 're_a_key_for_the_failover_test',
    POSTWREN_SECRET_KEY: '5'.repeat(64),
  }
  const databases = { url: cluster.url, proxy: cluster.proxyUrl }
  const launch = (role: Role, way: Way) =>
    Service.launch({
      dataDir: join(temporaryFolder(), 'data'),
      settings: { ...settings, POSTWREN_ROLES: role, POSTWREN_DATABASE_URL: databases[way] },
    })
  const services = new Map<`${Role} ${Way}` | string, Service>()
  const [firstWay] = ways
  const both = ways.length > 1 ? ways : [firstWay!, firstWay!]
  for (const role of ROLES) {
    const launched = await Promise.all(both.map((way) => launch(role, way)))
    for (const [number, service] of launched.entries()) {
      services.set(`${role} ${number}`, service)
      await service.running()
    }
  }
  const two = (role: Role) => [services.get(`${role} 0`)!, services.get(`${role} 1`)!] as const
  const [api] = two('api')

  await verifiedDomain(api, dns, 'acme.dev')
  const make = async (path: string, body: object) => {
    const reply = await api.call('POST', path, body)
    if (reply.status >= 300) throw new Error(`${path}: ${JSON.stringify(reply.body)}`)
    return reply.body.id as string
  }
  await make('/webhooks', { endpoint: receiver.url, events: ['email.delivered'] })
  const segment = await make('/segments', { name: 'Readers' })
  const readers = Array.from({ length: READERS }, (_, n) => `reader${n}@sink.dev`)
  for (const email of readers) await make('/contacts', { email, segments: [{ id: segment }] })

  /** At the primary of the moment. */
  const ask = async <Row>(text: string): Promise<Row[]> => {
    const client = new pg.Client(cluster.urlOf(await cluster.primary()))
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      client.end().catch(() => {})
    }
  }
  await eventually(async () => (await ask('select from nodes')).length === services.size)
  // To each other they seem to run on machines of their own, where nobody can see whether a process lives.
  await ask(`update nodes set machine = 'machine ' || pid`)

  const ready = async (service: Service) => (await fetch(`${service.url}/readyz`)).status === 200
  return {
    relay,
    receiver,
    apis: two('api'),
    submissions: two('smtp'),
    readers,
    ask,
    /** Returns once the broadcast is acknowledged. */
    broadcast: (subject: string) =>
      make('/broadcasts', { from: 'news@acme.dev', subject, text: 'Hello', send: true, segment_id: segment }),
    async allReady() {
      for (const service of services.values()) await eventually(() => ready(service))
    },
    /** What they have logged that is worse than information. */
    warnings: () =>
      [...services].flatMap(([name, { stderr }]) =>
        stderr
          .split('\n')
          .filter((line) => /"level":[456]0/.test(line))
          .map((line) => `${name}: ${line}`),
      ),
  }
}

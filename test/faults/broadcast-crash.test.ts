import { expect, test, vi } from 'vitest'
import { startDnsServer } from '../harness/dns-server.ts'
import { startMailServer } from '../harness/mail-server.ts'
import { seededRandom } from '../harness/random.ts'
import { relaying } from '../harness/relaying.ts'
import { call, dataFolder, eventually, Service } from '../harness/service.ts'
import { verifiedDomain } from '../harness/verified-domain.ts'

vi.setConfig({ testTimeout: 150_000 })

const CONTACTS = 3_000
/** Every fiftieth has unsubscribed. */
const ELIGIBLE = CONTACTS - CONTACTS / 50
/** One message on each connection to the relay. */
const IN_FLIGHT = 10

async function importContacts(api: Service): Promise<string> {
  const { body: segment } = await api.call('POST', '/segments', { name: 'Readers' })
  const form = new FormData()
  const rows = Array.from({ length: CONTACTS }, (_, n) => `user${n}@sink.dev,N${n},${n % 50 === 49}\n`)
  form.set('file', new Blob(['email,first_name,unsubscribed\n', ...rows]))
  form.set('segments', JSON.stringify([{ id: segment.id }]))
  const headers = { authorization: `Bearer ${api.token}` }
  const reply = await fetch(`${api.url}/contacts/imports`, { method: 'POST', headers, body: form })
  const { id } = (await reply.json()) as { id: string }
  await eventually(async () => (await api.call('GET', `/contacts/imports/${id}`)).body.status === 'completed')
  return segment.id
}

/** Two share what is in the ledger; what one makes alone goes straight through. */
test.each([2, 1])(
  'kill -9 of %i workers in the middle of a broadcast: everybody gets it, once beyond what was in flight',
  async (count) => {
    const random = seededRandom()
    const dns = await startDnsServer()
    const relay = await startMailServer()
    const settings = {
      POSTWREN_RATE_LIMIT: '0',
      ...relaying(relay, dns),
      POSTWREN_API_KEY: 're_key_of_the_crash_test',
    }
    const dataDir = dataFolder()
    const start = (roles: string) => Service.start({ dataDir, settings: { ...settings, POSTWREN_ROLES: roles } })
    const api = await start('api,jobs')
    await verifiedDomain(api, dns, 'acme.dev')
    const segment = await importContacts(api)
    await api.stop()
    const front = await start('api')
    const workers: Service[] = []
    const startAll = async () => {
      for (let index = 0; index < count; index++) workers[index] = await start('delivery,jobs')
    }
    await startAll()
    const read = async (id: string) => (await call(front, 'GET', `/broadcasts/${id}`)).body
    const arrivals = () => relay.messages.map(({ to }) => to[0]!)
    /** What has arrived, and is not written down: on the wire, or answered a moment ago. On a busy machine that moment is longer. */
    const unsettled = async (id: string) => {
      const { sent } = (await read(id)).counts
      return Math.max(IN_FLIGHT, new Set(arrivals()).size - sent)
    }

    const mailing = {
      from: 'news@acme.dev',
      subject: 'Hi {{{FIRST_NAME}}}',
      text: 'Hello {{{FIRST_NAME|you}}}',
      send: true,
    }
    const { body } = await front.call('POST', '/broadcasts', { ...mailing, segment_id: segment })
    // Both while copies are made, one of them again and again while they leave.
    await eventually(async () => (await read(body.id)).counts.emails > 0)
    await Promise.all(workers.map((worker) => worker.kill()))
    let inFlight = await unsettled(body.id)
    await startAll()
    for (const milestone of [200, 900, 1_700]) {
      const goal = milestone + random.below(400)
      await relay.received(goal)
      const index = random.below(count)
      await workers[index]!.kill()
      inFlight += await unsettled(body.id)
      workers[index] = await start('delivery,jobs')
    }
    await eventually(async () => (await read(body.id)).status === 'sent', 60_000)

    const once = new Set(arrivals())
    expect(once.size).toBe(ELIGIBLE)
    expect(arrivals().length - once.size).toBeLessThanOrEqual(inFlight)
    expect(relay.messages.every(({ to, bytes }) => bytes.includes(`Hello N${/\d+/.exec(to[0]!)}\r\n`))).toBe(true)
    expect((await read(body.id)).counts).toEqual({
      audience: CONTACTS,
      emails: ELIGIBLE,
      unsubscribed: CONTACTS - ELIGIBLE,
      not_subscribed: 0,
      suppressed: 0,
      sent: ELIGIBLE,
      canceled: 0,
    })
  },
)

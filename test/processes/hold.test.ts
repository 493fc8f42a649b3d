import { expect, test } from 'vitest'
import { sql } from '../../src/kernel/db/sql.ts'
import { startDnsServer } from '../harness/dns-server.ts'
import { startMailServer } from '../harness/mail-server.ts'
import { POSTWREN, postwren } from '../harness/program.ts'
import { startReceiver } from '../harness/receiver.ts'
import { relaying } from '../harness/relaying.ts'
import { dataFolder, eventually, Service } from '../harness/service.ts'
import { databaseOf } from '../harness/service-database.ts'
import { verifiedDomain } from '../harness/verified-domain.ts'

const HELD = /^ {2}Mail {7}on hold: accepted, but no mail and no webhooks are sent/m

async function startWorld() {
  const [dns, relay, receiver] = [await startDnsServer(), await startMailServer(), await startReceiver()]
  const dataDir = dataFolder()
  const settings = {
    ...relaying(relay, dns),
    POSTWREN_HOSTNAME: 'mx.postwren.test',
    POSTWREN_PRIVATE_ADDRESSES: 'allow',
  }
  const start = (more: Record<string, string> = {}, words: string[] = []) =>
    Service.start({ dataDir, settings: { ...settings, ...more }, command: [...POSTWREN, 'serve', ...words] })
  return { dns, relay, receiver, dataDir, start }
}

test('while everything is held mail and events are accepted, and leave after a start without it', async () => {
  const { dns, relay, receiver, start } = await startWorld()
  const held = await start({ POSTWREN_HOLD: 'on' })
  await verifiedDomain(held, dns, 'acme.dev')
  await held.call('POST', '/webhooks', { endpoint: receiver.url, events: ['email.sent'] })
  const email = { from: 'a@acme.dev', to: 'ada@sink.dev', subject: 'Held', text: 'x' }
  const { body } = await held.call('POST', '/emails', email)
  const segment = (await held.call('POST', '/segments', { name: 'Readers' })).body.id
  await held.call('POST', '/contacts', { email: 'bob@sink.dev', segments: [segment] })
  const broadcast = {
    name: 'News',
    from: 'a@acme.dev',
    subject: 'News',
    html: '<p>x</p>',
    segment_id: segment,
    send: true,
  }
  expect((await held.call('POST', '/broadcasts', broadcast)).status).toBe(201)
  const health = await held.call('GET', '/health')
  // Whatever would have left has had more than a look of every worker, which look once a second.
  const db = await databaseOf(held)
  await eventually(
    async () => (await db.query(sql`select from outbox where created_at < now() - interval '3 seconds'`)).length > 0,
  )

  expect(held.stdout).toMatch(HELD)
  expect(health.body).toEqual({ status: 'ok', hold: 'on' })
  expect((await held.call('GET', `/emails/${body.id}`)).body).toMatchObject({
    last_event: 'sent',
    deliveries: [{ state: 'waiting', attempts: 0 }],
  })
  expect([relay.connections.total, receiver.received.length]).toEqual([0, 0])
  expect(await held.stop()).toBe(0)

  const service = await start()
  await relay.received(2)
  await receiver.reached(2)

  expect(service.stdout).not.toMatch(HELD)
  expect(relay.messages.map(({ to }) => to[0]).sort()).toEqual(['ada@sink.dev', 'bob@sink.dev'])
})

test('after a restore an operator cancels what has left since the dump, and the rest leaves', async () => {
  const { dns, relay, dataDir, start } = await startWorld()
  const held = await start({}, ['--hold'])
  const environment = { POSTWREN_DATA_DIR: dataDir }
  await verifiedDomain(held, dns, 'acme.dev')
  const send = async (subject: string, fields: object = {}): Promise<string> =>
    (await held.call('POST', '/emails', { from: 'a@acme.dev', to: 'ada@sink.dev', subject, text: 'x', ...fields })).body
      .id
  const old = await send('Left already', { to: ['ada@sink.dev', 'bob@sink.dev'] })
  const inHand = await send('In hand at the dump')
  const fresh = await send('New')
  const db = await databaseOf(held)
  await db.query(
    sql`update deliveries set due_at = '2026-01-01T10:00:00Z' where email_id = any (${[old, inHand]}::uuid[])`,
  )
  await db.query(sql`update deliveries set holder = -1 where email_id = ${inHand}`)

  const words = ['--due-before', '2026-01-01T12:00:00Z']
  const listed = await postwren(['queue', 'list', ...words], { environment })
  const canceled = await postwren(['queue', 'cancel', ...words], { environment })
  const again = await postwren(['queue', 'list', ...words], { environment })

  expect(listed.stdout).toMatch(/^due +default +2 +1 +2026-01-01T10:00:00Z +2026-01-01T10:00:00Z$/m)
  expect(listed.stdout).toMatch(/^active +default +1 +1 /m)
  expect(listed.stdout).toMatch(
    new RegExp(`^due +2026-01-01T10:00:00Z +0 +default +${old}  bob@sink.dev +Left already`, 'm'),
  )
  expect(canceled.stdout).toBe('Canceled mail to 3 recipients, due before 2026-01-01T12:00:00Z.\n')
  expect(again.stdout).toBe('Nothing waits.\n')
  const { body: audit } = await held.call('GET', '/audit-events?action=queue.cancel')
  expect(audit.data).toMatchObject([{ actor: { name: 'postwren command' }, details: { recipients: 3 } }])
  for (const id of [old, inHand])
    expect((await held.call('GET', `/emails/${id}`)).body).toMatchObject({
      last_event: 'canceled',
      deliveries: [
        { state: 'canceled', replies: [{ reply: expect.stringContaining('Canceled by the operator') }] },
        ...(id === old ? [{}] : []),
      ],
    })
  expect(await held.stop()).toBe(0)

  const service = await start()
  await relay.received(1)
  await service.stored(async () => (await service.call('GET', `/emails/${fresh}`)).body.last_event === 'delivered')

  expect(relay.messages.map(({ bytes }) => /^Subject: (.*)\r$/m.exec(bytes.toString())![1])).toEqual(['New'])
})

import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { DatabaseProxy } from '../harness/database-proxy.ts'
import { type PostgresServer, startPostgresServer } from '../harness/postgres-server.ts'
import { linesOf, postwren } from '../harness/program.ts'
import { eventually, Service, temporaryFolder } from '../harness/service.ts'
import { TestClient } from '../harness/smtp-client.ts'

/** A service whose way to its database is in the hands of the test. */
async function startBehindProxy() {
  const server = await startPostgresServer()
  const proxy = await DatabaseProxy.start(server.url)
  const service = await startOn(proxy.url)
  return { server, proxy, service }
}

const startOn = (url: string) =>
  Service.start({ dataDir: join(temporaryFolder(), 'data'), settings: { POSTWREN_DATABASE_URL: url } })

const email = (subject: string) => ({
  from: 'Ada <ada@example.com>',
  to: ['bob@example.com'],
  subject,
  text: 'Hello',
})

/** Both at night; they differ in what the database has heard. */
const KINDS = process.env.POSTWREN_TEST_NIGHT ? (['freeze', 'mute'] as const) : (['mute'] as const)

const answer = async (service: Service, path: string) => {
  const reply = await fetch(`${service.url}${path}`)
  return { status: reply.status, body: (await reply.json()) as { status: string; checks: Record<string, string> } }
}

const isReady = (service: Service) => async () => (await answer(service, '/readyz')).status === 200

const isDelivered = async (service: Service, id: string) =>
  (await service.call('GET', `/emails/${id}`)).body.last_event === 'delivered'

/** On a busy machine it says before the test begins that it waits for the database. */
const logged = (service: Service) => linesOf(service.stderr).filter((line) => !line.includes('database: waiting for'))

const aboutDatabase = (service: Service) =>
  logged(service).filter((line) => /database/.test(line) && !/PostgreSQL \d+ /.test(line))

test.each(KINDS)('a database that is silent (%s) hangs nobody, and all flows when it is back', async (fault) => {
  const { proxy, service } = await startBehindProxy()
  const before = await service.call('POST', '/emails', email('before'))
  await eventually(() => isDelivered(service, before.body.id))

  proxy[fault]()
  // A statement that was answered half a second ago still speaks for the database.
  await eventually(async () => {
    const { status, body } = await answer(service, '/health')
    expect([status, body]).toEqual(status === 200 ? [200, { status: 'ok' }] : [503, { status: 'unavailable' }])
    return status === 503
  })
  expect(await answer(service, '/livez')).toEqual({ status: 200, body: { status: 'ok' } })
  expect(await answer(service, '/readyz')).toMatchObject({
    status: 503,
    body: { status: 'unavailable', checks: { database: 'away', service: 'ok', clock: 'ok', blobs: 'ok' } },
  })
  const replies = await Promise.all([
    service.call('POST', '/emails', email('meanwhile')),
    service.call('GET', '/emails'),
    service.call('GET', '/emails?limit=1'),
    service.call('POST', '/contacts', { email: `${randomUUID()}@example.com` }),
  ])
  expect(replies.map(({ status, body }) => [status, body.name])).toEqual(
    replies.map(() => [503, 'service_unavailable']),
  )
  proxy.thaw()

  await eventually(isReady(service))
  const after = await service.call('POST', '/emails', email('after'))
  await eventually(() => isDelivered(service, after.body.id))
  expect(aboutDatabase(service)).toEqual([
    expect.stringMatching(/unavailable/),
    expect.stringMatching(/available again/),
  ])
  expect(await service.stop()).toBe(0)
})

test('connections that a firewall has forgotten are replaced', async () => {
  const { proxy, service } = await startBehindProxy()

  proxy.drop({ tellClient: false })

  let sent = await service.call('POST', '/emails', email('after'))
  while (sent.status === 503) sent = await service.call('POST', '/emails', email('after'))
  await eventually(() => isDelivered(service, sent.body.id))
  await eventually(isReady(service))
  expect(await service.stop()).toBe(0)
})

test('an outage is two lines in the log, however many notice it', async () => {
  const { proxy, service } = await startBehindProxy()

  proxy.refuse()
  proxy.drop({ tellClient: true })
  await eventually(async () => (await answer(service, '/readyz')).body.checks.database === 'away')
  for (let round = 0; round < 20; round++) expect((await service.call('GET', '/contacts')).status).toBe(503)
  const client = await TestClient.ready(service.smtpPort)
  for (let round = 0; round < 20; round++) expect(await client.ask('MAIL FROM:<a@example.com>')).toMatch(/^451 /)
  await proxy.admit()
  await eventually(isReady(service))

  expect(aboutDatabase(service)).toEqual([
    expect.stringMatching(/unavailable/),
    expect.stringMatching(/available again/),
  ])
  expect(logged(service).filter((line) => /"level":[45]0/.test(line))).toHaveLength(1)
})

test.each(KINDS)('SIGTERM while the database is silent (%s) ends by itself', async (fault) => {
  const { proxy, service } = await startBehindProxy()
  await service.call('POST', '/emails', email('before'))

  proxy[fault]()
  const request = service.call('POST', '/emails', email('meanwhile')).catch(() => null)

  expect(await service.stop()).toBe(0)
  await request
})

test('an answer that was in flight when the stop began says that it is the last', async () => {
  const { proxy, service } = await startBehindProxy()
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  let received = ''
  socket.setEncoding('utf8').on('data', (text) => {
    received += text
  })

  proxy.freeze()
  socket.write(`GET /contacts HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${service.token}\r\n\r\n`)
  await eventually(() => proxy.connections.length > 0 && socket.bytesWritten > 0)
  await fetch(`${service.url}/livez`)
  service.signal('SIGTERM')
  await service.logs('"service: stopping"')
  proxy.thaw()

  await eventually(() => received.includes('\r\n\r\n'))
  expect(received).toMatch(/^HTTP\/1\.1 \d+ /)
  expect(received.toLowerCase()).toContain('\r\nconnection: close\r\n')
  expect(await service.ended()).toBe(0)
})

test('of several hosts the one that can be written to is used, also when that changes', async () => {
  const [first, second] = await Promise.all([startPostgresServer(), startPostgresServer()])
  await postwren(['migrate'], { environment: { POSTWREN_DATABASE_URL: first.url } })
  await setReadOnly(first, true)

  const service = await startOn(first.url.replace('/mail', `,${new URL(second.url).host}/mail`))
  const created = await service.call('POST', '/contacts', { email: 'ada@example.com' })
  expect(created.status).toBe(201)
  expect((await query(second, 'select email from contacts')).rows).toEqual([{ email: 'ada@example.com' }])

  await setReadOnly(first, false)
  await setReadOnly(second, true)
  // Nobody has an account at the first: that is how one sees that it is asked.
  await eventually(async () => {
    const { status, body } = await service.call('POST', '/contacts', { email: 'bob@example.com' })
    return status === 403 && body.name === 'invalid_api_key'
  })
  expect(await service.stop()).toBe(0)
})

/** For sessions that there are, and those to come. */
async function setReadOnly(server: PostgresServer, isReadOnly: boolean) {
  await query(server, `alter system set default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`)
  await query(server, 'select pg_reload_conf()')
}

async function query(server: PostgresServer, text: string, database = 'mail') {
  const client = new pg.Client(server.url.replace(/mail$/, database))
  await client.connect()
  try {
    return await client.query(text)
  } finally {
    await client.end()
  }
}

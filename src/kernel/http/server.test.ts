import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { type App, type Client, type Reply, startApp } from '../../../test/harness/app.ts'
import { SIMPLE } from '../../../test/harness/emails.ts'
import { eventually } from '../../../test/harness/service.ts'

describe('the name by which a server is asked for', () => {
  const statusOf = async (settings: Record<string, string>, host: string) => {
    const app = await startApp(settings)
    return (await app.send({ url: '/emails', headers: { host } })).status
  }

  test('must be one of a laptop’s own, where other pages could bring their names', async () => {
    const app = await startApp()
    const acme = await app.as('acme')
    const ask = (host: string) => acme.get('/emails', { host })

    for (const host of [
      'localhost',
      'LocalHost:4025',
      'api.localhost:1',
      '127.0.0.1:4025',
      '[::1]:4025',
      'host.docker.internal',
    ])
      expect([host, (await ask(host)).status]).toEqual([host, 200])
    for (const host of ['evil.example', 'localhost.evil.example:4025', '127.0.0.1.evil.example', '192.168.0.5'])
      expect([host, (await ask(host)).status]).toEqual([host, 403])
    expect((await ask('evil.example:4025')).body).toEqual({
      statusCode: 403,
      message: '`evil.example` is not a name of this server. Set POSTWREN_PUBLIC_URL to its address.',
      name: 'validation_error',
    })
  })

  test('is anybody’s behind a public address, and for other machines', async () => {
    expect(await statusOf({ POSTWREN_PUBLIC_URL: 'https://mail.acme.dev' }, 'links.globex.dev')).toBe(401)
    expect(await statusOf({ POSTWREN_HOST: '0.0.0.0' }, 'links.globex.dev')).toBe(401)
  })
})

describe('where a request says that it came from', () => {
  const recordedAddress = async (settings: Record<string, string>, remoteAddress: string, forwarded: string) => {
    const app = await startApp(settings)
    const acme = await app.as('acme')
    const headers = { authorization: `Bearer ${acme.token}`, 'x-forwarded-for': forwarded }
    await app.send({ method: 'POST', url: '/topics', payload: { name: 'News' }, headers, remoteAddress })
    return (await acme.get('/audit-events?action=topics.create')).body.data[0].ip_address
  }

  test('is believed of a proxy on this machine, and of nobody else', async () => {
    expect(await recordedAddress({}, '127.0.0.1', '203.0.113.9')).toBe('203.0.113.9')
    expect(await recordedAddress({}, '127.0.0.1', '198.51.100.1, 203.0.113.9')).toBe('203.0.113.9')
    expect(await recordedAddress({}, '10.0.0.5', '203.0.113.9')).toBe('10.0.0.5')
    expect(await recordedAddress({}, '198.51.100.1', '203.0.113.9')).toBe('198.51.100.1')
  })

  test('is believed of the proxies that the settings name', async () => {
    const settings = { POSTWREN_TRUSTED_PROXIES: '10.0.0.0/24, 2001:db8::7' }

    expect(await recordedAddress(settings, '10.0.0.5', '203.0.113.9')).toBe('203.0.113.9')
    expect(await recordedAddress(settings, '2001:db8::7', '203.0.113.9, 10.0.0.9')).toBe('203.0.113.9')
    expect(await recordedAddress(settings, '10.0.1.5', '203.0.113.9')).toBe('10.0.1.5')
    expect(await recordedAddress(settings, '127.0.0.1', '203.0.113.9')).toBe('127.0.0.1')
    expect(await recordedAddress({ POSTWREN_TRUSTED_PROXIES: 'none' }, '127.0.0.1', '203.0.113.9')).toBe('127.0.0.1')
  })
})

test.each([
  ['/emails', 'application/json', '{"from":'],
  ['/oauth/token', 'application/x-www-form-urlencoded', 'grant_type='],
  ['/oauth/register', 'application/json', '{"redirect_uris":'],
])('a client that goes away in the middle is no error in the log (%s)', async (path, type, body) => {
  const app = await startApp()
  const { token } = await app.as('acme')
  const errors: unknown[] = []
  app.services.log.error = (...facts: unknown[]) => void errors.push(facts)
  const { server } = app.server
  await app.server.listen({ host: '127.0.0.1', port: 0 })
  const asked = once(server, 'request')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(client, 'connect')

  const head = `host: localhost\r\nauthorization: Bearer ${token}\r\ncontent-type: ${type}\r\ncontent-length: 500`
  client.write(`POST ${path} HTTP/1.1\r\n${head}\r\n\r\n${body}`)
  const [request, response] = (await asked) as [IncomingMessage, ServerResponse]
  const isOver = Promise.all([request, response].map((one) => new Promise((resolve) => one.on('close', resolve))))
  await eventually(() => request.listenerCount('data') > 0)
  client.resetAndDestroy()
  await isOver

  expect(request.complete).toBe(false)
  expect(errors).toEqual([])
})

test.each(['/emails', '/oauth/token', '/livez'])(
  'nothing is done for a client that is gone already (%s)',
  async (path) => {
    const app = await startApp()
    const errors: unknown[] = []
    app.services.log.error = (...facts: unknown[]) => void errors.push(facts)
    app.services.log.warn = (...facts: unknown[]) => void errors.push(facts)
    const { server } = app.server
    await app.server.listen({ host: '127.0.0.1', port: 0 })
    const answered = new Promise<number>((resolve) => {
      server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
        request.socket.destroy()
        response.on('close', () => resolve(response.statusCode))
      })
    })
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    client.on('error', () => {})
    client.write(
      `POST ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer re_wrong\r\ncontent-length: 2\r\n\r\n{}`,
    )

    expect(await answered).toBe(400)
    expect(errors).toEqual([])
  },
)

describe('in the log of API calls', () => {
  const logOf = async (app: App, client: Client, reply: Reply) => {
    await app.flush()
    return (await client.get(`/logs/${reply.headers['x-request-id']}`)).body
  }

  test('the contents of a batch, a broadcast and a template are left out as those of an email are', async () => {
    const app = await startApp()
    const acme = await app.as('acme')
    const words = { html: '<p>secret</p>', text: 'secret' }
    const { body: segment } = await acme.post('/segments', { name: 'All' })
    const broadcast = { segment_id: segment.id, from: 'a@acme.dev', subject: 'Hi', ...words }

    const replies = [
      await acme.post('/emails', { ...SIMPLE, ...words }),
      await acme.post('/emails/batch', [SIMPLE, { ...SIMPLE, ...words }]),
      await acme.post('/broadcasts', broadcast),
      await acme.post('/broadcasts', { ...broadcast, text: null }),
      await acme.post('/templates', { name: 'A', ...words }),
    ]

    for (const reply of replies) {
      const log = await logOf(app, acme, reply)
      expect([log.endpoint, log.response_status < 300]).toEqual([log.endpoint, true])
      expect(JSON.stringify(log.request_body)).toContain('[13 characters]')
      expect(JSON.stringify(log)).not.toContain('secret')
    }
  })

  test('what is nested too deeply has its entry', async () => {
    const app = await startApp()
    const acme = await app.as('acme')
    const payload = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`

    const reply = await acme.send({ method: 'POST', url: '/emails', payload, headers: JSON_TYPE })

    expect([reply.status, reply.body.message]).toEqual([
      422,
      'The request body is nested too deeply. It can have 64 levels.',
    ])
    expect(await logOf(app, acme, reply)).toMatchObject({ response_status: 422, request_body: null })
  })
})

const JSON_TYPE = { 'content-type': 'application/json' }

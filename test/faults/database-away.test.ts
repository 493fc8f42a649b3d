import { join } from 'node:path'
import { expect, test } from 'vitest'
import { installedServers, startPostgresServer } from '../harness/postgres-server.ts'
import { eventually, Service, temporaryFolder } from '../harness/service.ts'

const statusOf = async (service: Service, path: string) => (await fetch(`${service.url}${path}`)).status

test.each(installedServers())(
  'while a database ($name) is away every call is a 503, and when it is back all goes on by itself',
  async (installation) => {
    const server = await startPostgresServer(installation)
    const service = await Service.start({
      dataDir: join(temporaryFolder(), 'data'),
      settings: { POSTWREN_DATABASE_URL: server.url },
    })
    await service.call('POST', '/contacts', { email: 'ada@example.com' })

    await server.kill()
    await eventually(async () => (await statusOf(service, '/health')) === 503)
    const replies = await Promise.all([
      service.call('GET', '/contacts?limit=1'),
      service.call('GET', '/contacts'),
      service.call('POST', '/contacts', { email: 'bob@example.com' }),
    ])
    for (const { status, body } of replies) {
      expect([status, body.statusCode, body.name]).toEqual([503, 503, 'service_unavailable'])
      expect(body.message).toEqual(expect.any(String))
    }
    expect(await statusOf(service, '/metrics')).toBe(200)

    await server.start()
    await eventually(async () => (await statusOf(service, '/health')) === 200)
    const created = await service.call('POST', '/contacts', { email: 'bob@example.com' })
    const { body: page } = await service.call('GET', '/contacts?limit=5')
    expect(created.status).toBe(201)
    expect(page.data.map(({ email }: { email: string }) => email)).toEqual(['bob@example.com', 'ada@example.com'])
    expect(await service.stop()).toBe(0)
  },
)

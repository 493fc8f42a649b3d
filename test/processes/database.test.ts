import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { DatabaseProxy } from '../harness/database-proxy.ts'
import { freePort, installedServers, startPostgresServer } from '../harness/postgres-server.ts'
import { linesOf, postwren } from '../harness/program.ts'
import { Service, temporaryFolder } from '../harness/service.ts'

/** On a database of the operator's, as on a machine of its own: with a data folder that it shares with nobody. */
const launchOn = (url: string, settings: Record<string, string> = {}) =>
  Service.launch({ dataDir: join(temporaryFolder(), 'data'), settings: { POSTWREN_DATABASE_URL: url, ...settings } })

async function startOn(url: string, settings: Record<string, string> = {}) {
  const service = await launchOn(url, settings)
  await service.running()
  return service
}

describe.each(installedServers())('with $name', (installation) => {
  test('a PostgreSQL of the operator is used instead of the embedded one', async () => {
    const { url } = await startPostgresServer(installation)

    const service = await startOn(url)
    const { body: contact } = await service.call('POST', '/contacts', { email: 'ada@example.com' })
    const key = await postwren(['key', 'create', 'CLI'], { environment: { POSTWREN_DATABASE_URL: url } })
    const secret = readFileSync(join(service.dataDir, 'secret-key'), 'utf8').trim()
    const other = await startOn(url, { POSTWREN_SECRET_KEY: secret })

    expect(service.stdout).toContain('Database   yours (POSTWREN_DATABASE_URL)')
    expect(service.stdout).not.toContain('secret')
    expect(other.stdout).not.toContain('API key')
    const found = await other.call('GET', '/contacts/ada@example.com', undefined, key.stdout.trim())
    expect(found.body.id).toBe(contact.id)
    expect(await service.stop()).toBe(0)
    expect((await other.call('GET', '/contacts', undefined, service.token)).status).toBe(200)
  })
})

test.each([
  ['127.0.0.1', /ECONNREFUSED/],
  ['localhost', /ECONNREFUSED/],
  ['no-such-host.invalid', /ENOTFOUND|EAI_AGAIN/],
])('a database that does not answer at %s is one line', async (host, reason) => {
  const environment = { POSTWREN_DATABASE_URL: `postgres://a:b@${host}:${await freePort()}/c` }

  const { code, stdout, complaints } = await postwren(['serve', '--wait', '0'], { environment })

  expect([code, stdout]).toEqual([1, ''])
  expect(complaints).toEqual([expect.stringMatching(/^The database cannot be used: .*POSTWREN_DATABASE_URL/)])
  expect(complaints[0]).toMatch(reason)
})

test('a second machine without the secret key, or with a wrong password, is told so in one line, which repeats no password', async () => {
  const { url } = await startPostgresServer()
  await startOn(url)

  const keyless = await launchOn(url)
  const stranger = await launchOn(url.replace('secret', 'hunter2'))

  expect([await keyless.ended(), await stranger.ended()]).toEqual([1, 1])
  expect(keyless.complaints).toEqual([expect.stringMatching(/POSTWREN_SECRET_KEY/)])
  expect(stranger.complaints).toEqual([expect.stringMatching(/password authentication failed/)])
  expect(stranger.complaints[0]).not.toContain('hunter2')
})

test('a database that is not there yet is waited for, with one line', async () => {
  const { url } = await startPostgresServer()
  const proxy = await DatabaseProxy.start(url)
  proxy.refuse()
  const service = await launchOn(proxy.url)
  const waiting = await postwren(['migrate', '--wait', '0'], { environment: { POSTWREN_DATABASE_URL: proxy.url } })
  await service.logs('database: waiting for')
  const stopped = await launchOn(proxy.url)
  await stopped.logs('database: waiting for')

  expect(await stopped.stop()).toBe(0)
  await proxy.admit()
  await service.running()

  expect(waiting.code).toBe(1)
  const { host, port } = proxy.config
  expect(linesOf(service.stderr).filter((line) => /waiting/.test(line))).toEqual([
    expect.stringContaining(`database: waiting for ${host}:${port}, up to 60 s: connect ECONNREFUSED`),
  ])
  expect(stopped.complaints).toEqual([])
  expect((await service.call('GET', '/contacts')).status).toBe(200)
})

test('a wait that is no number of seconds is a mistake of the operator', async () => {
  const { code, complaints } = await postwren(['serve', '--wait', 'long'])

  expect([code, complaints]).toEqual([1, ['--wait must be a number of seconds up to 86400, not `long`.']])
})

test('something that takes connections and says nothing is given up on after a while', async () => {
  const sockets: Socket[] = []
  const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
  const { port } = silent.address() as { port: number }

  const environment = { POSTWREN_DATABASE_URL: `postgres://a:b@127.0.0.1:${port}/c` }
  const { code, complaints } = await postwren(['serve', '--wait', '0'], { environment })

  expect(code).toBe(1)
  expect(complaints).toEqual([expect.stringMatching(/^The database cannot be used: .*POSTWREN_DATABASE_URL/)])
})

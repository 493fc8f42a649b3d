import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { migrate } from '../../src/kernel/db/migrate.ts'
import { NoSession, requireSession } from '../../src/kernel/db/session-check.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { DatabaseAway, mayComeBack } from '../../src/platform/database-errors.ts'
import { PGBOUNCER, runPooler, startPooler } from '../harness/pooler.ts'
import { freePort, startPostgresServer } from '../harness/postgres-server.ts'
import { postwren } from '../harness/program.ts'
import { eventually, Service, temporaryFolder } from '../harness/service.ts'

test('a session of PostgreSQL itself is one', async () => {
  const { url } = await startPostgresServer()

  await requireSession({ connectionString: url })
})

/** Stands between, and holds back what the server answers to the first client from when that one first asks for its mark. */
async function startSilencing(url: string): Promise<string> {
  const { hostname, port } = new URL(url)
  let clients = 0
  const relay = createServer((client) => {
    const isFirst = clients++ === 0
    let isSilent = false
    const server = connect(Number(port), hostname)
    client.on('data', (chunk) => {
      isSilent ||= isFirst && chunk.includes('current_setting(')
      server.write(chunk)
    })
    server.on('data', (chunk) => void (isSilent || client.write(chunk)))
    client.on('close', () => server.destroy()).on('error', () => {})
    server.on('close', () => client.destroy()).on('error', () => {})
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void relay.close())
  await once(relay, 'listening')
  return url.replace(`${hostname}:${port}`, `127.0.0.1:${(relay.address() as AddressInfo).port}`)
}

test('a server that is silent in the middle of the check is slow and not a pooler', async () => {
  const { url } = await startPostgresServer()
  const silencing = await startSilencing(url)

  const failure = await requireSession({ connectionString: silencing }).catch((error) => error)

  expect(failure).toBeInstanceOf(DatabaseAway)
  expect(mayComeBack(failure)).toBe(true)
  await requireSession({ connectionString: silencing })
})

/** As it is, but for addresses and files. */
function exampleFor(url: string, { port, folder }: { port: number; folder: string }) {
  const users = join(folder, 'userlist.txt')
  writeFileSync(users, '"owner" "secret"\n', { mode: 0o644 })
  const { hostname, port: serverPort } = new URL(url)
  const changes = {
    'host=10.0.0.5 port=5432 dbname=postwren': `host=${hostname} port=${serverPort} dbname=mail`,
    'listen_port = 6432': `listen_port = ${port}`,
    '/etc/pgbouncer/userlist.txt': users,
  }
  return Object.entries(changes).reduce(
    (changed, [from, to]) => {
      expect(changed.split(from)).toHaveLength(2)
      return changed.replace(from, to)
    },
    readFileSync('examples/pgbouncer/pgbouncer.ini', 'utf8'),
  )
}

describe.skipIf(!PGBOUNCER)('behind PgBouncer (needs pgbouncer)', () => {
  test('in session mode all is as without it', async () => {
    const { url } = await startPostgresServer()
    const pooled = await startPooler(url, { mode: 'session', settings: { default_pool_size: '50' } })
    const settings = { POSTWREN_DATABASE_URL: pooled }

    const service = await Service.start({ dataDir: join(temporaryFolder(), 'data'), settings })
    const created = await service.call('POST', '/contacts', { email: 'ada@example.com' })

    expect(created.status).toBe(201)
    expect(await service.stop()).toBe(0)
  })

  test('with the configuration of the example mail flows, also after it was killed in the middle', async () => {
    const { url } = await startPostgresServer()
    const folder = temporaryFolder()
    const port = await freePort()
    const pooled = `postgres://owner:secret@127.0.0.1:${port}/postwren`
    const pooler = await runPooler(exampleFor(url, { port, folder }), { folder, url: pooled })
    const service = await Service.start({
      dataDir: join(folder, 'data'),
      settings: { POSTWREN_DATABASE_URL: pooled, POSTWREN_API_KEY: 're_mail_through_a_pooler' },
    })
    const accepted: string[] = []
    const send = async () => {
      const { status, body } = await service.call('POST', '/emails', {
        ...{ from: 'a@acme.dev', to: `user${accepted.length}@example.com`, subject: 'Hi', text: 'x' },
      })
      expect([200, 503]).toContain(status)
      if (status === 200) accepted.push(body.id)
      return status
    }

    for (let n = 0; n < 10; n++) expect(await send()).toBe(200)
    const during = Promise.all(Array.from({ length: 30 }, send))
    await pooler.kill()
    await during
    await pooler.start()
    await eventually(async () => (await send()) === 200)
    await eventually(async () => {
      const events = await Promise.all(accepted.map((id) => service.call('GET', `/emails/${id}`)))
      return events.every(({ body }) => body.last_event === 'delivered')
    })

    expect(await service.stop()).toBe(0)
  })

  test('the migration lock is given back, though the session lives on in the pooler', async () => {
    const { url } = await startPostgresServer()
    const pooled = await startPooler(url, { mode: 'session', settings: { server_reset_query: '' } })

    await migrate({ connectionString: pooled }, systemClock)
    const client = new pg.Client(url)
    onTestFinished(() => client.end())
    await client.connect()

    expect((await client.query("select from pg_locks where locktype = 'advisory'")).rowCount).toBe(0)
  })

  test.each([
    ['with one server', { default_pool_size: '1' }],
    ['with several', { default_pool_size: '20' }],
    ['that takes turns', { default_pool_size: '20', server_round_robin: '1', min_pool_size: '3' }],
  ])('in transaction mode, %s, the start is refused', async (_name, settings) => {
    const { url } = await startPostgresServer()
    const pooled = await startPooler(url, { mode: 'transaction', settings })

    await expect(requireSession({ connectionString: pooled })).rejects.toThrow(NoSession)
  })

  test('the refusal is one line that says what to do', async () => {
    const { url } = await startPostgresServer()
    const environment = { POSTWREN_DATABASE_URL: await startPooler(url, { mode: 'transaction' }) }

    const { code, stdout, complaints } = await postwren(['serve'], { environment })

    expect([code, stdout]).toEqual([1, ''])
    expect(complaints).toEqual([expect.stringMatching(/^The database cannot be used: .*session mode\.$/)])
  })
})

import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { migrate } from '../../src/kernel/db/migrate.ts'
import { NoSession, requireSession } from '../../src/kernel/db/session-check.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { DatabaseAway, mayComeBack } from '../../src/platform/database-errors.ts'
import { PGBOUNCER, startPooler } from '../harness/pooler.ts'
import { startPostgresServer } from '../harness/postgres-server.ts'
import { postwren } from '../harness/program.ts'
import { Service, temporaryFolder } from '../harness/service.ts'

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

describe.skipIf(!PGBOUNCER)('behind PgBouncer', () => {
  test('in session mode all is as without it', async () => {
    const { url } = await startPostgresServer()
    const pooled = await startPooler(url, { mode: 'session', settings: { default_pool_size: '50' } })
    const settings = { POSTWREN_DATABASE_URL: pooled }

    const service = await Service.start({ dataDir: join(temporaryFolder(), 'data'), settings })
    const created = await service.call('POST', '/contacts', { email: 'ada@example.com' })

    expect(created.status).toBe(201)
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

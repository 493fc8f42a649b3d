import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { connectionBudget, type Role } from '../../src/platform/settings/connection-budget.ts'
import { startPostgresServer } from '../harness/postgres-server.ts'
import { postwren } from '../harness/program.ts'
import { eventually, Service, temporaryFolder } from '../harness/service.ts'

const KEY = 're_connections_of_ten_processes'
const ALL: Role[] = ['api', 'delivery', 'jobs', 'smtp']
const mail = (to: string) => ({ from: 'a@acme.dev', to, subject: 'Hi', text: 'x' })

async function connected(url: string) {
  const client = new pg.Client({ connectionString: url, application_name: 'watcher' })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

test('ten processes under load never have more connections than their budgets, which are less than 150', async () => {
  const { url } = await startPostgresServer(undefined, { max_connections: '150' })
  const folder = temporaryFolder()
  const start = (roles: readonly Role[]) =>
    Service.start({
      dataDir: join(folder, 'data'),
      settings: { POSTWREN_DATABASE_URL: url, POSTWREN_ROLES: roles.join(','), POSTWREN_API_KEY: KEY },
    })
  const roleSets: Role[][] = [ALL, ALL, ...ALL.flatMap((role): Role[][] => [[role], [role]])]
  const budgets = roleSets.map((roles) => connectionBudget({ ROLES: roles, DATABASE_URL: url }).max)
  const budget = budgets.reduce((sum, max) => sum + max)
  const watcher = await connected(url)
  let most = 0
  let isOver = false
  const look = async () => {
    const { rows } = await watcher.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    )
    most = Math.max(most, rows[0]!.count)
  }

  // The first migrates; the others are watched from their first connection on.
  const first = await start(roleSets[0]!)
  const watching = (async () => {
    while (!isOver) await look()
  })()
  const services = [first]
  // Each takes a second of CPU to start.
  for (let next = 1; next < roleSets.length; next += 3)
    services.push(...(await Promise.all(roleSets.slice(next, next + 3).map(start))))
  const doors = services.filter((_service, index) => roleSets[index]!.includes('api'))
  const refused: string[] = []
  const load = async (door: Service, caller: number) => {
    for (let round = 0; round < 8; round++) {
      const sent = await door.call('POST', '/emails', mail(`user${caller}-${round}@example.com`))
      const contact = await door.call('POST', '/contacts', { email: `c${door.url.slice(-5)}-${caller}-${round}@x.dev` })
      const list = await door.call('GET', '/emails?q=Hi')
      for (const { status, body } of [sent, contact, list]) if (status > 201) refused.push(`${status} ${body.message}`)
    }
  }
  await Promise.all(doors.flatMap((door) => Array.from({ length: 12 }, (_, caller) => load(door, caller))))
  await eventually(async () => {
    const { rows } = await watcher.query<{ waiting: boolean }>(
      `select exists (select from deliveries where state = 'waiting') as waiting`,
    )
    return !rows[0]!.waiting
  })
  isOver = true
  await watching
  const doctor = await postwren(['doctor', '--json'], {
    environment: { POSTWREN_DATABASE_URL: url, POSTWREN_DATA_DIR: join(folder, 'data'), POSTWREN_PORT: '0' },
  })

  expect(refused).toEqual([])
  expect(budget).toBeLessThanOrEqual(147)
  expect(most).toBeGreaterThan(services.length)
  expect(most).toBeLessThanOrEqual(budget)
  expect(JSON.parse(doctor.stdout).checks).toContainEqual({
    name: 'database_connections',
    status: 'ok',
    message: `Connections: PostgreSQL allows 147, and ${budget + 1} may be needed at the most.`,
  })
  for (const { stderr } of services) expect(stderr).not.toMatch(/too many clients|may open/)
  expect(await Promise.all(services.map((service) => service.stop()))).toEqual(services.map(() => 0))
}, 240_000)

test('the process whose budget is too much for the server says so, works, and doctor and metrics see it', async () => {
  const { url } = await startPostgresServer(undefined, { max_connections: '25' })
  const folder = temporaryFolder()
  const environment = { POSTWREN_DATABASE_URL: url, POSTWREN_API_KEY: KEY }
  const start = () => Service.start({ dataDir: join(folder, 'data'), settings: environment })
  const shortage =
    'he 2 running processes may open 28 connections and other programs have 0, but PostgreSQL allows 22 (max_connections = 25, 3 reserved): set max_connections to 40 or more, or lower POSTWREN_DATABASE_CONNECTIONS'

  const first = await start()
  const second = await start()
  const sent = await second.call('POST', '/emails', mail('ada@example.com'))
  const doctor = await postwren(['doctor', '--json'], {
    environment: { ...environment, POSTWREN_DATA_DIR: join(folder, 'data'), POSTWREN_PORT: '0' },
  })
  const metrics = await (await fetch(`${first.url}/metrics`)).text()

  expect(sent.status).toBe(200)
  expect(first.stderr).not.toContain('may open')
  expect(second.stderr).toContain(`database: t${shortage}`)
  expect(doctor.code).toBe(1)
  expect(JSON.parse(doctor.stdout).checks).toContainEqual({
    name: 'database_connections',
    status: 'fault',
    message: `T${shortage}.`,
  })
  expect(metrics).toContain('\npostwren_database_connections_needed 28\n')
  expect(metrics).toContain('\npostwren_database_connections_allowed 22\n')
  expect([await first.stop(), await second.stop()]).toEqual([0, 0])
})

test('all roles work with the fewest connections that are allowed', async () => {
  const { url } = await startPostgresServer()
  const settings = { POSTWREN_DATABASE_URL: url, POSTWREN_API_KEY: KEY, POSTWREN_DATABASE_CONNECTIONS: '6' }
  const service = await Service.start({ dataDir: join(temporaryFolder(), 'data'), settings })
  const { body: segment } = await service.call('POST', '/segments', { name: 'Readers' })
  const callers = Array.from({ length: 20 }, async (_, caller) => [
    await service.call('POST', '/contacts', { email: `c${caller}@example.com`, segments: [{ id: segment.id }] }),
    await service.call('POST', '/emails', mail(`user${caller}@example.com`)),
    await service.call('GET', '/emails?q=Hi'),
    await service.call('GET', '/contacts?limit=5'),
  ])
  const replies = (await Promise.all(callers)).flat()
  const broadcast = { from: 'a@acme.dev', subject: 'News', text: 'x', segment_id: segment.id, send: true }
  const { body } = await service.call('POST', '/broadcasts', broadcast)
  const lastOf = async (path: string) => (await service.call('GET', path)).body.data

  expect([...new Set(replies.map(({ status }) => status))].sort()).toEqual([200, 201])
  await eventually(async () => {
    const emails: { last_event: string }[] = await lastOf('/emails?limit=100')
    return emails.length === 40 && emails.every(({ last_event }) => last_event === 'delivered')
  })
  expect(body.id).toEqual(expect.any(String))
  expect(await service.stop()).toBe(0)
})

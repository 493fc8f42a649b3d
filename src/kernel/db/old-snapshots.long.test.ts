import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { installedServers, type PostgresServer, startPostgresServer } from '../../../test/harness/postgres-server.ts'
import { Service, temporaryFolder } from '../../../test/harness/service.ts'
import { asked } from '../../app/commands/doctor/asked.ts'
import { checkSnapshots } from '../../app/commands/doctor/snapshots.ts'
import { findSnapshotHolders, SnapshotWatch } from './old-snapshots.ts'

const SETTINGS = { wal_level: 'logical', max_prepared_transactions: '2' }

async function connected({ url }: PostgresServer, name: string, as = 'owner') {
  const client = new pg.Client({ connectionString: url.replace('owner', as), application_name: name })
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

/** A session that has looked and not gone away, one that has written, a prepared transaction, and a slot that nobody reads. */
async function startHolders(server: PostgresServer) {
  const [reader, writer, preparer, admin] = [
    await connected(server, 'report'),
    await connected(server, 'writer'),
    await connected(server, 'preparer'),
    await connected(server, 'admin'),
  ]
  await admin.query('create table t (x int)')
  await admin.query(`select pg_create_logical_replication_slot('left_behind', 'pgoutput')`)
  await reader.query('begin isolation level repeatable read')
  await reader.query('select from t')
  await writer.query('begin')
  await writer.query('insert into t values (1)')
  await preparer.query('begin')
  await preparer.query('insert into t values (2)')
  await preparer.query(`prepare transaction 'half done'`)
  for (let n = 0; n < 5; n++) await admin.query('insert into t values (3)')
  const pidOf = async (client: pg.Client) =>
    (await client.query('select pg_backend_pid() as pid')).rows[0].pid as number
  return { admin, reader, writer, pids: { reader: await pidOf(reader), writer: await pidOf(writer) } }
}

test.each(installedServers())('whoever keeps dead rows alive is found ($name)', async (installation) => {
  const server = await startPostgresServer(installation, SETTINGS)
  const { admin, writer, pids } = await startHolders(server)
  const query = asked(admin)

  const holders = await findSnapshotHolders(query)
  const findings = await checkSnapshots(admin, 0)
  const quiet = await checkSnapshots(admin)

  expect(holders.map(({ kind, name, pid }) => [kind, name, pid]).sort()).toEqual([
    ['prepared_transaction', 'half done', null],
    ['replication_slot', 'left_behind', null],
    ['session', 'report', pids.reader],
    ['session', 'writer', pids.writer],
  ])
  for (const { transactions } of holders) expect(transactions).toBeGreaterThanOrEqual(5)
  const said = findings.map(({ status, message }) => `${status}: ${message}`)
  expect(said).toHaveLength(4)
  expect(said).toContainEqual(
    `warning: The session ${pids.reader} (report) holds a snapshot for 0 minutes, so dead rows are not removed: see docs/operations/night/old-snapshot.md.`,
  )
  // Nobody knows for how long before PostgreSQL 17.
  const isTimeKnown = installation.name.startsWith('embedded')
  expect(quiet.map(({ status }) => status)).toEqual([isTimeKnown ? 'ok' : 'warning'])

  // The page about it.
  await admin.query('select pg_terminate_backend($1, 5000)', [pids.reader])
  await writer.query('rollback')
  await admin.query(`rollback prepared 'half done'`)
  await admin.query(`select pg_drop_replication_slot('left_behind')`)
  expect(await findSnapshotHolders(query)).toEqual([])
})

test('of a session whose begin is hidden the age counts from the first look at it', async () => {
  const server = await startPostgresServer(undefined, SETTINGS)
  const { admin, pids } = await startHolders(server)
  await admin.query(`create role stranger login password 'secret'`)
  const stranger = asked(await connected(server, 'stranger', 'stranger'))
  await admin.query(`rollback prepared 'half done'`)
  await admin.query(`select pg_drop_replication_slot('left_behind')`)
  let now = 0
  const watch = new SnapshotWatch(() => now)

  const first = await watch.oldest(stranger)
  now += 90_000
  const later = await watch.oldest(stranger)
  await admin.query('select pg_terminate_backend(pid, 5000) from unnest($1::int[]) as pid', [Object.values(pids)])
  const after = await watch.oldest(stranger)

  expect([first?.seconds, later?.seconds, after]).toEqual([0, 90, null])
  expect(Object.values(pids)).toContain(later?.pid)
})

test('a running service shows the oldest one', async () => {
  const server = await startPostgresServer(undefined, SETTINGS)
  await startHolders(server)
  const service = await Service.start({
    dataDir: join(temporaryFolder(), 'data'),
    settings: { POSTWREN_DATABASE_URL: server.url },
  })
  const shown = async () => {
    const page = await (await fetch(`${service.url}/metrics`)).text()
    return /^postwren_oldest_snapshot_age_seconds\{kind="(.*)",name="(.*)",pid="(.*)"\} (.+)$/m.exec(page)
  }

  // Before a minute is over nobody is named.
  const [, kind, name, pid, seconds] = (await shown())!
  expect([kind, name, pid].join('') === '').toBe(Number(seconds) < 60)
  expect(Number(seconds)).toBeGreaterThan(0)
  expect(await service.stop()).toBe(0)
})

import pg from 'pg'
import { beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest'
import { Database } from '../../src/kernel/db/database.ts'
import { migrate, migrateWithin } from '../../src/kernel/db/migrate.ts'
import { schemaState } from '../../src/kernel/db/schema-state.ts'
import { findPartitions } from '../../src/kernel/partitions/catalog.ts'
import { makePartitions } from '../../src/kernel/partitions/make.ts'
import { PARTITIONED_TABLES, PERIODS_AHEAD } from '../../src/kernel/partitions/tables.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { newId } from '../../src/platform/ids.ts'
import { databaseOn } from '../harness/global-setup.ts'
import { migrateTimed, startWork } from '../harness/migration-work.ts'
import { fillOldTables, ROWS_OF_AN_EMAIL, SANDBOX } from '../harness/old-rows.ts'
import { POSTWREN, Program, postwren } from '../harness/program.ts'
import { eventually } from '../harness/service.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

// What has changed since the last build is built by the first that runs it.
beforeAll(async () => void (await postwren(['--help'], { lifetime: 'file' })))

/** A million rows. */
const EMAILS = process.env.POSTWREN_TEST_NIGHT ? 1_250_000 : 125_000
const OF_SANDBOX = 2_000
/** The first that is about partitions. */
const FIRST = '0097'

async function connected(config: pg.ClientConfig) {
  const client = new pg.Client(config)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

async function oldDatabase(label: string): Promise<pg.ClientConfig> {
  const { connection, template } = inject('postgres')
  const admin = new pg.Client(connection)
  await admin.connect()
  const name = `${template}_${label}_${process.pid}`
  await admin.query(`create database ${name}`)
  onTestFinished(async () => {
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  })
  const config = databaseOn(connection, name)
  const client = await connected(config)
  const before = schemaState([]).missing.filter((migration) => migration.name < FIRST)
  await migrateWithin(client, before, systemClock)
  // As older programs have left it.
  await client.query('alter table schema_migrations drop column is_contraction')
  return config
}

function migrateElsewhere({ connectionString, user, host, port, database }: pg.ClientConfig) {
  const url = connectionString ?? `postgres://${user}@${encodeURIComponent(host!)}:${port}/${database}`
  return new Program([...POSTWREN, 'migrate'], { environment: { POSTWREN_DATABASE_URL: url } })
}

test('a million rows become the first partitions while mail flows, and a kill -9 in any migration changes nothing', async () => {
  const config = await oldDatabase('full')
  const [client, blocker, worker] = [await connected(config), await connected(config), await connected(config)]
  await fillOldTables(client, EMAILS, OF_SANDBOX)
  const appliedNow = async () =>
    (await client.query(`select name from schema_migrations where name >= $1 order by name`, [FIRST])).rows
  const work = startWork(worker)

  /** Has a migration, known by words of its first lines, wait for somebody in the middle of it, and kills its process there. */
  const killIn = async (words: string, block: string) => {
    await blocker.query(`begin; ${block}`)
    const program = migrateElsewhere(config)
    await eventually(async () => {
      if (program.hasEnded) throw new Error(program.stderr)
      const { rows } = await client.query(
        `
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid()
          and query like $1`,
        [`%${words}%`],
      )
      return rows.length > 0
    })
    await program.kill()
    await blocker.query('rollback')
  }
  await client.query(
    `insert into jobs (name, id, key, payload, run_at, created_at) values ('outbox.sweep', $1, 'recurring', '{}', now(), now())`,
    [newId(systemClock)],
  )
  await killIn('What they have now becomes the first partition', 'lock table request_logs in access share mode')
  expect(await appliedNow()).toEqual([])
  // Whoever holds up the second holds up the first, too.
  const [first] = schemaState([]).missing.filter((migration) => migration.name >= FIRST)
  await client.query('begin')
  await migrateWithin(client, [first!], systemClock)
  await client.query('commit')
  await killIn('Reads each table once', `select from outbox where team_id = '${SANDBOX}' for update`)
  expect(await appliedNow()).toHaveLength(1)
  await killIn('Mail and events in partitions by time', `select from jobs where name = 'outbox.sweep' for update`)
  expect(await appliedNow()).toHaveLength(2)
  expect((await client.query(`select from pg_class where relname = 'emails_before'`)).rows).toEqual([])

  // What has run runs once more, for its time.
  await undo(client)
  work.longest.ms = 0
  const times = await migrateTimed(config, client)
  const roundsBefore = work.rounds
  await eventually(() => work.rounds > roundsBefore + 20)
  await work.stop()
  process.stdout.write(
    `${times.join(', ')}; the longest statement beside them took ${work.longest.ms} ms, of ${work.rounds} rounds\n`,
  )

  const counted = async (table: string) => Number((await client.query(`select count(*) from ${table}`)).rows[0].count)
  for (const [table, rows] of Object.entries(ROWS_OF_AN_EMAIL)) {
    const ofSandbox = table === 'request_logs' ? OF_SANDBOX : 0
    expect([table, await counted(`${table}_before`)]).toEqual([table, (EMAILS + work.rounds) * rows + ofSandbox])
    expect([table, await counted(table)]).toEqual([table, (EMAILS + work.rounds) * rows + ofSandbox])
  }
  expect((await client.query('select from emails where team_id = $1', [SANDBOX])).rows).toEqual([])

  const db = Database.connect(config, { clock: systemClock })
  onTestFinished(() => db.close())
  await makePartitions(db)
  for (const table of PARTITIONED_TABLES) {
    const periods = (await findPartitions(db, table)).filter(({ name }) => /_p\d{8}$/.test(name))
    expect(periods.length).toBeGreaterThan(PERIODS_AHEAD - 3)
  }
})

test('what is left of emails that are all deleted is taken over, too', async () => {
  const config = await oldDatabase('rest')
  const client = await connected(config)
  await client.query(
    `insert into metric_facts (team_id, email_id, metric, event_id, at) values ($1, $1, 'sent', $1, now())`,
    [newId(systemClock)],
  )

  await migrate(config, systemClock)

  expect((await client.query('select from metric_facts_before')).rows).toHaveLength(1)
})

/** As after a roll back of 0097. Each constraint by itself: whoever holds one lock only meets nobody in a deadlock. */
async function undo(client: pg.Client) {
  const { rows } = await client.query(
    `select conrelid::regclass as name, conname from pg_constraint where conname like '%\\_before\\_bound'`,
  )
  for (const { name, conname } of rows) await client.query(`alter table ${name} drop constraint ${conname}`)
  await client.query('delete from schema_migrations where name >= $1', [FIRST])
}

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { freshDatabase } from '../../../../test/harness/database.ts'
import { databaseOn } from '../../../../test/harness/global-setup.ts'
import { createSealer } from '../../../kernel/secrets.ts'
import { loadConfig } from '../../../platform/settings/config.ts'
import { checkDatabase } from './database.ts'
import { checkClock } from './server.ts'

/** As a setting says it, also when the server listens on a socket only. */
function urlOf({ connectionString, user, host, port, database }: pg.ClientConfig, asUser = user): string {
  return connectionString ?? `postgres://${asUser}@${encodeURIComponent(host!)}:${port}/${database}`
}

function folder() {
  const made = mkdtempSync(join(tmpdir(), 'postwren-doctor-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

async function connected(connection: pg.ClientConfig) {
  const client = new pg.Client(connection)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

async function check(settings: Record<string, string>) {
  const environment = { POSTWREN_DATA_DIR: join(folder(), 'data'), ...settings }
  const findings = await checkDatabase({ config: loadConfig(environment), environment })
  return Object.fromEntries(findings.map(({ name, status, message }) => [name, `${status}: ${message}`]))
}

/** A database with nothing in it, gone with the test. */
async function emptyDatabase() {
  const { connection } = inject('postgres')
  const name = `doctor_${process.pid}_${Math.random().toString(36).slice(2)}`
  const admin = new pg.Client(connection)
  await admin.connect()
  await admin.query(`create database ${name}`)
  onTestFinished(async () => {
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  })
  return databaseOn(connection, name)
}

test('mail that is on hold is a warning', async () => {
  const connection = await freshDatabase()
  const client = await connected(connection)
  const hold = (domain: string | null) =>
    client.query(
      `insert into delivery_holds (id, recipient_domain, reason, created_at) values (gen_random_uuid(), $1, 'x', now())`,
      [domain],
    )
  const found = async () => (await check({ POSTWREN_DATABASE_URL: urlOf(connection) })).holds

  const before = await found()
  await hold('a.dev')
  const one = await found()
  await hold(null)
  const all = await found()
  await client.query('delete from delivery_holds')

  expect(before).toBeUndefined()
  expect(one).toBe('warning: 1 hold keeps mail back. See: postwren queue holds')
  expect(all).toBe('warning: All mail is on hold. See: postwren queue holds')
})

test('direct delivery that reaches no site is a fault where mail goes that way', async () => {
  const connection = await freshDatabase()
  const client = await connected(connection)
  const found = async (DELIVERY: string) =>
    (await check({ POSTWREN_DATABASE_URL: urlOf(connection), POSTWREN_DELIVERY: DELIVERY })).routes

  const before = await found('direct')
  await client.query(`
    insert into delivery_routes (name, state, since, faults, changed_at, retry_at)
    values ('direct', 'open', now(), 1, now(), now())`)
  const [down, elsewhere] = [await found('direct'), await found('inbox')]
  await client.query('delete from delivery_routes')

  expect([before, elsewhere]).toEqual([undefined, undefined])
  expect(down).toMatch(/^fault: Route direct reaches no site: check the network/)
})

test('a migrated database is up to date', async () => {
  const url = urlOf(await freshDatabase())

  expect(await check({ POSTWREN_DATABASE_URL: url })).toMatchObject({
    database: expect.stringMatching(/^ok: Database: PostgreSQL \d+/),
    schema: 'ok: Schema: up to date.',
    clock: expect.stringMatching(/^ok: /),
  })
})

test('an empty one stays empty', async () => {
  const connection = await emptyDatabase()

  const { schema, secret_key } = await check({ POSTWREN_DATABASE_URL: urlOf(connection) })

  expect(schema).toBe('ok: Schema: empty. `serve` makes the tables.')
  expect(secret_key).toBe('ok: Secret key: none yet; `serve` creates one in the data folder.')
  const client = await connected(connection)
  const { rows } = await client.query(`select 1 from pg_class where relnamespace = 'public'::regnamespace`)
  expect(rows).toEqual([])
})

test('tells how many migrations will run, and runs none', async () => {
  const connection = await freshDatabase()
  const client = await connected(connection)
  const { rows } = await client.query(
    `delete from schema_migrations where name in ('0026_jobs_by_name.sql', '0027_loose_blobs.sql') returning *`,
  )

  const { schema } = await check({ POSTWREN_DATABASE_URL: urlOf(connection) })
  const after = await client.query(`select 1 from schema_migrations where name = '0026_jobs_by_name.sql'`)
  for (const { name, checksum } of rows)
    await client.query('insert into schema_migrations (name, checksum, applied_at) values ($1, $2, now())', [
      name,
      checksum,
    ])

  expect(schema).toMatch(/^ok: Schema: 2 migrations will run at `serve`, from 0026_\S+ to 0027_/)
  expect(after.rows).toEqual([])
})

test('a schema that a newer program has made is a fault', async () => {
  const connection = await freshDatabase()
  const client = await connected(connection)
  await client.query(`insert into schema_migrations (name, checksum, applied_at) values ('9999_future.sql', '', now())`)

  const { schema } = await check({ POSTWREN_DATABASE_URL: urlOf(connection) })
  await client.query(`delete from schema_migrations where name = '9999_future.sql'`)

  expect(schema).toMatch(/^fault: The database was migrated by a newer Postwren \(9999_future/)
})

test('a schema that a newer program has only added to is a warning', async () => {
  const connection = await freshDatabase()
  const client = await connected(connection)
  await client.query(
    `insert into schema_migrations (name, checksum, applied_at, is_contraction) values ('9998_more.sql', '', now(), false)`,
  )

  const { schema } = await check({ POSTWREN_DATABASE_URL: urlOf(connection) })
  await client.query(`delete from schema_migrations where name = '9998_more.sql'`)

  expect(schema).toMatch(
    /^warning: The database was migrated by a newer Postwren \(9998_more\S+ This version can work with it\.$/,
  )
})

// A role of a server that is reached by a socket needs no password.
test.runIf(inject('postgres').connection.host)('a role that may not create tables is a fault', async () => {
  const connection = await emptyDatabase()
  const client = await connected(connection)
  const role = `limited_${process.pid}`
  await client.query(`create role ${role} login`)
  await client.query('revoke create on schema public from public')
  onTestFinished(() => client.query(`drop role ${role}`).then(() => {}))

  const { database } = await check({ POSTWREN_DATABASE_URL: urlOf(connection, role) })

  expect(database).toMatch(
    /^fault: The role may not create tables in the schema public: `grant create on schema public/,
  )
})

test('another secret key than that of the database is a fault', async () => {
  const connection = await freshDatabase()
  const client = await connected(connection)
  const key = 'ab'.repeat(32)
  await client.query('insert into secret_key_mark (mark) values ($1)', [
    createSealer(Buffer.from(key, 'hex')).deriveKey('mark'),
  ])
  onTestFinished(() => client.query('delete from secret_key_mark').then(() => {}))
  const settings = { POSTWREN_DATABASE_URL: urlOf(connection) }

  const right = await check({ ...settings, POSTWREN_SECRET_KEY: key })
  const wrong = await check({ ...settings, POSTWREN_SECRET_KEY: 'cd'.repeat(32) })
  const none = await check(settings)

  expect(right.secret_key).toBe('ok: Secret key: matches this database.')
  expect(wrong.secret_key).toMatch(/^fault: This database was created with another secret key/)
  expect(none.secret_key).toMatch(/^fault: This database needs its secret key, and there is none in/)
})

test.each([
  { aheadMs: 0, status: 'ok' },
  { aheadMs: 3_500, status: 'warning', words: /3\.\d s ahead of/ },
  { aheadMs: -90_000, status: 'fault', words: /90\.\d s behind|89\.\d s behind/ },
])('a clock that is $aheadMs ms ahead is: $status', async ({ aheadMs, status, words = /agrees/ }) => {
  const client = await connected(await freshDatabase())

  const [finding] = await checkClock(client, () => Date.now() + aheadMs)

  expect(finding).toMatchObject({ status, message: expect.stringMatching(words) })
})

test('without a data folder it says what serve will do, and makes none', async () => {
  const dataDir = join(folder(), 'data')

  expect(await check({ POSTWREN_DATA_DIR: dataDir })).toMatchObject({
    database: 'ok: Database: embedded PostgreSQL. `serve` creates and starts it.',
  })
  expect(existsSync(dataDir)).toBe(false)
})

test('something else where the embedded database should be is a fault', async () => {
  const dataDir = folder()
  mkdirSync(join(dataDir, 'postgres'))
  writeFileSync(join(dataDir, 'postgres', 'diary.txt'), 'Dear diary')

  const { database } = await check({ POSTWREN_DATA_DIR: dataDir })

  expect(database).toMatch(/^fault: .*is not a PostgreSQL cluster/)
})

test('mail of the installation itself is signed when a team has verified the domain of its sender', async () => {
  const connection = await freshDatabase()
  const client = await connected(connection)
  const settings = {
    POSTWREN_DATABASE_URL: urlOf(connection),
    POSTWREN_DELIVERY: 'direct',
    POSTWREN_HOSTNAME: 'mail.example.com',
  }
  const chosen = { ...settings, POSTWREN_MAIL_FROM: 'Acme <no-reply@acme-sender.dev>' }

  expect((await check({ ...settings, POSTWREN_DELIVERY: 'inbox' })).mail_from).toBeUndefined()
  expect((await check(settings)).mail_from).toMatch(
    /^warning: POSTWREN_MAIL_FROM is unset: .* come from no-reply@mail\.example\.com\. System mail is not signed/,
  )
  expect((await check(chosen)).mail_from).toMatch(
    /^warning: POSTWREN_MAIL_FROM: .*no team has verified acme-sender\.dev/,
  )
  await client.query(`
    with team as (insert into teams (id, name, created_at) values (gen_random_uuid(), 'Sender of the doctor', now()) returning id)
    insert into domains (team_id, id, name, region, return_path, open_tracking, click_tracking, tls, sending, receiving,
      created_at, updated_at, status, is_sending_verified)
    select id, gen_random_uuid(), 'acme-sender.dev', 'eu-west-1', 'send', false, false, 'opportunistic', true, false, now(), now(),
      'verified', true from team`)
  expect((await check(chosen)).mail_from).toMatch(/^ok: .*no-reply@acme-sender\.dev, signed\.$/)
})

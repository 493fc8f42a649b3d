import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import packageJson from '../../../../package.json' with { type: 'json' }
import { freshDatabase } from '../../../../test/harness/database.ts'
import { sendEmail, startAcme } from '../../../../test/harness/emails.ts'
import { databaseOn } from '../../../../test/harness/global-setup.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { readSettings } from '../../../platform/settings/sources.ts'
import { upgradeCommand } from '../upgrade.ts'

function urlOf({ connectionString, user, host, port, database }: pg.ClientConfig): string {
  return connectionString ?? `postgres://${user}@${encodeURIComponent(host!)}:${port}/${database}`
}

function folder() {
  const made = mkdtempSync(join(tmpdir(), 'postwren-upgrade-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

async function check(settings: Record<string, string>, flags: Record<string, boolean> = { json: true }) {
  const lines: string[] = []
  const before = process.exitCode
  process.exitCode = 0
  try {
    const environment = { POSTWREN_DATA_DIR: folder(), ...settings }
    await upgradeCommand.report(readSettings(environment, { dotEnvFile: '/nowhere/.env' }), {
      flags: { check: true, ...flags },
      print: (line) => lines.push(line),
    })
    return { text: lines.join('\n'), code: process.exitCode }
  } finally {
    process.exitCode = before
  }
}

const checkJson = async (settings: Record<string, string>) => {
  const { text, code } = await check(settings)
  return { code, ...JSON.parse(text) }
}

const ofName = (checks: { name: string; status: string; message: string }[], name: string) =>
  checks.filter((one) => one.name === name).map(({ status, message }) => `${status}: ${message}`)

async function connected(connection: pg.ClientConfig) {
  const client = new pg.Client(connection)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

test('a database that is up to date: nothing would run, and it says who runs and what waits', async () => {
  const { app, acme } = await startAcme()
  await app.db.query(sql`delete from deliveries`)
  await sendEmail(acme)
  const url = urlOf(await freshDatabase())

  const report = await checkJson({ POSTWREN_DATABASE_URL: url })

  expect(report).toMatchObject({ code: 0, ok: true, version: packageJson.version, migrations: [] })
  expect(report.mail.waiting + report.mail.in_flight).toBe(1)
  expect(report.nodes).toEqual([{ version: packageJson.version, count: expect.any(Number) }])
  expect(ofName(report.checks, 'schema')).toEqual(['ok: Schema: up to date.'])
  expect(ofName(report.checks, 'database')[0]).toMatch(/^ok: Database: PostgreSQL \d+/)
  expect(ofName(report.checks, 'settings')).toEqual(['ok: Settings: valid for this version.'])
})

test('migrations that would run are named, and none runs', async () => {
  const connection = await freshDatabase()
  const client = await connected(connection)
  const names = ['0026_jobs_by_name.sql', '0027_loose_blobs.sql']
  const { rows } = await client.query('delete from schema_migrations where name = any ($1) returning *', [names])
  onTestFinished(async () => {
    for (const { name, checksum, applied_at, is_contraction } of rows)
      await client.query('insert into schema_migrations values ($1, $2, $3, $4)', [
        ...[name, checksum, applied_at, is_contraction],
      ])
  })
  const settings = { POSTWREN_DATABASE_URL: urlOf(connection) }

  const report = await checkJson(settings)
  const { text, code } = await check(settings, {})

  expect(report).toMatchObject({ code: 0, ok: true, migrations: names })
  expect(code).toBe(0)
  expect(text).toMatch(/^✓ Schema: 2 migrations will run/m)
  expect(text).toMatch(/^ {2}0026_jobs_by_name\.sql\n {2}0027_loose_blobs\.sql\nAn upgrade to \S+ can start\./m)
  expect((await client.query('select from schema_migrations where name = any ($1)', [names])).rows).toEqual([])
})

test('a database of a newer program fails', async () => {
  const connection = await freshDatabase()
  const client = await connected(connection)
  await client.query(`insert into schema_migrations (name, checksum, applied_at) values ('9999_future.sql', '', now())`)
  onTestFinished(() => client.query(`delete from schema_migrations where name = '9999_future.sql'`).then(() => {}))

  const report = await checkJson({ POSTWREN_DATABASE_URL: urlOf(connection) })
  const { text, code } = await check({ POSTWREN_DATABASE_URL: urlOf(connection) }, {})

  expect(report).toMatchObject({ code: 1, ok: false })
  expect(ofName(report.checks, 'schema')[0]).toMatch(/^fault: The database was migrated by a newer Postwren/)
  expect(code).toBe(1)
  expect(text).toMatch(/An upgrade to \S+ would fail\. 1 problem found/)
})

test('a database that a newer program has only added to does not', async () => {
  const connection = await freshDatabase()
  const client = await connected(connection)
  await client.query(
    `insert into schema_migrations (name, checksum, applied_at, is_contraction) values ('9998_more.sql', '', now(), false)`,
  )
  onTestFinished(() => client.query(`delete from schema_migrations where name = '9998_more.sql'`).then(() => {}))

  const report = await checkJson({ POSTWREN_DATABASE_URL: urlOf(connection) })

  expect(report).toMatchObject({ code: 0, ok: true, migrations: [] })
  expect(ofName(report.checks, 'schema')[0]).toMatch(/^warning: The database was migrated by a newer Postwren/)
})

test('an empty database stays empty: all migrations would run', async () => {
  const { connection } = inject('postgres')
  const name = `upgrade_${process.pid}_${Math.random().toString(36).slice(2)}`
  const admin = await connected(connection)
  await admin.query(`create database ${name}`)
  onTestFinished(() => admin.query(`drop database ${name} with (force)`).then(() => {}))
  const empty = databaseOn(connection, name)

  const report = await checkJson({ POSTWREN_DATABASE_URL: urlOf(empty) })

  expect(report).toMatchObject({ code: 0, ok: true, mail: null, nodes: [] })
  expect(report.migrations.length).toBeGreaterThan(50)
  const { rows } = await (await connected(empty)).query(
    `select 1 from pg_class where relnamespace = 'public'::regnamespace`,
  )
  expect(rows).toEqual([])
})

test('settings that this version does not know, and values that it does not take, fail, and the rest is looked at', async () => {
  const url = urlOf(await freshDatabase())

  const unknown = await checkJson({ POSTWREN_DATABASE_URL: url, POSTWREN_PROT: '1' })
  const wrong = await checkJson({ POSTWREN_DATABASE_URL: url, POSTWREN_PORT: 'http' })

  expect(unknown).toMatchObject({ code: 1, ok: false, migrations: [] })
  expect(ofName(unknown.checks, 'settings')).toEqual([
    'fault: POSTWREN_PROT is not a setting. Did you mean POSTWREN_PORT?',
  ])
  expect(wrong).toMatchObject({ code: 1, ok: false, migrations: null })
})

test('a database that does not answer, and an embedded one of another major version, fail', async () => {
  const away = await checkJson({ POSTWREN_DATABASE_URL: 'postgres://127.0.0.1:1/nowhere' })
  const dataDir = folder()
  const { mkdirSync } = await import('node:fs')
  mkdirSync(join(dataDir, 'postgres'))
  writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '9\n')
  const old = await checkJson({ POSTWREN_DATA_DIR: dataDir })

  expect(away).toMatchObject({ code: 1, ok: false, migrations: null })
  expect(ofName(away.checks, 'database')[0]).toMatch(/^fault: The database cannot be used/)
  expect(old).toMatchObject({ code: 1, ok: false })
  expect(ofName(old.checks, 'database')[0]).toMatch(/was created by PostgreSQL 9/)
})

test('without --check it says how to upgrade', async () => {
  await expect(check({}, { check: false })).rejects.toThrow(/^Usage: postwren upgrade --check/)
})

import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dumpSchema } from '../../../../scripts/schema-dump.ts'
import {
  connectTo,
  contentOf,
  emptyInstallation,
  emptyTables,
  filesOf,
  finishRestore,
  installationOf,
  makeBackup,
  restoreBackup,
  scratchFolder,
  verifyBackup,
} from '../../../../test/harness/backups.ts'
import { blobsOf, sendEmail, startAcme } from '../../../../test/harness/emails.ts'
import { makeWorld } from '../../../../test/harness/world.ts'
import { sweepBlobs } from '../../../kernel/blobs/loose-blobs.ts'
import { tryBackupLock } from '../../../kernel/db/backup-lock.ts'
import { listTables } from '../../../kernel/db/catalog.ts'
import { migrateWithin } from '../../../kernel/db/migrate.ts'
import { schemaState } from '../../../kernel/db/schema-state.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { hours } from '../../../kernel/jobs/job.ts'
import { ensureRecurring } from '../../../kernel/jobs/queries.ts'
import { systemClock } from '../../../platform/clock.ts'

/** Written by the restore, or of the processes of one installation. */
const OF_THE_INSTALLATION = ['nodes', 'restored_backups', 'schema_migrations']

const FILE = { filename: 'a.txt', content: 'aGVsbG8=' }

async function startWorld({ isWhole = false } = {}) {
  await emptyTables()
  const { app, acme } = await startAcme()
  if (isWhole) await makeWorld(acme, app)
  await sendEmail(acme, { attachments: [FILE], text: 'Tab\tnew line\nbackslash \\ and \\N, ünïcödé 💌' })
  await app.flush()
  return { app, acme, source: await installationOf(app), folder: scratchFolder() }
}

const blobsIn = (dataDir: string) =>
  readdirSync(join(dataDir, 'blobs'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())

test('what is restored is what was backed up: rows, schema, sequences, blobs, the secret key', async () => {
  const { app, source, folder } = await startWorld({ isWhole: true })
  const target = await emptyInstallation()

  const made = await makeBackup(source, folder)
  const restored = await restoreBackup(target, folder)

  const [before, after] = [
    await connectTo(source.POSTWREN_DATABASE_URL!),
    await connectTo(target.POSTWREN_DATABASE_URL!),
  ]
  const [rows, rowsAfter] = [await contentOf(before), await contentOf(after)]
  for (const table of Object.keys(rows).filter((name) => !OF_THE_INSTALLATION.includes(name)))
    expect(rowsAfter[table], table).toEqual(rows[table])
  expect(Object.values(rows).filter((lines) => lines.length > 0).length).toBeGreaterThan(50)
  expect(await dumpSchema(after)).toBe(await dumpSchema(before))
  const sequences = 'select sequencename, last_value from pg_sequences order by 1'
  expect((await after.query(sequences)).rows).toEqual((await before.query(sequences)).rows)
  const dataDir = target.POSTWREN_DATA_DIR!
  // What was exported of a person is there for a day, and in no backup.
  const kept = blobsOf(app).filter(({ name }) => !name.startsWith('personal-data_'))
  expect(
    blobsIn(dataDir)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(expect.arrayContaining(kept.map(({ name }) => name)))
  expect(readFileSync(join(dataDir, 'secret-key'), 'utf8').trim()).toBe(source.POSTWREN_SECRET_KEY)
  expect(readFileSync(join(dataDir, 'restored-settings.env'), 'utf8')).toContain(
    `POSTWREN_SECRET_KEY=${source.POSTWREN_SECRET_KEY}`,
  )
  expect(restored).toMatchObject({ name: made.name, hold: 'on', rows: made.rows, waiting: { broadcasts: 1 } })
  expect(restored.waiting.recipients).toBeGreaterThan(0)
})

test('nothing that is on the disk can be read without the passphrase, or by anybody else', async () => {
  const { source, folder } = await startWorld()

  await makeBackup(source, folder)

  const paths = filesOf(folder).filter((path) => statSync(path).isFile())
  for (const path of paths) {
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const text = readFileSync(path, 'latin1')
    expect(text).not.toContain('ada@example.com')
    expect(text).not.toContain(source.POSTWREN_SECRET_KEY)
  }
  expect(statSync(folder).mode & 0o077).toBe(0)
})

test('every table whose rows name blobs is known by the names of its columns', async () => {
  const { app } = await startAcme()
  const client = await connectTo((await installationOf(app)).POSTWREN_DATABASE_URL!)
  const { rows } = await client.query(`
    select distinct tgrelid::regclass::text as name from pg_trigger where tgfoid = 'note_unnamed_blob'::regproc and tgparentid = 0`)
  const found = (await listTables(client)).filter(({ blobColumns }) => blobColumns.length > 0)

  expect(found.map(({ name }) => name).sort()).toEqual(rows.map(({ name }) => name).sort())
  expect(found.length).toBeGreaterThan(4)
})

test('a second backup copies new blobs only, and either can be restored', async () => {
  const { app, acme, source, folder } = await startWorld()
  const first = await makeBackup(source, folder)
  await sendEmail(acme, { attachments: [FILE], subject: 'Since the first' })
  const second = await makeBackup(source, folder)
  const target = await emptyInstallation()

  expect(first.blobs).toMatchObject({ known: 0, missing: 0 })
  expect(second.blobs).toEqual({
    ...first.blobs,
    count: first.blobs.count + 1,
    bytes: first.blobs.bytes + 5,
    known: first.blobs.count,
  })
  expect((await restoreBackup(target, folder, { name: first.name })).name).toBe(first.name)
  expect((await restoreBackup(await emptyInstallation(), folder)).name).toBe(second.name)
  expect(blobsOf(app).length).toBeGreaterThanOrEqual(second.blobs.count)
})

test('a backup that was cut off is cleared away by the next one, which takes over its blobs', async () => {
  const { source, folder } = await startWorld()
  const cut = await makeBackup(source, folder)
  rmSync(join(folder, cut.name, 'manifest.json'))

  await expect(restoreBackup(await emptyInstallation(), folder)).rejects.toThrow('There is no complete backup in ')
  const next = await makeBackup(source, folder)

  expect(existsSync(join(folder, cut.name))).toBe(false)
  expect(next.blobs.known).toBe(cut.blobs.count)
})

test('a blob that the store has lost is named, and neither fails the backup nor the restore', async () => {
  const { app, source, folder } = await startWorld()
  const client = await connectTo(source.POSTWREN_DATABASE_URL!)
  const { rows } = await client.query('select blob from email_attachments limit 1')
  const lost = blobsOf(app).find(({ name }) => name === rows[0].blob.replaceAll('/', '_'))!
  rmSync(join(lost.parentPath, lost.name))

  const made = await makeBackup(source, folder)

  expect(made.blobs.missing).toBe(1)
  await restoreBackup(await emptyInstallation(), folder)
  expect((await verifyBackup(source, folder)).blobs.missing).toBe(1)
})

test('while a backup is made no blob is swept, and no second backup begins', async () => {
  const { app, source, folder } = await startWorld()
  const client = await connectTo(source.POSTWREN_DATABASE_URL!)
  await app.services.blobs.put('emails/loose', Buffer.from('x'))
  await app.db.query(sql`insert into loose_blobs (key, noted_at) values ('emails/loose', '2020-01-01')`)
  const sweep = async () => {
    app.clock.advance(hours(1))
    await ensureRecurring(app.db, [sweepBlobs])
    await app.workerFor([sweepBlobs]).runDue()
  }
  expect(await tryBackupLock(client)).toBe(true)

  await sweep()
  expect(await app.services.blobs.get('emails/loose')).not.toBeNull()
  await expect(makeBackup(source, folder)).rejects.toThrow(
    'Another backup, restore or verification of this database is running.',
  )
  await client.query('select pg_advisory_unlock_all()')
  await sweep()

  expect(await app.services.blobs.get('emails/loose')).toBeNull()
})

test('a verification compares every table with what comes back, and leaves no database behind', async () => {
  const { source, folder } = await startWorld()
  await makeBackup(source, folder)

  const verified = await verifyBackup(source, folder)

  const client = await connectTo(source.POSTWREN_DATABASE_URL!)
  const { rows } = await client.query(
    `select datname from pg_database where starts_with(datname, 'verify_of_postwren_')`,
  )
  expect(verified.is_same).toBe(true)
  expect(verified.tables.every(({ is_same }: { is_same: boolean }) => is_same)).toBe(true)
  expect(verified.tables.find(({ name }: { name: string }) => name === 'emails').rows_restored).toBeGreaterThan(0)
  expect(rows).toEqual([])
})

test('a restored database is on hold until the operator finishes the restore', async () => {
  const { source, folder } = await startWorld()
  await makeBackup(source, folder)
  const target = await emptyInstallation()
  await restoreBackup(target, folder)
  const client = await connectTo(target.POSTWREN_DATABASE_URL!)
  const marks = async () => (await client.query('select * from restored_backups')).rowCount

  expect(await marks()).toBe(1)
  expect(await finishRestore(target)).toMatch(/^The restore of .* is finished\. Mail to \d+ recipients /)
  expect(await marks()).toBe(0)
  expect(await finishRestore(target)).toBe('There is no restore to finish: nothing is on hold because of one.')
})

test('a backup from before the last migration is restored and migrated', async () => {
  const { source } = await startWorld()
  const [old, target, folder] = [await emptyInstallation(), await emptyInstallation(), scratchFolder()]
  const all = schemaState([]).missing
  const before = all.filter(({ name }) => name < '0086')
  const client = await connectTo(old.POSTWREN_DATABASE_URL!)
  await client.query('begin')
  await migrateWithin(client, before, systemClock)
  await client.query(`insert into teams (id, name, created_at) values (gen_random_uuid(), 'old', '2026-01-01')`)
  await client.query('commit')
  const settings = { ...old, POSTWREN_SECRET_KEY: source.POSTWREN_SECRET_KEY! }

  await makeBackup(settings, folder)
  await restoreBackup(target, folder)

  const restored = await connectTo(target.POSTWREN_DATABASE_URL!)
  expect((await restored.query('select name from teams')).rows).toEqual([{ name: 'old' }])
  expect((await restored.query('select count(*)::int as count from schema_migrations')).rows[0].count).toBe(all.length)
  expect((await restored.query('select from restored_backups')).rowCount).toBe(1)
  // Nothing of it has changed by being backed up.
  expect((await client.query('select count(*)::int as count from schema_migrations')).rows[0].count).toBe(before.length)
})

test('a database that `migrate` has prepared counts as empty', async () => {
  const { source, folder } = await startWorld()
  await makeBackup(source, folder)
  const target = await emptyInstallation()
  const client = await connectTo(target.POSTWREN_DATABASE_URL!)
  await client.query('begin')
  await migrateWithin(client, schemaState([]).missing, systemClock)
  await client.query('commit')

  expect((await restoreBackup(target, folder)).hold).toBe('on')
})

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { type App, startApp } from '../../../test/harness/app.ts'
import { archivingProcesses } from '../../../test/harness/archiving-process.ts'
import { fillDays, passDays } from '../../../test/harness/filled-periods.ts'
import { temporaryFolder } from '../../../test/harness/installation.ts'
import { sweepBlobs } from '../../kernel/blobs/loose-blobs.ts'
import { raw, sql } from '../../kernel/db/sql.ts'
import { ensureRecurring } from '../../kernel/jobs/queries.ts'
import { findPartitions, type Partition } from '../../kernel/partitions/catalog.ts'
import { PARTITIONED_TABLES } from '../../kernel/partitions/tables.ts'
import { writeOwnPeriods } from '../../kernel/retention/team-periods.ts'
import { packBodies } from '../../mail/packed-bodies.ts'
import { sweepEmails } from '../messages/retention.ts'
import { findExpired } from './cutoffs.ts'
import { dropOldPeriods } from './jobs.ts'

const DAY = 86_400
/** Days that are filled, and how many of them are kept. */
const DAYS = 25
const KEPT = 7
const PER_DAY = 20

const drop = (app: App) => dropOldPeriods.run({}, { ...app.services, signal: new AbortController().signal })

/** Each begins where the one before it ends. */
const requireNoGap = (partitions: readonly Partition[]) =>
  expect(partitions.slice(1).map(({ from }) => from)).toEqual(partitions.slice(0, -1).map(({ to }) => to))

const countOf = async (app: App, table: string, team: string) =>
  (
    await app.db.query<{ count: number }>(sql`select count(*)::int as count from ${raw(table)} where team_id = ${team}`)
  )[0]!.count

const bytesOf = async (app: App) =>
  (
    await app.db.query<{ bytes: number }>(sql`
      select sum(pg_total_relation_size(c.oid))::float8 as bytes from pg_class c where c.relkind = 'r'
        and c.relname ~ '^(emails|email_bodies|settled_deliveries|metric_facts|received_|outbox|request_logs)'`)
  )[0]!.bytes

const TABLES = [
  'emails',
  'email_bodies',
  'deliveries',
  'metric_facts',
  'received_emails',
  'received_raws',
  'outbox',
  'request_logs',
]

let passed = 0

async function start(settings: Record<string, string> = {}, days = DAYS) {
  const app = await startApp({
    ...{ POSTWREN_RETENTION_EMAILS: `${KEPT}d`, POSTWREN_RETENTION_RECEIVED: `${KEPT}d` },
    ...{ POSTWREN_RETENTION_EVENTS: `${KEPT}d`, POSTWREN_RETENTION_LOGS: `${KEPT}d` },
    ...settings,
  })
  // The tests have one database, and what one of them has dropped is gone: each begins where the one before it has ended.
  app.clock.advance(passed * DAY)
  await passDays(app, days)
  passed += days
  const acme = await app.as('acme')
  return { app, acme }
}

test('what is archived can be read by others, row by row as it was', async () => {
  const { app, acme } = await start({ POSTWREN_RETENTION_ARCHIVE: 'parquet' })
  await fillDays(app, acme.team, { days: DAYS, perDay: PER_DAY })
  const cutoff = new Date(app.clock.now().getTime() - (DAYS - 7) * DAY * 1_000)
  const expected = await app.db.query(sql`
    select id::text, subject, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') as at from emails
    where team_id = ${acme.team} and created_at < ${cutoff} order by id`)
  const [raws] = await app.db.query<{ raw: string }>(sql`
    select encode(raw, 'hex') as raw from received_raws where team_id = ${acme.team} limit 1`)
  const letter = { html: `<p>${'Hello, Ada. '.repeat(30)}</p>`, text: 'Hello, Ada. '.repeat(30) }
  const [packed] = await app.db.query<{ id: string }>(sql.write`
    update email_bodies set html = null, content = ${packBodies(letter)}
    where email_id = (select min(id::text)::uuid from emails where team_id = ${acme.team}) returning email_id::text as id`)

  await drop(app)

  const connection = await (await DuckDBInstance.create()).connect()
  const files = (table: string) => `read_parquet('${join(app.folder, 'archive', table, '*', '*.parquet')}')`
  const read = async (statement: string) => (await connection.runAndReadAll(statement)).getRowObjectsJson()
  const archived = await read(`
    select id::text as id, subject, strftime(created_at, '%Y-%m-%d %H:%M:%S.%g') as "at" from ${files('emails')}
    where team_id = '${acme.team}' and created_at < timestamp '${cutoff.toISOString().slice(0, -1)}' order by id`)
  expect(archived).toEqual(expected)
  expect(await read(`select distinct lower(hex(raw)) as raw from ${files('received-raws')}`)).toEqual([raws])
  expect(await read(`select distinct data from ${files('outbox')} where team_id = '${acme.team}'`)).toEqual([
    { data: '{"a": "ü"}' },
  ])
  expect(await read(`select html, text from ${files('email-bodies')} where email_id = '${packed!.id}'`)).toEqual([
    letter,
  ])
  const [names] = await read(`select * from ${files('email-bodies')} limit 1`)
  expect(Object.keys(names!)).toEqual(['team_id', 'email_id', 'html', 'text'])
  expect(await countOf(app, 'emails', acme.team)).toBeLessThan((KEPT + 8) * PER_DAY)
})

test('periods that are past their time for all teams go, with all that names their rows', async () => {
  const { app, acme } = await start()
  await fillDays(app, acme.team, { days: DAYS, perDay: PER_DAY })
  const key = `attachments/${acme.team}`
  await app.services.blobs.put(key, Buffer.from('old'))
  const [oldest] = await app.db.query<{ id: string }>(
    sql`select id from emails where team_id = ${acme.team} order by id limit 1`,
  )
  await app.db.query(sql`
    insert into email_attachments (team_id, id, email_id, filename, content_type, size, blob, created_at)
    values (${acme.team}, ${oldest!.id}, ${oldest!.id}, 'a', 'text/plain', 3, ${key}, now())`)

  await drop(app)

  for (const table of TABLES) {
    const days = (await countOf(app, table, acme.team)) / PER_DAY
    const unit = ['outbox', 'request_logs'].includes(table) ? 1 : 7
    expect([table, days >= KEPT && days <= KEPT + 1 + unit]).toEqual([table, true])
  }
  expect(await countOf(app, 'email_documents', acme.team)).toBe(await countOf(app, 'emails', acme.team))
  expect(await countOf(app, 'message_marks', acme.team)).toBe(await countOf(app, 'emails', acme.team))
  expect((await acme.get(`/emails/${oldest!.id}`)).status).toBe(404)
  expect((await acme.get('/emails?limit=100')).body).toMatchObject({ has_more: true })
  await ensureRecurring(app.db, [sweepBlobs])
  app.clock.advance(2 * DAY)
  await app.runDueJobs()
  expect(await app.services.blobs.get(key)).toBeNull()
})

test('a team that keeps mail longer keeps its periods, and the rows of others go one by one', async () => {
  const { app, acme } = await start()
  const globex = await app.as('globex')
  await writeOwnPeriods(app.db, globex.team, { by: 'operator', changes: { emails: 2 * KEPT * DAY } })
  for (const { team } of [acme, globex]) await fillDays(app, team, { days: DAYS, perDay: PER_DAY })

  await drop(app)
  const kept = await Promise.all([acme, globex].map(({ team }) => countOf(app, 'emails', team)))
  await ensureRecurring(app.db, [sweepEmails])
  await app.runDueJobs()

  const left = await Promise.all([acme, globex].map(({ team }) => countOf(app, 'emails', team)))
  expect(kept.map((count) => count / PER_DAY >= 2 * KEPT && count / PER_DAY <= 2 * KEPT + 8)).toEqual([true, true])
  expect([left[0]! / PER_DAY <= KEPT + 8, left[1]! / PER_DAY]).toEqual([true, 2 * KEPT])
  expect(await countOf(app, 'email_bodies', acme.team)).toBe(left[0])
  await writeOwnPeriods(app.db, globex.team, { by: 'operator', changes: { emails: null } })
})

test('mail that waits keeps its own period, and so does an event that somebody has to deal with', async () => {
  const { app, acme } = await start()
  await fillDays(app, acme.team, { days: DAYS, perDay: PER_DAY })
  const [oldest] = await app.db.query<{ id: string }>(
    sql`select id from emails where team_id = ${acme.team} order by id limit 1`,
  )
  await app.db.query(sql`
    update deliveries set state = 'waiting', settled_at = null, suspended_at = now() where team_id = ${acme.team} and email_id = ${oldest!.id}`)
  await app.db.query(sql`insert into webhook_fan_outs (team_id, event_id) values (${acme.team}, ${oldest!.id})`)

  await drop(app)

  const days = async (table: string) => (await countOf(app, table, acme.team)) / PER_DAY
  expect(await app.db.query(sql`select from emails where id = ${oldest!.id}`)).toHaveLength(1)
  for (const [table, unit] of [
    ['emails', 7],
    ['email_bodies', 7],
    ['settled_deliveries', 7],
    ['outbox', 1],
  ] as const)
    expect([table, (await days(table)) <= KEPT + 1 + 2 * unit]).toEqual([table, true])
  expect((await findExpired(app.db, app.services.config, 'emails')).held).toMatchObject([{ team: acme.team }])
  for (const table of PARTITIONED_TABLES) requireNoGap(await findPartitions(app.db, table))
  await app.db.query(sql`delete from webhook_fan_outs`)
  await app.db.query(sql`delete from deliveries where state = 'waiting'`)
  await drop(app)

  expect(await app.db.query(sql`select from emails where id = ${oldest!.id}`)).toEqual([])
  for (const table of PARTITIONED_TABLES) {
    const partitions = await findPartitions(app.db, table)
    requireNoGap(partitions)
    expect(partitions.filter(({ name }) => name.startsWith(`${table.name}_gone`)).length).toBeLessThan(2)
  }
})

test('half a year of mail, 90 days kept: the disk has the rest back, in proportion', async () => {
  const [days, kept, perDay] = [26 * 7, 90, 60]
  const all = Object.fromEntries(
    ['EMAILS', 'RECEIVED', 'EVENTS', 'LOGS'].map((of) => [`POSTWREN_RETENTION_${of}`, `${kept}d`]),
  )
  const { app, acme } = await start(all, days)
  await fillDays(app, acme.team, { days, perDay })
  const before = await bytesOf(app)

  await drop(app)

  const share = (await bytesOf(app)) / before
  const emails = (await countOf(app, 'emails', acme.team)) / perDay
  expect([emails >= kept, emails <= kept + 7]).toEqual([true, true])
  // Up to a week more than 90 of 182 days, and the empty periods ahead.
  expect(share).toBeLessThan((kept + 7) / days + 0.08)
  expect(share).toBeGreaterThan(0.3)
}, 300_000)

test('a process that is killed while it archives loses nothing: what it had not written down is there, and is archived by the next', async () => {
  const settings = {
    ...{ POSTWREN_RETENTION_EMAILS: `${KEPT}d`, POSTWREN_RETENTION_ARCHIVE: 'parquet' },
    POSTWREN_DATA_DIR: temporaryFolder(),
  }
  const { app, acme } = await start(settings)
  await fillDays(app, acme.team, { days: DAYS, perDay: PER_DAY })
  const ids = async () =>
    (await app.db.query<{ id: string }>(sql`select id from emails where team_id = ${acme.team} order by id`)).map(
      ({ id }) => id,
    )
  const connection = await (await DuckDBInstance.create()).connect()
  /** Of periods whose manifest is there: what has none counts for nothing. */
  const archivedIds = async () => {
    const folder = join(app.folder, 'archive', 'emails')
    const periods = existsSync(folder)
      ? readdirSync(folder).filter((name) => existsSync(join(folder, name, 'manifest.json')))
      : []
    const files = periods.flatMap((name) => JSON.parse(readFileSync(join(folder, name, 'manifest.json'), 'utf8')).files)
    if (files.length === 0) return []
    const paths = files.map(({ key }: { key: string }) => `'${join(app.folder, key)}'`).join(', ')
    const read = await connection.runAndReadAll(
      `select id::text as id from read_parquet([${paths}]) where team_id = '${acme.team}'`,
    )
    return read.getRowObjectsJson().map(({ id }) => id as string)
  }
  const before = await ids()
  const archiving = await archivingProcesses(app, settings)

  // Before the first file, between a file and its manifest, behind the manifest and before the partition goes, and in the next period.
  for (const stop of [
    { put: 1, isBehind: false },
    { put: 1, isBehind: true },
    { put: 2, isBehind: true },
    { put: 3, isBehind: true },
  ]) {
    expect(await archiving.killAt(stop)).toMatch(/^stopped at archive\//)
    expect([...new Set([...(await ids()), ...(await archivedIds())])].sort()).toEqual(before)
  }
  await drop(app)

  const [left, archived] = [await ids(), await archivedIds()]
  expect([...left, ...archived].sort()).toEqual(before)
  // What is kept, the week that this begins in, and today.
  expect(left.length).toBeLessThan((KEPT + 8) * PER_DAY)
  const names = readdirSync(join(app.folder, 'archive'), { recursive: true }) as string[]
  expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([])
  expect(readdirSync(join(settings.POSTWREN_DATA_DIR, 'tmp'))).toEqual([])
}, 300_000)

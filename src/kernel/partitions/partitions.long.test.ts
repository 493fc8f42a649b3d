import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import type { App } from '../../../test/harness/app.ts'
import { freshDatabase } from '../../../test/harness/database.ts'
import { DatabaseProxy } from '../../../test/harness/database-proxy.ts'
import { startAcme } from '../../../test/harness/emails.ts'
import { systemClock } from '../../platform/clock.ts'
import { DatabaseAway } from '../../platform/database-errors.ts'
import { newId } from '../../platform/ids.ts'
import { Database } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { findPartitions, type Partition } from './catalog.ts'
import { dropPeriods } from './drop.ts'
import { makePartitions } from './make.ts'
import { rangesOf } from './ranges.ts'
import {
  boundAt,
  momentOfBound,
  nextPeriod,
  PARTITIONED_TABLES,
  type PartitionedTable,
  PERIODS_AHEAD,
  periodStart,
} from './tables.ts'

const DAY = 24 * 3_600
const LOGS = PARTITIONED_TABLES.find(({ name }) => name === 'request_logs')!

const partitionsOf = ({ db }: App, table: PartitionedTable) => findPartitions(db, table)

/** Each begins where the one before it ends, from no bound at all to none. */
function requireNoGap(table: PartitionedTable, partitions: readonly Partition[]) {
  const ends = partitions.map(({ to }) => to)
  expect(partitions.slice(1).map(({ from }) => from)).toEqual(ends.slice(0, -1))
  if (!table.within) expect([partitions[0]!.from, ends.at(-1)]).toEqual([null, null])
}

const insertLog = (app: App, team: string, id: string) =>
  app.db.query(sql.write`
    insert into request_logs (team_id, id, method, endpoint, response_status, created_at)
    values (${team}, ${id}, 'GET', '/emails', 200, ${app.clock.now()})`)

const whereLogIs = async (app: App, id: string) => {
  const [row] = await app.db.query<{ name: string }>(sql`
    select tableoid::regclass::text as name from request_logs where id = ${id}`)
  return row?.name
}

/** Tests of this file share a database, and each goes on from the time at which the last one ended. */
let elapsed = 0

async function startLater() {
  const acme = await startAcme()
  acme.app.clock.advance(elapsed)
  const advance = (seconds: number) => {
    elapsed += seconds
    acme.app.clock.advance(seconds)
  }
  return { ...acme, advance }
}

test('periods are made ahead of time, and every id has a place', async () => {
  const { app } = await startLater()

  await makePartitions(app.db)
  await makePartitions(app.db)

  for (const table of PARTITIONED_TABLES) {
    const partitions = await partitionsOf(app, table)
    requireNoGap(table, partitions)
    const end = nextPeriod(table.unit, periodStart(table.unit, app.clock.now()), PERIODS_AHEAD + 1)
    expect(partitions.find(({ name }) => name === `${table.name}_later`)!.from).toBe(boundAt(end))
    expect(partitions.filter(({ name }) => /_p\d{8}$/.test(name)).length).toBeGreaterThan(PERIODS_AHEAD)
  }
})

test('rows that came while nobody made periods stay where they are, and in time there are periods again', async () => {
  const { app, advance } = await startLater()
  await makePartitions(app.db)
  advance(30 * DAY)
  const team = newId(app.clock)
  const late = newId(app.clock)
  await insertLog(app, team, late)
  expect(await whereLogIs(app, late)).toBe('request_logs_later')

  await makePartitions(app.db)

  expect(await whereLogIs(app, late)).toMatch(/^request_logs_p\d{8}$/)
  requireNoGap(LOGS, await partitionsOf(app, LOGS))
  advance(3 * DAY)
  const next = newId(app.clock)
  await insertLog(app, team, next)
  expect(await whereLogIs(app, next)).toMatch(/^request_logs_p\d{8}$/)
  expect(await whereLogIs(app, next)).not.toBe(await whereLogIs(app, late))
})

test('a partition is made as the others: their settings, indexes, and no bound but its own', async () => {
  const { app, advance } = await startLater()

  await makePartitions(app.db)
  advance(8 * DAY)
  await makePartitions(app.db)

  const shapeOf = (names: string) =>
    app.db.query(sql`
      select distinct c.reloptions::text, (
          select array_agg(regexp_replace(pg_get_indexdef(i.indexrelid), '.* USING', '') order by regexp_replace(pg_get_indexdef(i.indexrelid), '.* USING', '')) from pg_index i where i.indrelid = c.oid) as indexes,
        (select array_agg(pg_get_constraintdef(k.oid) order by pg_get_constraintdef(k.oid)) from pg_constraint k where k.conrelid = c.oid and k.contype = 'c') as checks
      from pg_class c where c.relname ~ ${names} and c.relkind = 'r'`)
  for (const table of PARTITIONED_TABLES)
    expect(await shapeOf(`^${table.name}_(p\\d{8}|later|before|sandboxes)$`), table.name).toHaveLength(1)
})

test('what was cut off is carried on', async () => {
  const { app, advance } = await startLater()
  await makePartitions(app.db)
  advance(10 * DAY)
  await app.db.queryPooled(sql`alter table request_logs detach partition request_logs_later concurrently`)

  await makePartitions(app.db)

  requireNoGap(LOGS, await partitionsOf(app, LOGS))
})

test('a row that came while the last partition was detached keeps nobody from making periods', async () => {
  const { app, advance } = await startLater()
  await makePartitions(app.db)
  advance(10 * DAY)
  const [team, late] = [newId(app.clock), newId(app.clock)]
  await insertLog(app, team, late)
  expect(await whereLogIs(app, late)).toBe('request_logs_later')
  await app.db.queryPooled(sql`alter table request_logs detach partition request_logs_later concurrently`)

  await makePartitions(app.db)

  expect(await whereLogIs(app, late)).toMatch(/^request_logs_p\d{8}$/)
  requireNoGap(LOGS, await partitionsOf(app, LOGS))
})

test('while the database is away, that is all that is said', async () => {
  const proxy = await DatabaseProxy.start(await freshDatabase())
  const db = Database.connect(proxy.config, { clock: systemClock })
  onTestFinished(() => db.close())
  proxy.refuse()

  await expect(makePartitions(db)).rejects.toBeInstanceOf(DatabaseAway)
})

test('a table whose periods cannot be made keeps no other from its own', async () => {
  const { app, advance } = await startLater()
  await makePartitions(app.db)
  advance(10 * DAY)
  const other = new pg.Client(await freshDatabase())
  onTestFinished(() => other.end())
  await other.connect()
  await other.query('alter table outbox rename to outbox_away')

  await expect(makePartitions(app.db)).rejects.toThrow(/^partitions: no periods were made of outbox: [^;]*$/)
  await other.query('alter table outbox_away rename to outbox')
  const end = boundAt(nextPeriod('day', periodStart('day', app.clock.now()), PERIODS_AHEAD + 1))
  const later = (await partitionsOf(app, LOGS)).find(({ name }) => name === 'request_logs_later')

  expect(later!.from).toBe(end)
})

test('old partitions go as a whole, their blobs are nobody’s, and late rows of theirs have a place', async () => {
  const { app, acme, advance } = await startLater()
  await makePartitions(app.db)
  advance(8 * DAY)
  const content = Buffer.from('x'.repeat(100_000)).toString('base64')
  const { body } = await acme.post('/emails', {
    ...{ from: 'hello@acme.dev', to: 'ada@one.dev', subject: 'Hello', text: 'Hello' },
    attachments: [{ filename: 'a.txt', content }],
  })
  const [blob] = await app.db.query<{ key: string }>(
    sql`select blob as key from email_attachments where email_id = ${body.id}`,
  )
  advance(30 * DAY)
  await makePartitions(app.db)
  const end = boundAt(app.clock.now())

  await dropPeriods(app.db, 'emails', { kept: [], end })
  await dropPeriods(app.db, 'bodies', { kept: [], end })
  await dropPeriods(app.db, 'bodies', { kept: [], end })

  expect((await acme.get(`/emails/${body.id}`)).status).toBe(404)
  expect(await app.db.query(sql`select key from loose_blobs where key = ${blob!.key}`)).toHaveLength(1)
  for (const table of PARTITIONED_TABLES) requireNoGap(table, await partitionsOf(app, table))
  await app.db.query(sql.write`
    insert into email_bodies (team_id, email_id, text) values (${acme.team}, ${body.id}, 'late')`)
  const [late] = await app.db.query(
    sql`select tableoid::regclass::text as name from email_bodies where email_id = ${body.id}`,
  )
  expect(late).toEqual({ name: 'email_bodies_gone' })
})

test('an email that is settled leaves the queue', async () => {
  const { app, acme, advance } = await startLater()
  await makePartitions(app.db)
  advance(8 * DAY)
  const { body } = await acme.post('/emails', {
    from: 'hello@acme.dev',
    to: 'ada@one.dev',
    subject: 'Hello',
    text: 'Hello',
  })
  const whereItIs = async () => {
    const [row] = await app.db.query<{ name: string }>(sql`
      select tableoid::regclass::text as name from deliveries where team_id = ${acme.team} and email_id = ${body.id}`)
    return row!.name
  }
  const queued = await whereItIs()

  await app.deliverDue()

  expect(queued).toBe('waiting_deliveries')
  expect(await whereItIs()).toMatch(/^settled_deliveries_p\d{8}$/)
})

test('with an id of the future old rows go one by one, and what is archived waits no longer than its period', async () => {
  const { app, advance } = await startLater()
  await makePartitions(app.db)
  advance(10 * DAY)
  const begin = app.clock.now()
  await insertLog(app, newId(app.clock), newId({ now: () => new Date(begin.getTime() + 200 * DAY * 1_000) } as never))
  await makePartitions(app.db)
  const ranges = async (days: number, archive: 'off' | 'parquet') => {
    const moment = new Date(begin.getTime() + days * DAY * 1_000)
    const all = await rangesOf('request_logs')(app.db, moment, { ...app.services.config, RETENTION_ARCHIVE: archive })
    return all
      .filter(({ to }) => to !== null)
      .map(({ from, to }) => [from === null ? null : momentOfBound(from), momentOfBound(to!)])
  }
  const isLong = ([from, to]: (Date | null)[]) => from !== null && to!.getTime() - from!.getTime() > 100 * DAY * 1_000

  expect((await ranges(2, 'off')).some(isLong)).toBe(true)
  expect((await ranges(2, 'parquet')).some(isLong)).toBe(true)
  expect((await ranges(-60, 'off')).some(isLong)).toBe(false)
  // What was there before the periods goes as a whole, unless it is held up.
  expect((await ranges(-1_000, 'off')).map(([from]) => from)).toEqual([null])
  expect(await ranges(-1_000, 'parquet')).toEqual([])
  expect((await ranges(2, 'parquet')).some(([from]) => from === null)).toBe(true)
})

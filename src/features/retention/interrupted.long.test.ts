import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { type App, startApp } from '../../../test/harness/app.ts'
import { freshDatabase } from '../../../test/harness/database.ts'
import { fillDays, passDays } from '../../../test/harness/filled-periods.ts'
import { readKinds } from '../../app/commands/export/catalogue.ts'
import { listTables } from '../../kernel/db/catalog.ts'
import { raw, sql } from '../../kernel/db/sql.ts'
import { findDetached, findPartitions } from '../../kernel/partitions/catalog.ts'
import type { Blocked } from '../../kernel/partitions/detach.ts'
import { dropPeriods } from '../../kernel/partitions/drop.ts'
import { keptWithout } from '../../kernel/partitions/periods.ts'
import { boundAt, type Cut, firstTable, isPeriod, momentOfBound, tablesOf } from '../../kernel/partitions/tables.ts'
import { newId } from '../../platform/ids.ts'
import { readSearchedTables } from '../personal-data/tables/catalogue.ts'
import { findExpired } from './cutoffs.ts'
import { dropOldPeriods } from './jobs.ts'

const DAY = 86_400
const DAYS = 12
const KEPT = 5

const drop = (app: App) => dropOldPeriods.run({}, { ...app.services, signal: new AbortController().signal })

const droppable = async (app: App, cut: Cut) =>
  (await findExpired(app.db, app.services.config, cut)).droppable.filter(({ name }) => isPeriod(firstTable(cut), name))

let passed = 0

async function start() {
  const app = await startApp({ POSTWREN_RETENTION_EVENTS: `${KEPT}d`, POSTWREN_RETENTION_BODIES: `${KEPT}d` })
  // The tests have one database: each begins where the one before it has ended.
  app.clock.advance(passed * DAY)
  await passDays(app, DAYS)
  passed += DAYS
  const acme = await app.as('acme')
  await fillDays(app, acme.team, { days: DAYS, perDay: 2 })
  return { app, acme }
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client(await freshDatabase())
  onTestFinished(() => client.end())
  await client.connect()
  return client
}

/** Detaching it is cut off between its two steps. */
async function leavePending(table: string, partition: string) {
  const [other, own] = [await connect(), await connect()]
  await other.query(`begin; select 1 from ${table} limit 1`)
  await own.query(`set lock_timeout = '50ms'`)
  await expect(own.query(`alter table ${table} detach partition ${partition} concurrently`)).rejects.toThrow('lock')
  await other.query('rollback')
}

/** Nothing is left of periods that are over, and every id has a place. */
async function requireDone(app: App, cut: 'events' | 'bodies') {
  const stay = await keptWithout(app.db, cut, [])
  const first = stay.find(({ from }) => from !== null)!.from!
  for (const table of tablesOf(cut)) {
    const partitions = await findPartitions(app.db, table)
    expect(partitions.slice(1).map(({ from }) => from)).toEqual(partitions.slice(0, -1).map(({ to }) => to))
    expect(partitions.filter(({ name, to }) => isPeriod(table, name) && to! <= first)).toEqual([])
    expect(partitions.filter(({ isDetaching }) => isDetaching)).toEqual([])
    expect(await findDetached(app.db, table)).toEqual([])
  }
}

test('a run that was cut off is carried on by the next one, wherever it ended', async () => {
  const { app, acme } = await start()
  const periods = await droppable(app, 'events')
  expect(periods.length).toBeGreaterThan(5)
  for (const [index, { name }] of periods.entries()) {
    if (index === periods.length - 1) await leavePending('outbox', name)
    else await app.db.queryPooled(sql`${raw(`alter table outbox detach partition ${name} concurrently`)}`)
    if (index % 2 === 0 && index < periods.length - 1) await app.db.query(sql`${raw(`drop table ${name}`)}`)
  }

  await drop(app)

  await requireDone(app, 'events')
  const late = periods[0]!.from.replace(/0{4}-0{4}-0{12}$/, '7000-8000-000000000001')
  await app.db.query(sql`
    insert into webhook_attempts (team_id, webhook_id, id, event_id, sent_at, duration_ms, error)
    values (${acme.team}, ${acme.team}, ${newId(app.clock)}, ${late}, now(), 1, 'late')`)
})

test('contents go with their emails, also when only the emails went', async () => {
  const { app } = await start()
  const periods = await droppable(app, 'bodies')
  const emails = await findPartitions(app.db, firstTable('emails'))
  const old = emails.filter(({ from }) => periods.some((period) => period.from === from))
  expect(old.length).toBeGreaterThan(0)
  for (const { name } of old) {
    await app.db.queryPooled(sql`${raw(`alter table emails detach partition ${name} concurrently`)}`)
    await app.db.query(sql`${raw(`drop table ${name}`)}`)
  }
  // Everything is kept for ever.
  await dropOldPeriods.run(
    {},
    {
      ...app.services,
      config: { ...app.services.config, RETENTION_BODIES: Number.POSITIVE_INFINITY },
      signal: new AbortController().signal,
    },
  )

  await requireDone(app, 'bodies')
  for (const table of tablesOf('emails')) expect(await findDetached(app.db, table)).toEqual([])
  const bodies = await findPartitions(app.db, firstTable('bodies'))
  expect(bodies.filter(({ name }) => old.some((one) => one.name.replace('emails', 'email_bodies') === name))).toEqual(
    [],
  )
})

test('what was there before the periods goes as a whole, too, once nobody keeps any of it', async () => {
  const { app, acme } = await start()
  const [before] = await findPartitions(app.db, firstTable('emails'))
  const ago = app.clock.now().getTime() - momentOfBound(before!.to!).getTime()
  await fillDays(app, acme.team, { days: Math.ceil(ago / DAY / 1_000) + 5, perDay: 1 })
  const settings = { RETENTION_EMAILS: 2 * DAY, RETENTION_ARCHIVE: 'off' as const }
  const run = () =>
    dropOldPeriods.run(
      {},
      {
        ...app.services,
        config: { ...app.services.config, ...settings },
        signal: new AbortController().signal,
      },
    )
  const count = async (table: string) =>
    (await app.db.query<{ count: number }>(sql`select count(*)::int as count from ${raw(table)}`))[0]!.count
  const tables = ['emails_before', 'email_bodies_before', 'deliveries_before', 'metric_facts_before']
  const counts = () => Promise.all(tables.map(count))
  const filled = await counts()
  await app.db.query(sql`
    update deliveries set state = 'waiting', settled_at = null where email_id = (select min(id::text)::uuid from emails_before)`)

  await run()
  const held = await counts()
  await app.db.query(sql`update deliveries set state = 'delivered', settled_at = due_at where state = 'waiting'`)
  await run()

  expect(filled.every((rows) => rows >= 5)).toBe(true)
  expect(held).toEqual(filled)
  expect(await counts()).toEqual([0, 0, 0, 0])
  await requireDone(app, 'bodies')
  const [again] = await findPartitions(app.db, firstTable('emails'))
  expect(again).toEqual(before)
  expect(await app.db.query(sql`select to_regclass('deliveries_p19700101') as name`)).toEqual([{ name: null }])
  // A row that comes late has a place, and the next email finds everything as it was.
  await app.db.query(sql`
    insert into metric_facts (team_id, email_id, metric, event_id, at)
    select ${acme.team}, '00000000-0000-7000-8000-000000000001', 'opened', '00000000-0000-0000-0000-000000000000', now()`)
  await run()
  expect(await count('metric_facts_before')).toBe(1)
})

test('who has a table open holds up that table alone, and only as long', async () => {
  const { app } = await start()
  const other = await connect()
  await other.query('begin; select 1 from webhook_deliveries limit 1')
  const kept = await keptWithout(app.db, 'events', await droppable(app, 'events'))
  const blocked: Blocked[] = []
  const run = () =>
    dropPeriods(app.db, 'events', {
      ...{ kept, end: boundAt(app.clock.now()), waitMs: 0 },
      blocked: (error) => blocked.push(error),
    })

  await run()
  const left = await findPartitions(app.db, tablesOf('events')[1]!)
  const [first, , last] = await Promise.all(tablesOf('events').map((table) => findPartitions(app.db, table)))
  await other.query('rollback')
  await run()

  expect(blocked).toHaveLength(1)
  expect(blocked[0]!.message).toMatch(/^webhook_deliveries_p\d{8} is in use/)
  expect(blocked[0]!.blockers).toMatchObject([{ state: 'idle in transaction' }])
  expect(left.filter(({ isDetaching }) => isDetaching)).toEqual([])
  expect([first!.length, last!.length].every((length) => length < left.length)).toBe(true)
  await requireDone(app, 'events')
})

test('what follows from dropped periods is done although a later one is in use', async () => {
  const { app } = await start()
  await passDays(app, DAYS)
  passed += DAYS
  const end = boundAt(app.clock.now())
  const periods = await findPartitions(app.db, firstTable('bodies'))
  const [first, second] = periods.filter(({ name, to }) => isPeriod(firstTable('bodies'), name) && to! <= end)
  const other = await connect()
  await other.query(`begin; select 1 from ${second!.name} limit 1`)
  const detached: string[] = []
  const blocked: Blocked[] = []
  const run = () =>
    dropPeriods(app.db, 'bodies', {
      ...{ kept: [], end, waitMs: 0, blocked: (error) => blocked.push(error) },
      detached: async (moment) => void detached.push(moment),
    })

  await run()
  const before = [...detached]
  await other.query('rollback')
  await run()

  expect(blocked.map(({ message }) => message)).toEqual([`${second!.name} is in use by another transaction`])
  expect(before).toContain(first!.to)
  expect(detached.slice(before.length)[0]! >= second!.to!).toBe(true)
  await requireDone(app, 'bodies')
})

test('what follows from dropped periods is done again by the next run, where one was cut off before they were dropped', async () => {
  const { app } = await start()
  const end = boundAt(app.clock.now())
  for (const table of tablesOf('bodies'))
    for (const { name, to } of await findPartitions(app.db, table))
      if (isPeriod(table, name) && to! <= end)
        await app.db.queryPooled(sql`${raw(`alter table ${table.name} detach partition ${name} concurrently`)}`)
  const detached: string[] = []

  await dropPeriods(app.db, 'bodies', { kept: [], end, detached: async (moment) => void detached.push(moment) })

  expect(detached).toEqual(tablesOf('bodies').map(() => end))
  await requireDone(app, 'bodies')
})

test('a period that is detached and not dropped yet is no table of its own', async () => {
  const { app } = await start()
  const client = await connect()
  const lists = async () => ({
    backup: (await listTables(client)).map(({ name }) => name),
    export: (await readKinds(async (text) => (await client.query(text)).rows)).map(({ name }) => name),
  })
  const before = await lists()
  const [period] = await droppable(app, 'bodies')
  await app.db.queryPooled(sql`${raw(`alter table email_bodies detach partition ${period!.name} concurrently`)}`)

  expect(await lists()).toEqual(before)
  // Who looks for a person looks there, too, and sees what is packed.
  const searched = await readSearchedTables(app.db)
  expect(searched.find(({ name }) => name === period!.name)).toMatchObject({ hasPackedBodies: true })
  await drop(app)
  await requireDone(app, 'bodies')
})

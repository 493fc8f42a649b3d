import { describe, expect, test } from 'vitest'
import type { App, Client } from '../../../test/harness/app.ts'
import { readBuffers } from '../../../test/harness/buffers.ts'
import { startAcme } from '../../../test/harness/emails.ts'
import { newId } from '../../../test/harness/ids.ts'
import type { Queryable } from '../../kernel/db/database.ts'
import { join, raw, sql } from '../../kernel/db/sql.ts'
import { backfillSlice, requestBackfill } from './backfill.ts'
import { backfillSums } from './jobs.ts'
import { COUNTS } from './names.ts'
import { readQuestion } from './question.ts'
import { countedIn } from './source.ts'

const END = '2026-02-28T13:20:00Z'
const [ONE, TWO] = [newId(), newId()]

/** Counters of so many days until the end, in each quarter of an hour, of two domains. */
const count = (db: Queryable, team: string, days: number) =>
  db.query(sql`
    insert into metric_counts (team_id, quarter, domain_id, broadcast_id, ${names((name) => name)})
    select ${team}, quarter, domain, ${ONE}, ${names((_name, index) => `extract(epoch from quarter)::bigint / 900 % ${index + 7}`)}
    from generate_series(date_bin('15 minutes', ${END}::timestamptz, 'epoch') - ${days}::int * interval '1 day',
      date_bin('15 minutes', ${END}::timestamptz, 'epoch'), '15 minutes') quarter,
    unnest(${[ONE, TWO]}::uuid[]) domain`)

const names = (of: (name: string, index: number) => string) =>
  join(
    COUNTS.map((name, index) => raw(of(name, index))),
    ', ',
  )

/** A sum of zero says what none says. */
const anyCount = join(
  COUNTS.map((name) => raw(`${name} <> 0`)),
  ' or ',
)

/** As those were counted that a program from before there were sums has counted, or that came from another cell. */
const countWithoutSums = (app: App, { team }: Client, days: number) =>
  app.db.transaction(async (trx) => {
    await trx.query(sql`alter table metric_counts disable trigger user`)
    await count(trx, team, days)
    await trx.query(sql`alter table metric_counts enable trigger user`)
    await requestBackfill(trx, team)
  })

/** Sums that are not those of their counters. */
const wrongSums = ({ db }: App, { team }: Client) => {
  const sumsOf = (span: string) => sql`
    select ${raw(`'${span}'`)}::metric_span as span, date_bin(${`1 ${span}`}::interval, quarter, 'epoch') as start, domain_id, broadcast_id,
      ${names((name) => `sum(${name})::int as ${name}`)}
    from metric_counts where team_id = ${team} group by 1, 2, 3, 4`
  const given = sql`
    select span, start, domain_id, broadcast_id, ${names((name) => name)} from metric_sums where team_id = ${team}`
  const wanted = sql`(${sumsOf('hour')} union all ${sumsOf('day')})`
  return db.query(sql`
    select * from (((${given}) except ${wanted}) union all (${wanted} except (${given}))) wrong where ${anyCount}`)
}

const QUESTIONS = [
  'start_date=2025-12-01&dimensions=period',
  'start_date=2025-12-01&dimensions=period,domain&timezone=Europe/Berlin',
  'start_date=2025-12-03T07:11:12&dimensions=period&granularity=weekly&timezone=America/New_York',
  'start_date=2025-12-03T07:15:00&end_date=2026-02-20T22:44:59.999&dimensions=period&timezone=Asia/Kolkata',
  'start_date=2025-12-03&granularity=monthly&dimensions=period&timezone=Australia/Lord_Howe',
  'start_date=2026-02-20&granularity=hourly&dimensions=period&timezone=Asia/Kathmandu',
  'start_date=2026-02-20&granularity=hourly&dimensions=period&timezone=Europe/London',
  'start_date=2025-12-01&dimensions=domain,broadcast',
]

async function answersOf(app: App, acme: Client) {
  app.clock.set(acme.team, { version: 1, offsetMs: 0, frozenAt: new Date(END) })
  const replies = await Promise.all(QUESTIONS.map((query) => acme.get(`/emails/metrics?${query}`)))
  return replies.map(({ text }) => text)
}

describe('sums of counters', () => {
  test('are those of their counters, whoever writes them', async () => {
    const { app, acme } = await startAcme()
    await count(app.db, acme.team, 3)
    await app.db.query(sql`
      insert into metric_counts select team_id, quarter - interval '1 day', domain_id, broadcast_id, ${names((name) => name)}
      from metric_counts where team_id = ${acme.team}
      on conflict (team_id, quarter, domain_id, broadcast_id) do update set sent = metric_counts.sent - 1, opened = excluded.opened + 2`)
    await app.db.query(sql`
      update metric_counts set domain_id = ${newId()}, sent = 5 where team_id = ${acme.team} and domain_id = ${TWO} and sent > 3`)

    expect(await wrongSums(app, acme)).toEqual([])
    await app.db.query(sql`delete from teams where id = ${acme.team}`)
    expect(await app.db.query(sql`select from metric_sums where team_id = ${acme.team}`)).toEqual([])
  })

  test('answer as the counters do, from before there were any until they are made', async () => {
    const { app, acme } = await startAcme()
    await countWithoutSums(app, acme, 91)
    const before = await answersOf(app, acme)

    expect(await backfillSlice(app.db, acme.team, 4_000)).toBe(false)
    // Counted meanwhile: in what is filled already, and in what is not.
    await app.db.query(sql`
      update metric_counts set sent = sent + 1 where team_id = ${acme.team} and quarter in ('2025-12-05T10:00Z', '2026-02-28T10:00Z')`)
    const meanwhile = await answersOf(app, acme)
    await backfillSums.run({}, { db: app.db, signal: new AbortController().signal } as never)
    const after = await answersOf(app, acme)

    expect(after).toEqual(meanwhile)
    expect(after).not.toEqual(before)
    expect(await wrongSums(app, acme)).toEqual([])
    expect(await app.db.query(sql`select from metric_backfills`)).toEqual([])
  })

  test('are made anew of a team that has come again', async () => {
    const { app, acme } = await startAcme()
    await count(app.db, acme.team, 2)
    await app.db.query(sql`update metric_sums set sent = 0 where team_id = ${acme.team}`)

    await app.db.transaction((trx) => requestBackfill(trx, acme.team))
    while (!(await backfillSlice(app.db, acme.team, 100)));

    expect(await wrongSums(app, acme)).toEqual([])
  })
})

test('90 days are read as 90 days of each domain, and in other time zones as hours', async () => {
  const { app, acme } = await startAcme()
  await countWithoutSums(app, acme, 91)
  const buffersOf = async (query: object) => {
    const question = readQuestion({ start_date: '2025-12-01', dimensions: 'period', ...query }, new Date(END))
    const source = await countedIn(app.db, acme.team, question)
    const statement = sql`select * from (${source}) counted`
    const rows = (await app.db.query(statement)).length
    return { rows, buffers: await readBuffers(app.db, statement) }
  }
  await app.db.query(sql`analyze metric_counts, metric_sums`)
  const quarters = await buffersOf({})
  while (!(await backfillSlice(app.db, acme.team)));
  await app.db.query(sql`analyze metric_counts, metric_sums`)

  const days = await buffersOf({})
  const hours = await buffersOf({ timezone: 'Europe/Berlin' })
  const months = await buffersOf({ timezone: 'Europe/Berlin', granularity: 'monthly' })

  expect(quarters.rows).toBeGreaterThan(17_000)
  expect(days.rows).toBe(90 * 2)
  expect(days.buffers).toBeLessThan(quarters.buffers / 20)
  expect(hours.rows).toBeLessThan(90 * 24 * 2)
  expect(hours.buffers).toBeLessThan(quarters.buffers / 3)
  expect(months.rows).toBeLessThan(90 * 2 + 4 * 24 * 2)
  expect(months.buffers).toBeLessThan(quarters.buffers / 10)
})

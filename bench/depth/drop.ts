import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { nextPeriod, PARTITIONED_TABLES, partitionName, periodStart } from '../../src/kernel/partitions/tables.ts'
import { postOne } from '../load.ts'
import { note, progress } from '../progress.ts'
import { type Row, seconds } from '../report.ts'
import { fill } from './fill.ts'
import { personalEmail } from './mail.ts'
import { call, EVERYTHING, openSession, type Stage } from './stage.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** How long ago the day is. There are no periods before it, which would go with it. */
export const DROPPED_AGE_DAYS = 31
/** Requests one after the other, each sending an email and reading a page, so many beside each other. */
const CALLERS = 4
const BEFORE_MS = 30_000
const LOOK_MS = 10
const MAX_DROP_MS = 3_600_000

const JOB = 'retention.drop-periods'

/** A day of mail goes with its periods, beside requests: how long its tables take to go, and whether a request feels it. */
export async function dropDay(stage: Stage, emails: number): Promise<Row[]> {
  const day = periodStart('day', new Date(Date.now() - DROPPED_AGE_DAYS * DAY_MS))
  // Or it would make documents of what is being filled.
  await stage.restart('api')
  await fill(stage, emails, { lengthMs: DAY_MS - HOUR_MS, end: new Date(day.getTime() + DAY_MS - HOUR_MS / 2) })
  const session = await openSession(stage)
  await session.query(`update jobs set run_at = now() + interval '1 day' where name = '${JOB}' and key = 'recurring'`)
  await stage.restart(EVERYTHING, retentionThatEnds(day))
  progress('requests, with nothing to drop')
  const before = await whileCalled(stage, () => delay(BEFORE_MS))
  await session.query(`update jobs set run_at = now() where name = '${JOB}' and key = 'recurring'`)
  const during = await whileCalled(stage, () => watchDrop(session, day))
  await session.end()
  const { drops, tookMs } = during.result
  for (const { unit, ms, tables } of drops) note(`${tables} tables of the ${unit}: ${seconds(ms)}`)
  const count = emails.toLocaleString('en')
  return [
    ...drops.map(
      ({ unit, ms, tables }): Row => ({
        what: `a ${unit} with ${count} emails: its ${tables} tables detached and dropped`,
        ours: `${(ms / 1_000).toFixed(2)} s`,
        ...{ baseline: null, figure: ms / 1_000, unit: 's', wanted: 'at most', must: 1, dream: 0.3 },
      }),
    ),
    {
      what: '– the whole job, with what names these emails elsewhere',
      ours: seconds(tookMs),
      ...{ baseline: null, figure: tookMs / 1_000, unit: 's', wanted: 'at most', must: null, dream: null },
    },
    slowest('the slowest of a thousand requests beside it', during.times, before.times, 0.999),
    slowest('the longest request beside it', during.times, before.times, 1),
  ]
}

/** What ends with the day, and with the week that the day is in: both are past their time for less than a day, after which rows would go one by one. */
function retentionThatEnds(day: Date): Record<string, string> {
  const sinceDay = hoursSince(nextPeriod('day', day))
  const sinceWeek = hoursSince(nextPeriod('week', periodStart('week', day)))
  return {
    ...{ POSTWREN_RETENTION_EVENTS: sinceDay, POSTWREN_RETENTION_LOGS: sinceDay },
    ...{ POSTWREN_RETENTION_EMAILS: sinceWeek, POSTWREN_RETENTION_BODIES: sinceWeek },
  }
}

const hoursSince = (end: Date) => `${Math.floor((Date.now() - end.getTime()) / HOUR_MS)}h`

interface Drop {
  readonly unit: 'day' | 'week'
  readonly tables: number
  /** From the first table that was detached until the last one was gone, without what the job did in between for other periods. */
  readonly ms: number
}

/** Watches the tables of the day, and of its week, until none is left. */
async function watchDrop(session: pg.Client, day: Date): Promise<{ drops: Drop[]; tookMs: number }> {
  const units = new Map(
    PARTITIONED_TABLES.filter(({ cut }) => cut !== 'received').map(
      ({ name, unit }) => [partitionName(name, periodStart(unit, day)), unit] as const,
    ),
  )
  const began = performance.now()
  const [detached, gone] = [new Map<string, number>(), new Map<string, number>()]
  while (gone.size < units.size) {
    const now = performance.now()
    if (now - began > MAX_DROP_MS) throw new Error('The periods were not dropped.')
    const { rows } = await session.query<{ name: string; is_attached: boolean }>(
      `select c.relname::text as name, c.relispartition and not coalesce(h.inhdetachpending, false) as is_attached
      from pg_class c left join pg_inherits h on h.inhrelid = c.oid where c.relname = any ($1)`,
      [[...units.keys()]],
    )
    const found = new Map(rows.map((row) => [row.name, row.is_attached]))
    for (const name of units.keys()) {
      if (found.get(name) !== true && !detached.has(name)) detached.set(name, now)
      if (!found.has(name) && !gone.has(name)) gone.set(name, now)
    }
    await delay(LOOK_MS)
  }
  const drops = (['day', 'week'] as const).map((unit) => {
    const names = [...units].filter(([, one]) => one === unit).map(([name]) => name)
    const ms = names.reduce((sum, name) => sum + gone.get(name)! - detached.get(name)!, 0)
    return { unit, tables: names.length, ms }
  })
  return { drops, tookMs: performance.now() - began }
}

/** Milliseconds of each request while the work goes on. */
async function whileCalled<Result>(stage: Stage, work: () => Promise<Result>) {
  const times: number[] = []
  let isOver = false
  const timed = async (request: () => Promise<unknown>) => {
    const begin = performance.now()
    await request()
    times.push(performance.now() - begin)
  }
  const callers = Array.from({ length: CALLERS }, async (_, number) => {
    for (let round = 0; !isOver; round++) {
      await timed(() => postOne(`${stage.service.url}/emails`, personalEmail(round * CALLERS + number)))
      await timed(() => call(stage, 'GET', '/emails?limit=20'))
    }
  })
  const result = await work().finally(() => {
    isOver = true
  })
  await Promise.all(callers)
  return { result, times: times.sort((a, b) => a - b) }
}

function slowest(what: string, during: readonly number[], before: readonly number[], share: number): Row {
  const at = (times: readonly number[]) => times[Math.min(times.length - 1, Math.floor(times.length * share))]!
  const [ours, baseline] = [at(during), at(before)]
  return {
    what,
    ours: `${ours.toFixed(0)} ms`,
    baseline: `${baseline.toFixed(0)} ms (nothing dropped)`,
    ...{ figure: ours / baseline, unit: '×', wanted: 'at most', must: 2, dream: 1.2 },
  }
}

import { once } from 'node:events'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { type App, startApp } from '../../../test/harness/app.ts'
import { ObservedList } from '../../../test/harness/changes.ts'
import { freshDatabase } from '../../../test/harness/database.ts'
import { makeGate } from '../../../test/harness/gate.ts'
import { systemClock } from '../../platform/clock.ts'
import { Database } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { hours, type Job, job } from './job.ts'
import { claimDue, enqueue, ensureRecurring, releaseHeldBy } from './queries.ts'

beforeEach(async () => {
  const db = Database.connect(await freshDatabase(), { clock: systemClock })
  await db.query(sql`truncate jobs`)
  await db.close()
})

/** A job that writes down what happens to it. `run` decides how it ends. */
function diary(
  run: (attempt: number, signal: AbortSignal) => unknown = () => {},
  more: Partial<Job<{ n: number }>> = {},
) {
  const entries = new ObservedList<string>()
  const diary = job<{ n: number }>({
    name: 'diary',
    retryAfterSeconds: [10, 60],
    async run({ n }, { signal }) {
      entries.push(`run ${n}`)
      await run(entries.length, signal)
    },
    ...more,
  })
  return { diary, entries }
}

const add = (app: App, given: Job<{ n: number }>, n = 1) => app.db.transaction((trx) => enqueue(trx, given, { n }))

async function after(app: App, seconds: number, ...jobs: Job<never, unknown>[]) {
  app.clock.advance(seconds)
  await app.workerFor(jobs).runDue()
}

interface Row {
  attempts: number
  holder: number | null
  last_error: string | null
  has_failed: boolean
}

const rows = ({ db }: App) =>
  db.query<Row>(sql`select attempts, holder, last_error, failed_at is not null as has_failed from jobs order by id`)

const fails = () => {
  throw new Error('the printer is on fire')
}

test('a job runs once, with its payload, and is gone', async () => {
  const app = await startApp()
  const { diary: given, entries } = diary()
  await add(app, given, 7)

  await after(app, 60, given)
  await after(app, 60, given)

  expect(entries).toEqual(['run 7'])
  expect(await rows(app)).toEqual([])
})

test('a job whose cause is rolled back never was', async () => {
  const app = await startApp()
  const { diary: given, entries } = diary()

  const cause = app.db.transaction(async (trx) => {
    await enqueue(trx, given, { n: 1 })
    throw new Error('no, after all')
  })

  await expect(cause).rejects.toThrow('no, after all')
  await after(app, 60, given)
  expect(entries).toEqual([])
})

test('a worker leaves alone what it does not know', async () => {
  const app = await startApp()
  const { diary: given } = diary()
  await add(app, given)

  await after(app, 60, job({ name: 'another', retryAfterSeconds: [], run: async () => {} }))

  expect(await rows(app)).toMatchObject([{ attempts: 0, holder: null }])
})

test('a job that fails is tried again by its retry schedule, and then has failed for good', async () => {
  const app = await startApp()
  const { diary: given, entries } = diary(fails)
  await add(app, given)
  const runsAfter = async (seconds: number) => {
    await after(app, seconds, given)
    return entries.length
  }

  expect(await runsAfter(60)).toBe(1)
  expect(await rows(app)).toEqual([
    { attempts: 1, holder: null, last_error: 'the printer is on fire', has_failed: false },
  ])
  expect(await runsAfter(9)).toBe(1)
  expect(await runsAfter(1)).toBe(2)
  expect(await runsAfter(59)).toBe(2)
  expect(await runsAfter(1)).toBe(3)
  expect(await rows(app)).toMatchObject([{ attempts: 3, holder: null, has_failed: true }])
  expect(await runsAfter(hours(1_000))).toBe(3)
})

test('a job that works at last is gone like any other', async () => {
  const app = await startApp()
  const { diary: given, entries } = diary((attempt) => attempt < 3 && fails())
  await add(app, given)

  for (const seconds of [60, 10, 60]) await after(app, seconds, given)

  expect(entries).toHaveLength(3)
  expect(await rows(app)).toEqual([])
})

test('giving up commits together with the verdict, or neither does', async () => {
  const app = await startApp()
  const name = `given up ${Math.random()}`
  const written = () => app.db.query(sql`select 1 from teams where name = ${name}`)
  let isBroken = true
  const { diary: given } = diary(fails, {
    retryAfterSeconds: [],
    async giveUp({ n }, trx) {
      await trx.query(sql`insert into teams (id, name, created_at) values (gen_random_uuid(), ${name}, now())`)
      if (isBroken) throw new Error(`cannot give up ${n} yet`)
    },
  })
  await add(app, given)

  await after(app, 60, given)
  expect([await written(), await rows(app)]).toMatchObject([[], [{ has_failed: false }]])

  isBroken = false
  await after(app, 61, given)
  expect([await written(), await rows(app)]).toMatchObject([[{}], [{ has_failed: true }]])
})

test('a recurring job is there once, and runs again when its pause is over', async () => {
  const app = await startApp()
  const { diary: given, entries } = diary(() => {}, { everySeconds: 900 })
  for (let start = 0; start < 3; start++) await ensureRecurring(app.db, [given])
  expect(await rows(app)).toHaveLength(1)

  await after(app, 60, given)
  await after(app, 899, given)
  expect(entries).toHaveLength(1)

  await after(app, 1, given)
  expect(entries).toHaveLength(2)
  expect(await rows(app)).toMatchObject([{ attempts: 0, holder: null }])
})

test('a recurring job that fails is tried by its retry schedule first, and never given up', async () => {
  const app = await startApp()
  const { diary: given, entries } = diary((attempt) => attempt <= 4 && fails(), {
    retryAfterSeconds: [10],
    everySeconds: 900,
  })
  await ensureRecurring(app.db, [given])

  for (const seconds of [60, 10, 900, 900]) await after(app, seconds, given)
  expect(entries).toHaveLength(4)
  expect(await rows(app)).toMatchObject([{ has_failed: false, last_error: 'the printer is on fire' }])

  await after(app, 900, given)
  expect(await rows(app)).toMatchObject([{ attempts: 0, last_error: null }])
})

test('two workers share the work, and none of it is done twice', async () => {
  const [one, other] = [await startApp(), await startApp()]
  const { diary: given, entries } = diary(() => new Promise(setImmediate))
  for (let n = 0; n < 40; n++) await add(one, given, n)

  await Promise.all([after(one, 60, given), after(other, 60, given)])

  expect(entries.toSorted()).toEqual(Array.from({ length: 40 }, (_, n) => `run ${n}`).toSorted())
  expect(await rows(one)).toEqual([])
})

test('a worker that is late cannot settle what another has taken over', async () => {
  const [late, other] = [await startApp(), await startApp()]
  const gate = makeGate()
  const { diary: slow, entries } = diary(() => gate.opened)
  const { diary: failing } = diary(fails)
  await add(late, slow)

  const lateRun = after(late, 60, slow)
  await entries.until(() => expect(entries).toHaveLength(1))
  await releaseHeldBy(other.db, [late.db.presence.node])
  await after(other, 60, failing)
  gate.open()
  await lateRun

  expect(await rows(late)).toEqual([
    { attempts: 1, holder: null, last_error: 'the printer is on fire', has_failed: false },
  ])
})

test('a job whose processes were gone in the middle of it has not used up its attempts', async () => {
  const app = await startApp()
  const { diary: failing } = diary(fails)
  await add(app, failing)
  app.clock.advance(60)
  for (let n = 0; n < 5; n++) {
    const claim = {
      names: [failing.name],
      node: -1,
      now: app.clock.now(),
      since: null,
      limit: 1,
      teams: new Map(),
      perTeam: 1,
    }
    expect(await claimDue(app.db, { ...claim, isForCrashed: false })).toHaveLength(1)
    await releaseHeldBy(app.db, [-1])
  }

  await after(app, 0, failing)

  expect(await rows(app)).toMatchObject([{ attempts: 1, holder: null, has_failed: false }])
})

test('a process that is stopping hands its jobs back as if it had never had them', async () => {
  const app = await startApp()
  const { diary: given, entries } = diary(async (attempt, signal) => {
    if (attempt > 1) return
    await once(signal, 'abort')
    signal.throwIfAborted()
  })
  await add(app, given)
  const worker = app.workerFor([given])
  await worker.start()
  await entries.until(() => expect(entries).toHaveLength(1))

  await worker.stop(5_000)

  expect(await rows(app)).toEqual([{ attempts: 0, holder: null, last_error: null, has_failed: false }])
  await after(app, 0, given)
  expect(entries).toHaveLength(2)
})

test('a job that does not listen is handed back all the same, and settles nothing later', async () => {
  const app = await startApp()
  const gate = makeGate()
  const { diary: deaf, entries } = diary(() => gate.opened)
  await add(app, deaf)
  const worker = app.workerFor([deaf])
  await worker.start()
  await entries.until(() => expect(entries).toHaveLength(1))

  await worker.stop(0)
  gate.open()
  await worker.stop(5_000)

  expect(await rows(app)).toMatchObject([{ attempts: 0, holder: null }])
})

test('a kind with slots of its own runs as many at once, and neither waits for the others nor lets them wait', async () => {
  const app = await startApp()
  const gate = makeGate()
  const counter = () => {
    const count = { now: 0, most: 0 }
    const run = async () => {
      count.most = Math.max(count.most, ++count.now)
      await gate.opened
      count.now--
    }
    return { count, run }
  }
  const [wide, shared, late] = [counter(), counter(), counter()]
  const kinds = [
    diary(wide.run, { name: 'wide', concurrency: 10 }).diary,
    diary(shared.run, { name: 'shared' }).diary,
    diary(late.run, { name: 'late', concurrency: 1 }).diary,
  ]
  for (let n = 0; n < 25; n++) for (const kind of kinds) await add(app, kind, n)
  const worker = app.workerFor(kinds)
  await worker.start()
  onTestFinished(() => worker.stop(5_000))

  await app.until(() => expect([wide.count.now, shared.count.now, late.count.now]).toEqual([10, 4, 1]))
  gate.open()
  await app.until(async () => expect(await rows(app)).toEqual([]))

  expect([wide.count.most, shared.count.most, late.count.most]).toEqual([10, 4, 1])
})

test('a new job of a kind with slots of its own is looked for in that kind alone', async () => {
  const app = await startApp()
  const { diary: own, entries } = diary(() => {}, { name: 'own', concurrency: 4 })
  const { diary: other } = diary(() => {}, { name: 'other', concurrency: 4 })
  const { diary: shared } = diary(() => {}, { name: 'shared' })
  const looks: unknown[] = []
  const query = app.db.query.bind(app.db)
  vi.spyOn(app.db, 'query').mockImplementation((statement) => {
    const { text, values } = statement.toQuery()
    if (text.includes('set claims = claims + 1')) looks.push(...values.flat())
    return query(statement) as never
  })
  const worker = app.workerFor([own, other, shared])
  await worker.start()
  onTestFinished(() => worker.stop(5_000))

  for (let n = 1; n <= 20; n++) {
    await add(app, own, n)
    await entries.until(() => expect(entries).toHaveLength(n))
  }

  const looksFor = (name: string) => looks.filter((value) => value === name).length
  expect(looksFor('own')).toBeGreaterThanOrEqual(20)
  // Loops look by themselves as well, once in a second.
  expect(looksFor('other')).toBeLessThan(10)
  expect(looksFor('shared')).toBeLessThan(10)
})

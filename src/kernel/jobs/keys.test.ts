import { beforeEach, describe, expect, test } from 'vitest'
import { type App, startApp } from '../../../test/harness/app.ts'
import { openBackend } from '../../../test/harness/backends.ts'
import { ObservedList } from '../../../test/harness/changes.ts'
import { freshDatabase } from '../../../test/harness/database.ts'
import { makeGate } from '../../../test/harness/gate.ts'
import { systemClock } from '../../platform/clock.ts'
import { Database, type Transaction } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { job } from './job.ts'
import { cancel, claimDue, enqueue, ensureRecurring, ensureWaiting, releaseHeldBy } from './queries.ts'

beforeEach(async () => {
  const db = Database.connect(await freshDatabase(), { clock: systemClock })
  await db.query(sql`truncate jobs`)
  await db.close()
})

/** The app, and jobs that write down that they run. While the gate is shut they do not end. */
async function start({ isOpen = true, fails = false } = {}) {
  const app = await startApp()
  const gate = makeGate()
  if (isOpen) gate.open()
  const seen = new ObservedList<number>()
  const reminder = job<{ n: number }>({
    name: 'reminder',
    retryAfterSeconds: [60],
    async run({ n }) {
      seen.push(n)
      await gate.opened
      if (fails) throw new Error('not today')
    },
  })
  const at = (seconds: number) => new Date(app.clock.now().getTime() + seconds * 1_000)
  const add = (n: number, { key = 'k', seconds = 0 } = {}) =>
    app.db.transaction((trx) => enqueue(trx, reminder, { n }, { key, runAt: at(seconds) }))
  const drop = (key = 'k') => app.db.transaction((trx) => cancel(trx, reminder, key))
  const runAfter = async (seconds: number) => {
    app.clock.advance(seconds)
    await app.workerFor([reminder]).runDue()
    return seen
  }
  return { app, gate, seen, reminder, at, add, drop, runAfter }
}

const numbers = async ({ db }: App) =>
  (await db.query<{ n: number }>(sql`select (payload ->> 'n')::int as n from jobs order by id`)).map(({ n }) => n)

describe('while a job waits', () => {
  test('a second one with its key takes its place: what is said last counts', async () => {
    const { add, runAfter } = await start()
    await add(1, { seconds: 100 })
    await add(2, { seconds: 300 })
    await add(3, { key: 'other', seconds: 200 })

    expect(await runAfter(150)).toEqual([])
    expect(await runAfter(100)).toEqual([3])
    expect(await runAfter(100)).toEqual([3, 2])
    expect(await runAfter(1_000)).toEqual([3, 2])
  })

  test('one that waits to be tried again begins anew', async () => {
    const { app, add, runAfter } = await start({ fails: true })
    await add(1)
    await runAfter(0)
    await add(2)

    expect(await app.db.query(sql`select payload, attempts, last_error from jobs`)).toEqual([
      { payload: { n: 2 }, attempts: 0, last_error: null },
    ])
    expect(await runAfter(0)).toEqual([1, 2])
  })

  test('no worker takes it before the transaction has committed that enqueues it again', async () => {
    const { app, reminder, add, runAfter, seen } = await start()
    await add(1)

    await app.db.transaction(async (trx) => {
      await enqueue(trx, reminder, { n: 2 }, { key: 'k', runAt: app.clock.now() })
      await runAfter(1)
      expect(seen).toEqual([])
    })

    expect(await runAfter(1)).toEqual([2])
  })

  test('of several that two have made at once, one is left', async () => {
    const { app, reminder, at, add, runAfter } = await start()
    const ensure = (trx: Transaction, n: number) =>
      ensureWaiting(trx, { name: reminder.name, payload: { n } }, { key: 'k', runAt: at(0) })
    await app.db.transaction(async (one) => {
      await ensure(one, 1)
      await app.db.transaction((other) => ensure(other, 2))
    })
    expect(await app.db.query(sql`select id from jobs`)).toHaveLength(2)

    await add(3, { seconds: 100 })

    expect(await runAfter(99)).toEqual([])
    expect(await runAfter(1)).toEqual([3])
  })

  test('one that is enqueued in a transaction that fails changes nothing', async () => {
    const { app, reminder, add, runAfter } = await start()
    await add(1)

    const failed = app.db.transaction(async (trx) => {
      await enqueue(trx, reminder, { n: 2 }, { key: 'k' })
      throw new Error('no, after all')
    })

    await expect(failed).rejects.toThrow('no, after all')
    expect(await runAfter(1)).toEqual([1])
  })

  test('it can be taken back, and only by its key', async () => {
    const { add, drop, runAfter } = await start()
    await add(1)
    await add(2, { key: 'other' })

    expect([await drop(), await drop(), await drop('none')]).toEqual([true, false, false])
    expect(await runAfter(1)).toEqual([2])
  })
})

describe('two transactions at the same time', () => {
  test('that enqueue under one key leave one job, that of the last to commit', async () => {
    const { app, reminder, add, runAfter } = await start()
    const backend = await openBackend()
    let second: Promise<void> | undefined

    await app.db.transaction(async (trx) => {
      await enqueue(trx, reminder, { n: 1 }, { key: 'k', runAt: app.clock.now() })
      second = add(2)
      await backend.waiters()
    })
    await second

    expect(await numbers(app)).toEqual([2])
    expect(await runAfter(1)).toEqual([2])
  })

  test('of which one enqueues and the other takes back do so one after the other', async () => {
    const { app, reminder, drop } = await start()
    const backend = await openBackend()
    let dropped: Promise<boolean> | undefined

    await app.db.transaction(async (trx) => {
      await enqueue(trx, reminder, { n: 1 }, { key: 'k' })
      dropped = drop()
      await backend.waiters()
    })

    expect(await dropped).toBe(true)
    expect(await numbers(app)).toEqual([])
  })

  test('of which one claims: what is enqueued meanwhile waits behind it, and it cannot be taken back', async () => {
    const { app, add, drop } = await start()
    const backend = await openBackend()
    await add(1)
    const others: Promise<unknown>[] = []

    await app.db.transaction(async (trx) => {
      const of = { names: ['reminder'], teams: new Map(), perTeam: 1, isForCrashed: false, since: null, limit: 1 }
      expect(await claimDue(trx, { ...of, node: app.db.presence.node, now: app.clock.now() })).toHaveLength(1)
      // The first waits for the row, the second for the first.
      others.push(drop())
      await backend.waiters()
      others.push(add(2))
      await backend.waiters(2)
    })

    expect(await Promise.all(others)).toEqual([false, undefined])
    expect(await numbers(app)).toEqual([1, 2])
  })
})

describe('while a job runs', () => {
  /** One under way, and another with the same key behind it. */
  async function startRunning(options?: { fails: boolean }) {
    const world = await start({ isOpen: false, ...options })
    await world.add(1)
    const running = world.runAfter(0)
    await world.seen.until(() => expect(world.seen).toEqual([1]))
    return { ...world, running }
  }

  test('a new one with its key waits, and runs as well: what it is for may have come too late for the first', async () => {
    const { app, add, gate, running, seen, runAfter } = await startRunning()

    await add(2)
    await add(3)
    const meanwhile = await numbers(app)
    gate.open()
    await running
    await runAfter(0)

    expect(meanwhile).toEqual([1, 3])
    expect(seen).toEqual([1, 3])
    expect(await numbers(app)).toEqual([])
  })

  test('it cannot be taken back', async () => {
    const { app, drop, gate, running } = await startRunning()

    expect(await drop()).toBe(false)
    gate.open()
    await running

    expect(await numbers(app)).toEqual([])
  })

  test('and fails, it waits beside the new one, and both can be taken back', async () => {
    const { app, add, drop, gate, running } = await startRunning({ fails: true })

    await add(2, { seconds: 100 })
    gate.open()
    await running
    const both = await numbers(app)

    expect(both).toEqual([1, 2])
    expect(await drop()).toBe(true)
    expect(await numbers(app)).toEqual([])
  })

  test('and its node is gone, it is given back beside the new one', async () => {
    const { app, add, gate, running } = await startRunning()

    await add(2)
    expect(await releaseHeldBy(app.db, [app.db.presence.node])).toBe(1)
    gate.open()
    await running

    expect(await app.db.query(sql`select from jobs where holder is not null`)).toEqual([])
  })

  test('a recurring one is there once all the same', async () => {
    const app = await startApp()
    const gate = makeGate()
    const seen = new ObservedList<number>()
    const recurring = job({
      name: 'recurring',
      everySeconds: 60,
      retryAfterSeconds: [],
      async run() {
        seen.push(1)
        await gate.opened
      },
    })
    await ensureRecurring(app.db, [recurring])
    const running = app.workerFor([recurring]).runDue()
    await seen.until(() => expect(seen).toHaveLength(1))

    await ensureRecurring(app.db, [recurring])
    gate.open()
    await running

    expect(await app.db.query(sql`select key from jobs`)).toEqual([{ key: 'recurring' }])
  })
})

test('of a key whose job has failed for good a new one may come', async () => {
  const { app, add, runAfter } = await start({ fails: true })
  await add(1)
  for (const seconds of [0, 60]) await runAfter(seconds)

  await add(2)

  expect(await runAfter(0)).toEqual([1, 1, 2])
  expect(await app.db.query(sql`select from jobs where failed_at is not null`)).toHaveLength(1)
})

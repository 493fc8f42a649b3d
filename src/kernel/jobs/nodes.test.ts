import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { ObservedList } from '../../../test/harness/changes.ts'
import { makeGate } from '../../../test/harness/gate.ts'
import { sql } from '../db/sql.ts'
import { hours, job } from './job.ts'
import { enqueue, ensureRecurring } from './queries.ts'
import { sweepFailedJobs } from './retention.ts'

// Workers that run by themselves, as in a process: woken by signals, looking after each other.

test('a job wakes a worker of this process, and of another', async () => {
  const [one, other] = [await startApp(), await startApp()]
  const seen = new ObservedList<string>()
  const here = job<{ n: number }>({ name: 'here', retryAfterSeconds: [], run: async () => void seen.push('here') })
  const there = job<{ n: number }>({ name: 'there', retryAfterSeconds: [], run: async () => void seen.push('there') })
  for (const [app, known] of [
    [one, here],
    [other, there],
  ] as const) {
    const worker = app.workerFor([known])
    app.clock.advance(60)
    await worker.start()
    onTestFinished(() => worker.stop(1_000))
  }

  await one.db.transaction(async (trx) => {
    await enqueue(trx, here, { n: 1 })
    await enqueue(trx, there, { n: 1 })
  })

  await seen.until(() => expect(seen.toSorted()).toEqual(['here', 'there']))
})

test('the jobs of a process that is gone are taken over', async () => {
  const [gone, other] = [await startApp(), await startApp()]
  const gate = makeGate()
  const held = job<{ n: number }>({ name: 'held', retryAfterSeconds: [], run: () => gate.opened })
  const seen = new ObservedList<number>()
  const takenOver = job<{ n: number }>({ ...held, run: async ({ n }) => void seen.push(n) })
  await gone.db.transaction((trx) => enqueue(trx, held, { n: 7 }))
  gone.clock.advance(60)
  const heldRun = gone.workerFor([held]).runDue()
  onTestFinished(async () => {
    gate.open()
    await heldRun
  })
  const holder = async () =>
    (await other.db.query<{ holder: number }>(sql`select holder from jobs where name = 'held'`))[0]
  await gone.until(async () => expect(await holder()).toEqual({ holder: gone.db.presence.node }))
  const worker = other.workerFor([takenOver])
  other.clock.advance(60)
  await worker.start()
  onTestFinished(() => worker.stop(1_000))

  await gone.db.presence.close()

  await seen.until(() => expect(seen).toEqual([7]))
  await other.until(async () => expect(await holder()).toBeUndefined())
})

test('what failed for good is kept for a month', async () => {
  const app = await startApp()
  const doomed = job<{ n: number }>({
    name: 'doomed',
    retryAfterSeconds: [],
    run: () => Promise.reject(new Error('no')),
  })
  await app.db.transaction((trx) => enqueue(trx, doomed, { n: 1 }))
  await ensureRecurring(app.db, [sweepFailedJobs])
  const worker = app.workerFor([doomed, sweepFailedJobs])
  const failed = () => app.db.query(sql`select 1 as row from jobs where name = 'doomed' and failed_at is not null`)

  await worker.runDue()
  app.clock.advance(hours(29 * 24))
  await worker.runDue()
  expect(await failed()).toHaveLength(1)

  app.clock.advance(hours(2 * 24))
  await worker.runDue()
  expect(await failed()).toEqual([])
})

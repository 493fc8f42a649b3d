import { expect, onTestFinished, test } from 'vitest'
import { type App, startApp } from '../../../test/harness/app.ts'
import { ObservedList } from '../../../test/harness/changes.ts'
import { makeGate } from '../../../test/harness/gate.ts'
import { ConnectionLost } from '../../../test/harness/unlucky-database.ts'
import { newId } from '../../platform/ids.ts'
import { rowsOf } from '../db/rows.ts'
import { sql } from '../db/sql.ts'
import { type Job, job } from './job.ts'
import { insertFreshJobs, JOBS_CHANNEL } from './queries.ts'
import type { JobHandOver, TakesJobs } from './straight-through.ts'

interface Payload {
  readonly n: number
  readonly team?: string
  readonly inMemory?: true
}

/** A process with a worker for one kind, whose runs wait for the gate. */
async function start({ isOpen = true, slots = 8 } = {}) {
  const app = await startApp()
  const seen = new ObservedList<Payload>()
  const gate = makeGate()
  if (isOpen) gate.open()
  const kind = job<Payload>({
    ...{ name: 'kind', retryAfterSeconds: [1], concurrency: slots },
    async run(payload) {
      seen.push(payload)
      await gate.opened
    },
  })
  const worker = app.workerFor([kind as Job<never, unknown>])
  onTestFinished(async () => {
    gate.open()
    await worker.stop(1_000)
  })
  const { straightThrough } = worker
  const begin = async () => {
    await worker.start()
    await app.until(() => canReserve(app, straightThrough))
  }
  return { app, worker, straightThrough, seen, gate, begin }
}

/** As PostgreSQL refuses a statement. */
class NotSent extends Error {
  readonly code = '22000'
}

const canReserve = (app: App, to: TakesJobs) => {
  const handOver = to.reserve('kind', freshJobs(app, 1))
  handOver?.failed(new NotSent())
  return handOver !== null
}

const freshJobs = (app: App, count: number, team = '') =>
  Array.from({ length: count }, (_, n) => ({
    ...{ id: newId(app.clock), team, runAt: app.clock.now() },
    payload: { n, ...(team && { team }), inMemory: true },
  }))

/** Writes them as their cause would: what is in memory is not in the rows. */
const write = ({ db, clock }: App, jobs: ReturnType<typeof freshJobs>, handOver: JobHandOver | null) => {
  const rows = jobs.map(({ id, payload: { inMemory: _, ...payload } }) => ({
    ...{ id, payload },
    holder: handOver?.has(id) ? handOver.node : null,
  }))
  const given = rowsOf(rows, { id: 'uuid', payload: 'jsonb', holder: 'int' }, 'given')
  return db.query(insertFreshJobs('kind', sql`select id, payload, holder from ${given}`, { now: clock.now() }))
}

const rowsIn = async ({ db }: App) => {
  const rows = await db.query<{ holder: number | null; claims: number }>(sql`
    select holder, claims from jobs where name = 'kind' order by id`)
  return rows.map(({ holder, claims }) => [holder, claims])
}

const allDone = (app: App) => app.until(async () => expect(await rowsIn(app)).toEqual([]))

test('a job runs with what is in memory, under the first claim, and nobody else has it', async () => {
  const { app, straightThrough, seen, gate, begin } = await start({ isOpen: false })
  const other = await startApp()
  const stranger = other.workerFor([
    job({ name: 'kind', retryAfterSeconds: [], run: async () => void seen.push({ n: -1 }) }),
  ])
  await begin()
  const jobs = freshJobs(app, 2)

  const handOver = straightThrough.reserve('kind', jobs)!
  await write(app, jobs, handOver)
  const before = [...seen]
  handOver.committed()
  await seen.until(() => expect(seen).toHaveLength(2))
  await stranger.runDue()
  const held = await rowsIn(app)
  gate.open()
  await allDone(app)

  expect(handOver.isForAll).toBe(true)
  expect(before).toEqual([])
  const { node } = app.db.presence
  expect(held).toEqual([
    [node, 1],
    [node, 1],
  ])
  expect(seen).toEqual([
    { n: 0, inMemory: true },
    { n: 1, inMemory: true },
  ])
})

test('no more are taken than leave slots for a claim, and nothing overtakes what was passed over', async () => {
  const { app, straightThrough, seen, gate, begin } = await start({ isOpen: false })
  await begin()
  const jobs = freshJobs(app, 10)

  const handOver = straightThrough.reserve('kind', jobs)!
  const taken = jobs.filter(({ id }) => handOver.has(id)).map(({ payload }) => payload.n)
  const behind = canReserve(app, straightThrough)
  await write(app, jobs, handOver)
  handOver.committed()
  app.db.signals.announce(JOBS_CHANNEL)
  await seen.until(() => expect(seen).toHaveLength(8))
  gate.open()
  await allDone(app)

  expect([taken.length <= 6, taken]).toEqual([true, taken.map((_, n) => n)])
  expect([handOver.isForAll, behind]).toEqual([false, false])
  expect(seen.map(({ n }) => n).toSorted((one, next) => one - next)).toEqual(jobs.map((_, n) => n))
  expect(seen.filter(({ inMemory }) => inMemory)).toHaveLength(taken.length)
  await app.until(() => canReserve(app, straightThrough))
})

test('a team has no more slots than in a claim, and a sandbox has none', async () => {
  const { app, straightThrough, begin } = await start({ slots: 16 })
  await begin()
  const acme = await app.as('acme')
  const sandbox = await app.sandboxOf(acme)
  const jobs = freshJobs(app, 16, acme.team)
  const simulated = freshJobs(app, 1, sandbox.team)

  await app.until(() => canReserve(app, straightThrough))
  const ofSandbox = straightThrough.reserve('kind', simulated)
  const handOver = straightThrough.reserve('kind', jobs)!
  const taken = jobs.filter(({ id }) => handOver.has(id)).length
  handOver.failed(new NotSent())

  expect(ofSandbox).toBeNull()
  expect(taken).toBeLessThanOrEqual(12)
})

test('when the answer is lost, the rows are released and run as any others', async () => {
  const { app, straightThrough, seen, begin } = await start()
  await begin()
  const jobs = freshJobs(app, 2)
  const handOver = straightThrough.reserve('kind', jobs)!
  await write(app, jobs, handOver)

  handOver.failed(new ConnectionLost())
  const isUncertain = !canReserve(app, straightThrough)
  app.db.signals.announce(JOBS_CHANNEL)
  await allDone(app)

  expect(isUncertain).toBe(true)
  expect(seen.toSorted((one, next) => one.n - next.n)).toEqual([{ n: 0 }, { n: 1 }])
})

test('what was not written gives its slot back', async () => {
  const { app, straightThrough, begin } = await start({ slots: 4 })
  await begin()

  for (let round = 0; round < 5; round++) await app.until(() => canReserve(app, straightThrough))

  expect(await rowsIn(app)).toEqual([])
})

test('a process that dies between the commit and the run leaves jobs that another one takes over', async () => {
  const { app, straightThrough, begin } = await start()
  await begin()
  const jobs = freshJobs(app, 1)
  await write(app, jobs, straightThrough.reserve('kind', jobs))
  const other = await startApp()
  const seen = new ObservedList<Payload>()
  const kind = job<Payload>({ name: 'kind', retryAfterSeconds: [], run: async (payload) => void seen.push(payload) })
  const worker = other.workerFor([kind as Job<never, unknown>])
  onTestFinished(() => worker.stop(1_000))

  await app.db.presence.close()
  other.clock.advance(60)
  await worker.start()
  await seen.until(() => expect(seen).toEqual([{ n: 0 }]))
  await allDone(other)
})

test('who stops waits for what is being written, and gives it back as if it had not been claimed', async () => {
  const { app, worker, straightThrough, seen, begin } = await start()
  await begin()
  const jobs = freshJobs(app, 1)
  const handOver = straightThrough.reserve('kind', jobs)!
  const stopped = worker.stop(60_000)

  await write(app, jobs, handOver)
  handOver.committed()
  await stopped

  expect(seen).toEqual([])
  expect(await rowsIn(app)).toEqual([[null, 1]])
  expect(canReserve(app, straightThrough)).toBe(false)
})

test('a worker that does not run takes nothing, nor one that does not know the kind', async () => {
  const { app, straightThrough, begin } = await start()
  const early = canReserve(app, straightThrough)
  await begin()

  expect([early, straightThrough.reserve('another', freshJobs(app, 1))]).toEqual([false, null])
})

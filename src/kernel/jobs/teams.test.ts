import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { ObservedList } from '../../../test/harness/changes.ts'
import { freshDatabase } from '../../../test/harness/database.ts'
import { makeGate } from '../../../test/harness/gate.ts'
import { holdSteadyTime } from '../../../test/harness/steady-time.ts'
import { systemClock } from '../../platform/clock.ts'
import { Database } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { job } from './job.ts'
import { enqueue } from './queries.ts'

beforeEach(async () => {
  const db = Database.connect(await freshDatabase(), { clock: systemClock })
  await db.query(sql`truncate jobs`)
  await db.close()
})

interface Payload {
  readonly team?: string
}

interface UsedServices {
  readonly db: Database
}

/** Jobs of two teams and of nobody that go on until the gate opens; the first team has far more than there are slots. */
async function startFlood(run: (payload: Payload, context: UsedServices) => Promise<unknown>) {
  const app = await startApp()
  const gate = makeGate()
  const running = new ObservedList<string>()
  const kind = job<Payload, UsedServices>({
    name: 'flood',
    retryAfterSeconds: [],
    async run(payload, context) {
      running.push(payload.team ?? 'nobody')
      await run(payload, context)
      await gate.opened
    },
  })
  const order = [...Array<string>(20).fill('acme'), 'globex', undefined]
  for (const team of order) await app.db.transaction((trx) => enqueue(trx, kind, { ...(team && { team }) }))
  const worker = app.workerFor([kind])
  await worker.start()
  onTestFinished(() => worker.stop(5_000))
  return { app, gate, running }
}

test('the jobs of one team leave a place to the others', async () => {
  const { app, gate, running } = await startFlood(async () => {})

  await running.until(() => expect([...running].sort()).toEqual(['acme', 'acme', 'acme', 'globex']))
  gate.open()

  await app.until(async () => expect(await app.db.query(sql`select 1 from jobs`)).toEqual([]))
  expect(running).toHaveLength(22)
})

test('the jobs of one team leave a connection to the others', async () => {
  const held = makeGate()
  const transactions = new ObservedList<string>()
  const { gate } = await startFlood(({ team }, { db }) =>
    db.transaction(async () => {
      transactions.push(team ?? 'nobody')
      if (team === 'acme') await held.opened
    }),
  )

  await transactions.until(() => expect([...transactions].sort()).toEqual(['acme', 'acme', 'globex']))
  held.open()
  gate.open()
})

test('what a claim passes over for a team with enough is found by the next one, also if some of its jobs ended meanwhile', async () => {
  const app = await startApp()
  holdSteadyTime()
  const gates = Array.from({ length: 5 }, makeGate)
  const running = new ObservedList<number>()
  const kind = job<Payload & { readonly n: number }>({
    ...{ name: 'flood', retryAfterSeconds: [], concurrency: 4 },
    async run({ n }) {
      running.push(n)
      await gates[n]!.opened
    },
  })
  for (const n of gates.keys()) await app.db.transaction((trx) => enqueue(trx, kind, { team: 'acme', n }))
  // Due for longer than two claims overlap; and no sweep comes.
  app.clock.advance(60)
  const query = app.db.query.bind(app.db)
  const left = async () => (await query(sql`select from jobs where name = 'flood'`)).length
  vi.spyOn(app.db, 'query').mockImplementation(async (statement) => {
    const rows = await query(statement)
    if (rows.length === 1 && running.length === 3 && statement.toQuery().text.includes('set claims = claims + 1')) {
      for (const gate of gates) gate.open()
      while ((await left()) > 2) await new Promise(setImmediate)
    }
    return rows as never
  })
  const worker = app.workerFor([kind])
  await worker.start()
  onTestFinished(() => worker.stop(5_000))

  await running.until(() => expect(running).toHaveLength(3))
  gates[running[0]!]!.open()

  await running.until(() => expect([...running].sort()).toEqual([0, 1, 2, 3, 4]))
})

test('the slots of a team that had enough are filled a few at a time', async () => {
  const app = await startApp()
  const [slots, most, few] = [48, 36, 9]
  const gates = Array.from({ length: 2 * most }, makeGate)
  const running = new ObservedList<string>()
  const kind = job<Payload & { readonly n: number }>({
    ...{ name: 'flood', retryAfterSeconds: [], concurrency: slots },
    async run({ team, n }) {
      running.push(team ?? '')
      await gates[n]?.opened
    },
  })
  const put = (team: string, n: number) => app.db.transaction((trx) => enqueue(trx, kind, { team, n }))
  for (const n of gates.keys()) await put('acme', n)
  let claims = 0
  const query = app.db.query.bind(app.db)
  vi.spyOn(app.db, 'query').mockImplementation((statement) => {
    if (statement.toQuery().text.includes('set claims = claims + 1')) claims++
    return query(statement) as never
  })
  const left = async () => (await query(sql`select from jobs where name = 'flood'`)).length
  const end = async (n: number) => {
    const before = await left()
    gates[n]!.open()
    await app.until(async () => expect(await left()).toBe(before - 1))
  }
  const worker = app.workerFor([kind])
  await worker.start()
  onTestFinished(async () => {
    for (const gate of gates) gate.open()
    await worker.stop(5_000)
  })
  await running.until(() => expect(running).toHaveLength(most))
  const first = claims

  for (let n = 0; n < few; n++) await end(n)

  await running.until(() => expect(running).toHaveLength(most + few))
  // One for them; loops look by themselves as well, once in a second.
  expect(claims - first).toBeLessThan(few / 2)
  // A job of somebody else does not wait for that.
  await put('globex', gates.length)
  await running.until(() => expect(running).toContain('globex'))
})

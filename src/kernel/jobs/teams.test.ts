import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { ObservedList } from '../../../test/harness/changes.ts'
import { freshDatabase } from '../../../test/harness/database.ts'
import { makeGate } from '../../../test/harness/gate.ts'
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

import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { openBackend } from '../../../test/harness/backends.ts'
import { holdSteadyTime } from '../../../test/harness/steady-time.ts'
import { sql } from './sql.ts'

test('whether the database answers is known without standing in line behind the statements of others', async () => {
  const { db } = await startApp()
  const backend = await openBackend()
  await backend.hold('lock table segments in access exclusive mode')
  // What was answered a moment ago stays so, however long a busy machine takes from here.
  holdSteadyTime()
  await db.query(sql`select`)
  const others = Array.from({ length: 3 }, () => db.query(sql`select from segments`))
  await backend.waiters()

  expect(await db.isAnswering(0)).toBe(true)

  await backend.release()
  await Promise.all(others)
})

import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { sql } from './sql.ts'

test('whether the database answers is known without standing in line behind the statements of others', async () => {
  const { db } = await startApp()
  await db.query(sql`select`)
  const others = Array.from({ length: 3 }, () => db.query(sql`select pg_sleep(0.5)`))

  expect(await db.isAnswering(100)).toBe(true)

  await Promise.all(others)
})

import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { DeadNodes } from './dead-nodes.ts'
import { LIVING_NODES } from './signals.ts'
import { sql } from './sql.ts'

const holders = (...nodes: number[]) => sql`select * from unnest(${nodes}::int[]) as held (holder)`

test('a node is gone when it is missing twice in a row', async () => {
  const { db } = await startApp()
  const deadNodes = new DeadNodes(holders(-1, -2, db.signals.node), { quietSeconds: 0 })

  const looks = [await deadNodes.look(db), await deadNodes.look(db), await deadNodes.look(db)]

  expect(looks.map((gone) => gone.sort())).toEqual([[], [-1, -2], [-1, -2]])
})

test('one that only lost its connection is back before the second look', async () => {
  const { db } = await startApp()
  const { node } = (await startApp()).db.signals
  const deadNodes = new DeadNodes(holders(node), { quietSeconds: 0 })
  const isAlive = async () => (await db.query(sql`select where ${node}::bigint in (${LIVING_NODES})`)).length > 0

  const looks: number[][] = []
  for (let round = 0; round < 3; round++) {
    await db.query(sql`
      select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objid::bigint = ${node}`)
    looks.push(await deadNodes.look(db))
    while (!(await isAlive()));
    looks.push(await deadNodes.look(db))
  }

  expect(looks.flat()).toEqual([])
})

test('nobody is called dead while the database has just started', async () => {
  const { db } = await startApp()
  const century = 100 * 365 * 86_400
  const deadNodes = new DeadNodes(holders(-1), { quietSeconds: century })

  const looks = [await deadNodes.look(db), await deadNodes.look(db), await deadNodes.look(db)]

  expect(looks).toEqual([[], [], []])
})

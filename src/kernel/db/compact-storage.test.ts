import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { freshDatabase } from '../../../test/harness/database.ts'
import { newId } from '../../../test/harness/ids.ts'
import { systemClock } from '../../platform/clock.ts'
import { Database } from './database.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
const SEEN = `select is_contraction as "isContraction" from schema_migrations where name = '0105_compact_rows.sql'`
const OLD_NODE = `insert into nodes (id, pid, channel, started_at) values (-7, 1, '', now())`

/** A database in which nobody has packed anything yet, upgraded so many days ago. Everything is rolled back. */
async function upgraded({ days }: { days: number | null }) {
  const config = await freshDatabase()
  const connect = async () => {
    const client = new pg.Client(config)
    await client.connect()
    onTestFinished(() => client.end())
    return client
  }
  const client = await connect()
  await client.query('delete from nodes; delete from teams')
  await client.query(`update schema_migrations set is_contraction = false, applied_at = $1 where name like '0105%'`, [
    new Date(Date.now() - (days ?? 0) * DAY_MS),
  ])
  if (days !== null)
    await client.query(`insert into teams (id, name, created_at) values ($1, $1::uuid::text, '2025-01-01')`, [newId()])
  const pack = async (by = client) =>
    (await by.query('select store_compactly($1) as "isCompact"', [new Date()])).rows[0].isCompact as boolean
  const seen = async () => (await client.query(SEEN)).rows[0]
  return { config, client, connect, pack, seen }
}

test('a new database has packed bodies from its first process on, and older programs are told so', async () => {
  const { config, client, seen } = await upgraded({ days: null })
  const db = Database.connect(config, { clock: systemClock })
  onTestFinished(() => db.close())

  await db.presence.start()

  expect(db.presence.storesCompactly).toBe(true)
  expect(await seen()).toEqual({ isContraction: true })
  await expect(client.query(OLD_NODE)).rejects.toThrow('cannot read: start a newer one')
})

test('after an upgrade there are two days in which one can go back', async () => {
  const { config, client, pack, seen } = await upgraded({ days: 1 })
  const db = Database.connect(config, { clock: systemClock })
  onTestFinished(() => db.close())
  await db.presence.start()

  expect(db.presence.storesCompactly).toBe(false)
  await client.query(OLD_NODE)
  await client.query(`delete from nodes where id = -7`)
  await client.query(
    `update schema_migrations set applied_at = applied_at - interval '25 hours' where name like '0105%'`,
  )
  expect(await seen()).toEqual({ isContraction: false })
  expect(await pack()).toBe(true)
  expect(await seen()).toEqual({ isContraction: true })
})

test('nothing is packed while a process could not read it', async () => {
  const { client, pack, seen } = await upgraded({ days: 3 })
  await client.query(OLD_NODE)

  expect(await pack()).toBe(false)
  expect(await seen()).toEqual({ isContraction: false })

  await client.query('delete from nodes')
  expect(await pack()).toBe(true)
})

test('a process that enters at the same moment is waited for, or refused', async () => {
  const { client, connect, pack, seen } = await upgraded({ days: 3 })
  const entering = await connect()
  await entering.query('begin')
  await entering.query(OLD_NODE)

  await expect(pack()).rejects.toThrow('lock timeout')
  await entering.query('commit')
  expect(await pack()).toBe(false)

  await client.query('delete from nodes')
  await client.query('begin')
  expect(await pack()).toBe(true)
  const refused = expect(entering.query(OLD_NODE)).rejects.toThrow('cannot read')
  await client.query('commit')
  await refused
  expect(await seen()).toEqual({ isContraction: true })
})

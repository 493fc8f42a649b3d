import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { freshDatabase } from '../../../test/harness/database.ts'
import { DatabaseProxy } from '../../../test/harness/database-proxy.ts'
import { eventually } from '../../../test/harness/service.ts'
import { Database } from '../../kernel/db/database.ts'
import type { Limits } from '../../kernel/db/limits.ts'
import { sql } from '../../kernel/db/sql.ts'
import { systemClock } from '../clock.ts'
import { serversOf } from './database-servers.ts'

const read = (connectionString: string) => {
  const { hosts, wanted, connectMs } = serversOf({ connectionString })
  return { hosts: hosts.map((host) => host.connectionString), wanted, connectMs }
}

test('one host is taken as it is', () => {
  expect(read('postgres://u:p@db/mail')).toEqual({ hosts: ['postgres://u:p@db/mail'], wanted: 'any', connectMs: null })
  expect(read('postgres://u@/mail?host=/run/postgresql').hosts).toEqual(['postgres://u@/mail?host=/run/postgresql'])
  expect(read('postgresql:///mail').hosts).toEqual(['postgresql:///mail'])
})

test('several hosts are tried in their order, each with its port', () => {
  expect(read('postgres://u:p%40@one,two:5433,[::1]:5434/mail?target_session_attrs=primary&connect_timeout=3')).toEqual(
    {
      hosts: ['one', 'two:5433', '[::1]:5434'].map(
        (host) => `postgres://u:p%40@${host}/mail?target_session_attrs=primary&connect_timeout=3`,
      ),
      wanted: 'primary',
      connectMs: 3_000,
    },
  )
  expect(read('postgres://one,two/mail').wanted).toBe('read-write')
})

test.each([
  ['mysql://one,two/mail', 'must be a URL that starts with `postgres://` or `postgresql://`'],
  ['postgres://u:hunter2@one,/mail', /with commas between several hosts$/],
  ['postgres://u:hunter2@one:x,two/mail', /with commas between several hosts$/],
  ['postgres://one,two/mail?target_session_attrs=standby', /any, read-write, primary/],
  ['postgres://one/mail?connect_timeout=soon', /number of seconds/],
])('%s is refused', (url, message) => {
  expect(() => read(url)).toThrow(message)
  expect(() => read(url)).not.toThrow(/hunter2/)
})

/** A database that nobody can write to, on the server of the tests. */
async function readOnlyDatabase(): Promise<pg.ClientConfig> {
  const writable = await freshDatabase()
  const admin = new pg.Client(writable)
  await admin.connect()
  const name = `${admin.database}_readonly`
  await admin.query(`create database ${name}`)
  await admin.query(`alter database ${name} set default_transaction_read_only = on`)
  onTestFinished(async () => {
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  })
  return { ...writable, database: name }
}

/** Nobody listens on port 1. */
const NOBODY = 1

/** With these hosts in its URL. */
function open(hosts: readonly (DatabaseProxy | typeof NOBODY)[], parameters = '', limits: Partial<Limits> = {}) {
  const ports = hosts.map((host) => (typeof host === 'number' ? host : Number(new URL(host.url).port)))
  const proxy = hosts.find((host) => typeof host !== 'number')!
  const { username, password, pathname } = new URL(proxy.url)
  const at = ports.map((port) => `127.0.0.1:${port}`).join(',')
  const credentials = password ? `${username}:${password}` : username
  const connectionString = `postgres://${credentials}@${at}${pathname}${parameters}`
  const db = Database.connect({ connectionString }, { clock: systemClock, limits })
  onTestFinished(() => db.close())
  return db
}

const one = (db: Database) => db.query(sql`select 1 as one`)

test('a host that refuses is passed over, for statements, transactions and signals', async () => {
  const proxy = await DatabaseProxy.start(await freshDatabase())
  const db = open([NOBODY, proxy])

  expect(await one(db)).toEqual([{ one: 1 }])
  expect(await db.transaction((trx) => trx.query(sql`select 1 as one`))).toEqual([{ one: 1 }])
  await db.presence.start()
})

test('a host that is silent is passed over, and not asked first the next time', async () => {
  const [silent, proxy] = [
    await DatabaseProxy.start(await freshDatabase()),
    await DatabaseProxy.start(await freshDatabase()),
  ]
  silent.freeze()
  const db = open([silent, proxy], '', { connectMs: 1_000 })

  expect(await one(db)).toEqual([{ one: 1 }])
  const asked = silent.connections.length
  expect(await db.queryPooled(sql`select 1 as one`)).toEqual([{ one: 1 }])

  expect(silent.connections.length).toBe(asked)
})

test('when the host in use goes, the other one is taken', async () => {
  const [first, second] = [
    await DatabaseProxy.start(await freshDatabase()),
    await DatabaseProxy.start(await freshDatabase()),
  ]
  const db = open([first, second])
  await one(db)
  expect(second.connections).toEqual([])

  first.refuse()
  first.drop({ tellClient: true })

  await eventually(() =>
    one(db).then(
      () => true,
      () => false,
    ),
  )
  expect(second.connections.length).toBeGreaterThan(0)
})

test('a server that cannot be written to will only do when any will', async () => {
  const reader = await DatabaseProxy.start(await readOnlyDatabase())
  const writer = await DatabaseProxy.start(await freshDatabase())
  const isReadOnly = (db: Database) => db.query(sql`select current_setting('transaction_read_only') as it`)

  await expect(one(open([reader], '?target_session_attrs=read-write'))).rejects.toThrow('cannot be written to')
  expect(await isReadOnly(open([reader], '?target_session_attrs=any'))).toEqual([{ it: 'on' }])
  expect(await isReadOnly(open([writer], '?target_session_attrs=read-write'))).toEqual([{ it: 'off' }])
  expect(await isReadOnly(open([writer], '?target_session_attrs=primary'))).toEqual([{ it: 'off' }])
})

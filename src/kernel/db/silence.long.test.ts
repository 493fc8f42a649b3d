import { describe, expect, onTestFinished, test } from 'vitest'
import { openBackend } from '../../../test/harness/backends.ts'
import { freshDatabase } from '../../../test/harness/database.ts'
import { DatabaseProxy } from '../../../test/harness/database-proxy.ts'
import { makeGate } from '../../../test/harness/gate.ts'
import { eventually } from '../../../test/harness/service.ts'
import { systemClock } from '../../platform/clock.ts'
import { DatabaseAway, DatabaseBusy, isUnavailable } from '../../platform/database-errors.ts'
import { POOL } from './connections.ts'
import { Database } from './database.ts'
import type { Limits } from './limits.ts'
import { sql } from './sql.ts'

/** For a database that says nothing: what it will not say is not waited for. */
const SHORT: Partial<Limits> = { connectMs: 1_000, probeAfterMs: 50, probeMs: 1_000 }
/** For one that lives: nothing but the silence of one connection is noticed soon, however busy the machine is. */
const WATCHFUL: Partial<Limits> = { probeAfterMs: 50, probeMs: 30_000, connectMs: 30_000 }

async function open(limits: Partial<Limits>) {
  const proxy = await DatabaseProxy.start(await freshDatabase())
  const lines: string[] = []
  const log = {
    info: (line: string) => void lines.push(line),
    warn: (line: string) => void lines.push(line),
  }
  const db = Database.connect(proxy.config, { clock: systemClock, limits, log })
  onTestFinished(() => db.close(100))
  return { proxy, db, lines }
}

const one = (db: Database) => db.query(sql`select 1 as one`)
const oneSlowly = (db: Database) => db.queryPooled(sql`select 1 as one`)
const oneInTransaction = (db: Database) => db.transaction((trx) => trx.query(sql`select 1 as one`))
const WAYS = { quick: one, slow: oneSlowly, 'in a transaction': oneInTransaction }
const ways = Object.entries(WAYS) as [string, (db: Database) => Promise<unknown[]>][]

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  )

const isBack = (db: Database) => eventually(async () => (await failureOf(one(db))) === null)

/** Until the connections through the proxy are such. */
const connections = (proxy: DatabaseProxy, isSo: (all: DatabaseProxy['connections']) => boolean) =>
  eventually(() => isSo(proxy.connections))

describe.each(['freeze', 'mute'] as const)('while the database is silent (%s)', (fault) => {
  test.each(ways)('a statement ends (%s), and the next ones do when it is back', async (_name, run) => {
    const { proxy, db } = await open(SHORT)
    await run(db)

    proxy[fault]()
    const failures = await Promise.all([failureOf(run(db)), failureOf(run(db))])
    const later = await failureOf(run(db))
    proxy.thaw()

    expect([...failures, later].every((error) => error instanceof DatabaseAway && isUnavailable(error))).toBe(true)
    await isBack(db)
    expect(await run(db)).toEqual([{ one: 1 }])
  })
})

test('the log has one line when the database goes and one when it is back, whoever noticed', async () => {
  const { proxy, db, lines } = await open(SHORT)
  await Promise.all(ways.map(([, run]) => run(db)))

  proxy.freeze()
  for (let round = 0; round < 3; round++) await Promise.all(ways.map(([, run]) => failureOf(run(db))))
  expect(db.health.isAway).toBe(true)
  expect(await db.isAnswering(1_000)).toBe(false)
  proxy.thaw()
  await isBack(db)

  expect(lines).toEqual([
    expect.stringContaining('database: unavailable'),
    expect.stringContaining('database: available again'),
  ])
  expect(await db.isAnswering(30_000)).toBe(true)
})

test.each([
  ['refused', (proxy: DatabaseProxy) => proxy.refuse()],
  ['silent', (proxy: DatabaseProxy) => proxy.freeze()],
])('new connections that are %s are given up, and had again when it is over', async (_name, begin) => {
  const { proxy, db, lines } = await open(SHORT)

  begin(proxy)
  const failures = await Promise.all(ways.map(([, run]) => failureOf(run(db))))
  proxy.thaw()
  await proxy.admit()

  expect(failures.every(isUnavailable)).toBe(true)
  await isBack(db)
  expect(lines).toHaveLength(2)
})

test.each(ways)('one connection that is forgotten on the way costs its own statements (%s)', async (_name, run) => {
  const { proxy, db, lines } = await open(WATCHFUL)
  await run(db)

  proxy.drop({ tellClient: false, chosen: ({ index }) => index === 0 })
  const failure = await failureOf(run(db))

  expect(failure).toBeInstanceOf(DatabaseAway)
  expect(await run(db)).toEqual([{ one: 1 }])
  expect(lines).toEqual([])
})

test('one forgotten connection is enough to distrust the others that rest', async () => {
  const { proxy, db } = await open(WATCHFUL)
  const gate = makeGate()
  const together = Array.from({ length: 4 }, () =>
    db.transaction(async (trx) => {
      await trx.query(sql`select`)
      await gate.opened
    }),
  )
  await connections(proxy, (all) => all.length >= 4)
  gate.open()
  await Promise.all(together)
  await one(db)
  await connections(proxy, (all) => all.filter(({ isOpen }) => isOpen).length === 5)

  proxy.drop({ tellClient: false })
  await failureOf(oneSlowly(db))

  expect(await Promise.all(together.map(() => oneSlowly(db)))).toEqual(together.map(() => [{ one: 1 }]))
  expect(await one(db)).toEqual([{ one: 1 }])
})

test('a connection that nobody has used for a while is not trusted', async () => {
  const { proxy, db } = await open({ ...WATCHFUL, idleMs: 0 })
  await one(db)
  await oneSlowly(db)

  proxy.drop({ tellClient: false })

  expect(await one(db)).toEqual([{ one: 1 }])
  expect(await oneSlowly(db)).toEqual([{ one: 1 }])
})

test('a statement that takes its time is left alone as long as PostgreSQL works at it', async () => {
  const { proxy, db, lines } = await open(WATCHFUL)
  const backend = await openBackend()
  await backend.hold('lock table segments')

  const waiting = [db.queryPooled(sql`select from segments`), db.query(sql`select from segments`)]
  await connections(proxy, (all) => all.length > 6)
  await backend.release()

  expect(await Promise.all(waiting)).toEqual([[], []])
  expect(lines).toEqual([])
})

describe('while the server answers and has no time for new connections', () => {
  /** They take longer than a connection may. */
  const STATEMENTS = 1_000

  /** How many connections there were when the first was there: it may have taken longer than it may, too. */
  async function connected({ proxy, db, lines }: Awaited<ReturnType<typeof open>>) {
    await isBack(db)
    lines.splice(0)
    return proxy.connections.length
  }

  /** Statements on the connection that is there, until the work is over. */
  async function beside(work: Promise<unknown>, db: Database) {
    let isOver = false
    const over = work.finally(() => {
      isOver = true
    })
    while (!isOver) expect(await one(db)).toEqual([{ one: 1 }])
    return over
  }

  test('whoever needs one waits, and nobody is told that the database is away', async () => {
    const { proxy, db, lines } = await open({ connectMs: 50, probeMs: 50, probeAfterMs: 10_000 })
    const known = await connected({ proxy, db, lines })

    proxy.freeze(({ index }) => index >= known)
    const waiting = Promise.all([oneSlowly(db), oneInTransaction(db)])
    await beside(
      connections(proxy, (all) => all.length >= known + 2),
      db,
    )
    for (let statement = 0; statement < STATEMENTS; statement++) await one(db)
    expect(db.health.isAway).toBe(false)
    proxy.thaw()

    expect(await waiting).toEqual([[{ one: 1 }], [{ one: 1 }]])
    expect(lines).toEqual([])
  })

  test('a statement that takes its time is left alone, though nobody can be asked about it', async () => {
    const { proxy, db, lines } = await open({ connectMs: 60_000, probeMs: 50, probeAfterMs: 1_000 })
    await Promise.all([one(db), oneSlowly(db)])
    const known = proxy.connections.length

    proxy.freeze(({ index }) => index >= known)
    await beside(db.queryPooled(sql`select pg_sleep(3)`), db)

    expect(proxy.connections.length).toBeGreaterThan(known)
    expect(lines).toEqual([])
  })

  test('it is away once it says nothing on the others either', async () => {
    const { proxy, db, lines } = await open({ connectMs: 50, probeMs: 50, probeAfterMs: 500 })
    const known = await connected({ proxy, db, lines })

    proxy.freeze(({ index }) => index >= known)
    const waiting = failureOf(oneSlowly(db))
    await beside(
      connections(proxy, (all) => all.length > known),
      db,
    )
    proxy.freeze()

    expect(await waiting).toBeInstanceOf(DatabaseAway)
    expect(lines).toEqual([expect.stringContaining('database: unavailable')])
    proxy.thaw()
    await isBack(db)
  })
})

test('PostgreSQL ends a statement before we do', async () => {
  const { db } = await open({ ...WATCHFUL, quickMs: 100, slowMs: 100 })
  const backend = await openBackend()
  await backend.hold('lock table segments')

  const waiting = [db.queryPooled(sql`select from segments`), db.query(sql`select from segments`)]
  const failures = await Promise.all(waiting.map(failureOf))

  expect(failures).toEqual([expect.objectContaining({ code: '57014' }), expect.objectContaining({ code: '57014' })])
  expect(await one(db)).toEqual([{ one: 1 }])
})

test('a transaction that was given up lets go of its locks at once', async () => {
  const { proxy, db } = await open(WATCHFUL)
  let failure: unknown
  await db
    .transaction(async (trx) => {
      await trx.query(sql`lock table segments`)
      const mine = proxy.connections.length - 1
      proxy.freeze(({ index }) => index === mine)
      await trx.query(sql`select`)
    })
    .catch((error) => {
      failure = error
    })

  expect(failure).toBeInstanceOf(DatabaseAway)
  // The server's side of it is still frozen: what it holds, it would hold for a minute.
  expect(await db.query(sql`select from segments`)).toEqual([])
})

test('nobody waits for a pooled connection for ever', async () => {
  const { db } = await open({ ...WATCHFUL, poolMs: 100 })
  const backend = await openBackend()
  await backend.hold('lock table segments')

  const holding = Array.from({ length: POOL }, () => db.queryPooled(sql`select from segments`))
  await backend.waiters(POOL)
  const failure = await failureOf(oneSlowly(db))
  await backend.release()
  await Promise.all(holding)

  expect(failure).toBeInstanceOf(DatabaseBusy)
  expect(isUnavailable(failure)).toBe(true)
  expect(db.load).toMatchObject({ idle: POOL, waiting: 0 })
})

test('closing does not wait for a database that is silent', async () => {
  const { proxy, db } = await open(SHORT)
  await Promise.all(ways.map(([, run]) => run(db)))

  proxy.freeze()
  const failure = failureOf(oneSlowly(db))
  await db.close(500)

  expect(await failure).toBeInstanceOf(DatabaseAway)
  expect(await failureOf(oneSlowly(db))).toBeInstanceOf(DatabaseAway)
})

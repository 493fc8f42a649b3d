import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { ObservedList } from '../../../test/harness/changes.ts'
import { freshDatabase } from '../../../test/harness/database.ts'
import { type Chosen, DatabaseProxy } from '../../../test/harness/database-proxy.ts'
import { systemClock } from '../../platform/clock.ts'
import { Database } from './database.ts'
import { processStart, processState } from './machine.ts'
import type { Presence, PresenceOptions } from './presence.ts'
import { sql } from './sql.ts'

// Quick for a test, and still slow enough for a machine that is busy with others.
const QUICK = { heartbeatMs: 20, answerMs: 1_000, leaseMs: 2_000, goneMs: 3_000, stalledMs: 3_000 }

/** A node that is there, and all that it is told about others. */
async function join(options: PresenceOptions = {}, config?: object) {
  const db = Database.connect(config ?? (await freshDatabase()), {
    clock: systemClock,
    presence: { ...QUICK, ...options },
  })
  const gone = new ObservedList<number>()
  db.presence.on('gone', (nodes) => gone.push(...nodes))
  onTestFinished(() => db.close())
  await db.presence.start()
  return { db, presence: db.presence, gone }
}

async function joinThroughProxy(options: PresenceOptions = {}) {
  const proxy = await DatabaseProxy.start(await freshDatabase())
  return { proxy, ...(await join(options, proxy.config)) }
}

const ofPresence: Chosen = ({ applicationName }) => applicationName.startsWith('postwren presence')

test('nodes see each other, what each one works at, and that one has left', async () => {
  const [one, other] = [await join(), await join()]
  one.db.signals.work('letters', () => {})
  await expect.poll(() => other.presence.others.find(({ id }) => id === one.presence.node)?.works).toEqual(['letters'])

  await one.presence.close()

  await other.gone.until(() => expect(other.gone).toContain(one.presence.node))
})

test('a connection that dies without a word is replaced before anybody minds', async () => {
  const { proxy, presence } = await joinThroughProxy()
  const other = await join()
  const { node } = presence

  proxy.drop({ tellClient: false, chosen: ofPresence })
  for (let beat = 0; beat < 5; beat++) await once(presence, 'renewed')

  expect(presence.node).toBe(node)
  expect(proxy.connections.filter(ofPresence)).toHaveLength(2)
  expect(other.gone).not.toContain(node)
})

test('a node that cannot prove that it lives knows it before the others call it dead, and comes back as another', async () => {
  const { proxy, presence } = await joinThroughProxy()
  const other = await join()
  const { node } = presence
  const heldLease: boolean[] = []
  other.presence.on('gone', (nodes) => {
    if (nodes.includes(node)) heldLease.push(presence.holdsLease(node))
  })

  proxy.freeze()
  await expect.poll(() => heldLease).toEqual([false])
  proxy.thaw()
  await once(presence, 'renewed')

  expect(presence.node).not.toBe(node)
  expect(presence.holdsLease(node)).toBe(false)
  expect(presence.mayWork).toBe(true)
})

test('nobody is called dead because the database was away for all', async () => {
  const proxy = await DatabaseProxy.start(await freshDatabase())
  const [one, other] = [await join({}, proxy.config), await join({}, proxy.config)]
  const third = await join({ goneMs: 3_600_000 })

  proxy.freeze()
  await expect.poll(() => one.presence.holdsLease() || other.presence.holdsLease()).toBe(false)
  // Longer than it takes to be called dead, as somebody counts who sees the database.
  for (let beat = 0; beat < (2 * QUICK.goneMs) / QUICK.heartbeatMs; beat++) await once(third.presence, 'renewed')
  proxy.thaw()
  for (let beat = 0; beat < 40; beat++) await once(one.presence, 'renewed')

  expect(one.gone).not.toContain(other.presence.node)
  expect(other.gone).not.toContain(one.presence.node)
})

test('a database that takes no writes lets nobody be called dead', async () => {
  const { db, presence, gone } = await join()
  await db.query(
    sql`insert into nodes (id, pid, channel, reads, started_at) values (-3, 1, '', '{compact_rows}', now())`,
  )
  await once(presence, 'renewed')

  await db.transaction(async (trx) => {
    await trx.query(sql`lock table nodes in exclusive mode`)
    await expect.poll(() => presence.holdsLease()).toBe(false)
  })

  await once(presence, 'renewed')
  expect(gone).not.toContain(-3)
})

test('on the same machine a process that is gone is not waited for', async () => {
  const { db, presence, gone } = await join({ goneMs: 3_600_000 })
  const pid = 4_194_302
  expect(processState(pid, null)).toBe('gone')
  await db.query(
    sql`insert into nodes (id, machine, pid, channel, reads, started_at) select -1, machine, ${pid}, '', reads, now() from nodes where id = ${presence.node}`,
  )
  await db.query(
    sql`insert into nodes (id, machine, pid, channel, reads, started_at) values (-2, 'another machine', ${pid}, '', '{compact_rows}', now())`,
  )

  await gone.until(() => expect(gone).toEqual([-1]))

  await once(presence, 'renewed')
  expect(presence.others.map(({ id }) => id)).toContain(-2)
  await db.query(sql`delete from nodes where id < 0`)
})

/** Enough beats that somebody who stands still would have been called dead. */
async function watchFor(presence: Presence, milliseconds: number) {
  for (let beat = 0; beat < (2 * milliseconds) / QUICK.heartbeatMs; beat++) await once(presence, 'renewed')
}

test('a process that is seen to run on the same machine is starved and not dead; without a proof it sends nothing all the same', async () => {
  const { proxy, presence } = await joinThroughProxy({ leaseMs: 500 })
  const other = await join({ goneMs: 500, stalledMs: 3_600_000 })
  const { node } = presence

  proxy.freeze()
  await expect.poll(() => presence.holdsLease()).toBe(false)
  await watchFor(other.presence, 500)
  const heldLease = presence.holdsLease()
  proxy.thaw()
  await once(presence, 'renewed')

  expect(other.gone).not.toContain(node)
  expect(heldLease).toBe(false)
  expect(presence.node).toBe(node)
})

test('a process that a signal has stopped is not starved: it loses what it held like any other', async () => {
  const { db, presence, gone } = await join({ goneMs: 500, stalledMs: 3_600_000 })
  const child = spawn('sleep', ['600'])
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child, 'spawn')
  await db.query(sql`
    insert into nodes (id, machine, pid, process_start, channel, reads, started_at)
    select -4, machine, ${child.pid}, ${processStart(child.pid!)}, '', reads, now() from nodes where id = ${presence.node}`)
  await watchFor(presence, 500)
  expect(gone).toEqual([])

  child.kill('SIGSTOP')

  await gone.until(() => expect(gone).toEqual([-4]))
})

test('another process with the number of one that is gone is not taken for it', async () => {
  const { db, presence, gone } = await join({ goneMs: 3_600_000 })

  await db.query(sql`
    insert into nodes (id, machine, pid, process_start, channel, reads, started_at)
    select -5, machine, pid, '1', '', reads, now() from nodes where id = ${presence.node}`)

  await gone.until(() => expect(gone).toEqual([-5]))
})

test('a database that is slow at the start is waited for, with more patience each time', async () => {
  const proxy = await DatabaseProxy.start(await freshDatabase())
  proxy.freeze()
  const db = Database.connect(proxy.config, { clock: systemClock, presence: { ...QUICK, answerMs: 200 } })
  onTestFinished(() => db.close())
  const started = db.presence.start()

  await expect.poll(() => proxy.connections.length).toBeGreaterThan(1)
  proxy.thaw()
  await started

  expect(db.presence.mayWork).toBe(true)
})

test('a node whose clock is not the database’s does not work until it is', async () => {
  let aheadMs = 0
  const { presence } = await join({ now: () => Date.now() + aheadMs })
  expect(presence.mayWork).toBe(true)

  aheadMs = 32 * 60_000
  await once(presence, 'clock')
  expect(presence.mayWork).toBe(false)
  expect(presence.clockOffsetMs).toBeLessThan(-31 * 60_000)

  aheadMs = 0
  await once(presence, 'clock')
  expect(presence.mayWork).toBe(true)
})

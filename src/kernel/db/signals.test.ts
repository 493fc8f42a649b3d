import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { freshDatabase } from '../../../test/harness/database.ts'
import { DatabaseProxy } from '../../../test/harness/database-proxy.ts'
import { systemClock } from '../../platform/clock.ts'
import { Database } from './database.ts'
import { sql } from './sql.ts'

/** A node that is there, and how often it was woken. */
async function join(channels: { works?: string; watches?: string } = {}, config?: object) {
  const db = Database.connect(config ?? (await freshDatabase()), { clock: systemClock, presence: { heartbeatMs: 20 } })
  onTestFinished(() => db.close())
  const woken = { count: 0 }
  const wake = () => void woken.count++
  if (channels.works) db.signals.work(channels.works, wake)
  if (channels.watches) db.signals.watch(channels.watches, wake)
  await db.presence.start()
  return { db, woken }
}

/** Resolves when this node has seen so many others. */
async function seen(db: Database, others: number) {
  while (db.presence.others.filter(({ channel }) => channel).length < others) await once(db.presence, 'renewed')
}

/** Wake-ups of one node arrive in order: behind this one, nothing is on its way any more. */
async function delivered(from: Database, to: Database) {
  const last = `last ${Math.random()}`
  const arrived = new Promise<void>((resolve) => to.signals.watch(last, resolve))
  while (!from.presence.others.some(({ watches }) => watches.includes(last))) await once(from.presence, 'renewed')
  from.signals.announce(last)
  await arrived
}

test('work is for the process that does it, and nobody else is woken for it', async () => {
  const here = await join({ works: 'a' })
  const there = await join({ works: 'a' })
  await seen(here.db, 1)

  for (let n = 0; n < 100; n++) here.db.signals.announce('a')
  await delivered(here.db, there.db)

  expect(here.woken.count).toBe(100)
  expect(there.woken.count).toBe(0)
})

test('work that a process does not do wakes one of those who do, once for a burst, and the next burst another', async () => {
  const api = await join()
  const workers = [await join({ works: 'b' }), await join({ works: 'b' }), await join({ works: 'x' })]
  await seen(api.db, 3)
  const counts = () => workers.map(({ woken }) => woken.count)

  api.db.signals.announce('b')
  await expect.poll(() => counts().toSorted()).toEqual([0, 0, 1])
  for (const { db } of workers) await delivered(api.db, db)
  api.db.signals.announce('b')
  await expect.poll(counts).toEqual([1, 1, 0])
})

test('who has more than it can take passes the word on', async () => {
  const full = await join({ works: 'c' })
  const other = await join({ works: 'c' })
  await seen(full.db, 1)

  full.db.signals.wakePeer('c')

  await expect.poll(() => other.woken.count).toBe(1)
  expect(full.woken.count).toBe(0)
})

test('what is watched is told to all who watch', async () => {
  const [from, ...watchers] = [await join(), await join({ watches: 'd' }), await join({ watches: 'd' })]
  await seen(from.db, 2)

  from.db.signals.announce('d')

  for (const { db } of watchers) await delivered(from.db, db)
  expect(watchers.map(({ woken }) => woken.count)).toEqual([1, 1])
})

test('a database that is slow to pass words on gets one at a time, whatever is announced meanwhile', async () => {
  const proxy = await DatabaseProxy.start(await freshDatabase())
  const from = await join({}, proxy.config)
  const worker = await join({ works: 'e' })
  await seen(from.db, 1)

  proxy.mute()
  for (let n = 0; n < 1_000; n++) {
    from.db.signals.announce('e')
    if (n % 100 === 0) await once(worker.db.presence, 'renewed')
  }
  proxy.thaw()
  await expect.poll(() => from.db.presence.holdsLease()).toBe(true)
  await delivered(from.db, worker.db)

  expect(worker.woken.count).toBeGreaterThan(0)
  expect(worker.woken.count).toBeLessThan(10)
})

test('a statement that stands alone wakes others with its commit, and in a crowd few do', async () => {
  const from = await join()
  const worker = await join({ works: 'f' })
  await seen(from.db, 1)
  const carried: boolean[] = []
  const announce = () =>
    from.db.signals.announceWith(['f'], (notified) => {
      carried.push(notified !== null)
      return from.db.query<{ row: number }>(
        sql`select row from generate_series(1, 2) row ${notified ? sql`where ${notified}` : sql``}`,
      )
    })

  const rows = await announce()
  await delivered(from.db, worker.db)
  expect(worker.woken.count).toBe(1)
  await Promise.all(Array.from({ length: 20 }, announce))
  await delivered(from.db, worker.db)

  expect(rows).toEqual([{ row: 1 }, { row: 2 }])
  expect(carried[0]).toBe(true)
  expect(carried.filter(Boolean).length).toBeLessThan(5)
  expect(worker.woken.count).toBeGreaterThan(1)
})

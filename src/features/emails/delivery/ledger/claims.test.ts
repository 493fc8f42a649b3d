import { expect, onTestFinished, test } from 'vitest'
import { freshDatabase, PATIENT } from '../../../../../test/harness/database.ts'
import { type Chosen, DatabaseProxy } from '../../../../../test/harness/database-proxy.ts'
import { emptyLedger, sendEmail, startAcme } from '../../../../../test/harness/emails.ts'
import { Database } from '../../../../kernel/db/database.ts'
import { WorkerShell } from '../../../../kernel/db/worker-shell.ts'
import { createLog } from '../../../../platform/observability/log.ts'
import { DestinationQueues } from '../transport/destination-queues.ts'
import { Claims } from './claims.ts'
import { type Claimed, DELIVERIES_CHANNEL, DELIVERY_HOLDERS, releaseHeldBy, releaseUnknown } from './queries.ts'

const ofPresence: Chosen = ({ applicationName }) => applicationName.startsWith('postwren presence')

/** Claims of a node of its own, and what stands between its heartbeats and the database. */
async function startNode(presence: { heartbeatMs?: number; lateMs?: number } = {}) {
  const { app, acme } = await startAcme()
  await emptyLedger(app)
  const proxy = await DatabaseProxy.start(await freshDatabase())
  const db = Database.connect(proxy.config, { clock: app.clock, presence: { ...PATIENT.presence, ...presence } })
  onTestFinished(() => db.close())
  await db.presence.start()
  const { clock } = app
  const log = createLog({ level: 'silent', isTerminal: false })
  const queues = new DestinationQueues({ memoryBytes: 1_000_000, connections: 5, room: () => Number.POSITIVE_INFINITY })
  const shell = new WorkerShell<Claimed>(
    { db, log },
    {
      names: { worker: 'delivery', rows: 'deliveries' },
      channel: DELIVERIES_CHANNEL,
      holders: DELIVERY_HOLDERS,
      teamOf: ({ team }) => team,
      release: (nodes) => releaseHeldBy(db, nodes),
      releaseUnknown: (node, known) => releaseUnknown(db, node, known),
    },
  )
  return { app, acme, proxy, db, shell, claims: new Claims({ db, clock, queues }, shell) }
}

test('a node whose heartbeats are not answered claims a part of what it would', async () => {
  const { acme, proxy, db, claims } = await startNode({ heartbeatMs: 100, lateMs: 200 })
  const to = (batch: number) => Array.from({ length: 50 }, (_, n) => `b${batch}-${n}@example.com`)
  for (let batch = 0; batch < 6; batch++) await sendEmail(acme, { to: to(batch) })

  proxy.mute(ofPresence)
  // Six heartbeats are missed: an eighth is left of what it claims, and of what it holds.
  await expect.poll(() => db.presence.claimShare).toBeLessThanOrEqual(1 / 8)
  const strained = await claims.due()

  expect(strained.batches.flat()).not.toEqual([])
  expect(strained.batches.flat().length).toBeLessThanOrEqual(13)
})

test('new rows are held without a claim only while nothing like them waits in the ledger', async () => {
  const { acme, shell, claims } = await startNode()
  onTestFinished(() => shell.stop())
  const roomBeforeStart = claims.newRowsBeside(0)
  await shell.start()
  const roomBeforeClaim = claims.newRowsBeside(0)
  for (const name of ['a', 'b', 'c'])
    await sendEmail(acme, { to: Array.from({ length: 50 }, (_, n) => `${name}${n}@example.com`) })
  const full = await claims.due()
  const roomWithBacklog = claims.newRowsBeside(0)
  const rest = await claims.due()
  const roomAfter = claims.newRowsBeside(0)
  claims.passOver()
  const roomAfterPassOver = claims.newRowsBeside(0)
  await claims.due()
  const roomBesideMany = [claims.newRowsBeside(950), claims.newRowsBeside(1_000)]
  shell.markUncertain()

  expect([roomBeforeStart, roomBeforeClaim, roomWithBacklog, roomAfterPassOver]).toEqual([0, 0, 0, 0])
  expect([full.batches.flat().length, rest.batches.flat().length]).toEqual([100, 50])
  expect([roomAfter, ...roomBesideMany]).toEqual([100, 50, 0])
  expect(claims.newRowsBeside(0)).toBe(0)
})

test('where another process delivers, it holds no more new rows than one claim takes', async () => {
  const { app, db, shell, claims } = await startNode()
  onTestFinished(() => shell.stop())
  await app.delivery.start()
  await shell.start()
  await expect.poll(() => db.presence.others.some(({ works }) => works.includes(DELIVERIES_CHANNEL))).toBe(true)
  await claims.due()

  expect([claims.newRowsBeside(0), claims.newRowsBeside(60), claims.newRowsBeside(100)]).toEqual([100, 40, 0])
})

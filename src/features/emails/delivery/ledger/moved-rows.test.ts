import { expect, onTestFinished, test } from 'vitest'
import type { App } from '../../../../../test/harness/app.ts'
import { openBackend } from '../../../../../test/harness/backends.ts'
import { emptyLedger, readEmail, sendEmail, startAcme } from '../../../../../test/harness/emails.ts'
import { scriptedTransport } from '../../../../../test/harness/transport.ts'
import type { Database } from '../../../../kernel/db/database.ts'
import { type Sql, sql } from '../../../../kernel/db/sql.ts'
import { claimDue, claimParked, releaseHeldBy, releaseUnknown } from './queries.ts'
import { resumeHeld } from './set-aside.ts'

// A delivery that is settled moves into another partition. Whoever saw it before, and wants it afterwards, is refused by PostgreSQL, even
// where locked rows are skipped: `withMovedRows` has to ask again.

const LOCK = 4711
const SETTLE = `update deliveries set state = 'canceled', settled_at = now(), holder = null, suspended_at = null where email_id = $1`

async function start() {
  const world = scriptedTransport()
  const { app, acme } = await startAcme({}, { transport: world.transport })
  await emptyLedger(app)
  return { app, acme, world, backend: await openBackend() }
}

/** Updates of the ledger wait until nobody has the lock, when they have seen how the ledger is. */
async function waitAfterSnapshot(app: App) {
  await app.db.query(sql`
    create function wait_for_test() returns trigger language plpgsql as 'begin perform pg_advisory_xact_lock(4711); return null; end'`)
  await app.db.query(sql`
    create trigger wait_for_test before update on deliveries for each statement execute function wait_for_test()`)
  onTestFinished(async () => void (await app.db.query(sql`drop function wait_for_test cascade`)))
}

test('a worker whose claim meets a row that has moved takes the others at once, and is as certain as before', async () => {
  const { app, acme, world, backend } = await start()
  const canceled = await sendEmail(acme, { to: 'first@example.com' })
  const other = await sendEmail(acme, { to: 'second@example.com' })
  await waitAfterSnapshot(app)

  await backend.hold('select pg_advisory_xact_lock($1)', [LOCK])
  const delivering = app.deliverDue()
  await backend.waiters()
  await backend.wantToo(SETTLE, [canceled])
  await backend.commit()
  await delivering

  expect(world.sent.map(({ email }) => email)).toEqual([other])
  expect((await readEmail(acme, other)).timeline).toEqual(['sent', 'delivered'])
  expect((await readEmail(acme, canceled)).states).toEqual({ 'first@example.com': 'canceled' })
})

const DEAD = 2_000_000_000

/** How the rows lie there before, and who then wants all of them. */
const WANTED: [string, Sql, (db: Database) => Promise<unknown>][] = [
  [
    'a claim of what is parked',
    sql`parked_for = 'gmail'`,
    (db) =>
      claimParked(db, { node: db.presence.node, of: [{ queue: { destination: 'gmail', priority: 0 }, limit: 9 }] }),
  ],
  ['taking up what was set aside', sql`suspended_at = due_at`, resumeHeld],
  ['taking over from a dead process', sql`holder = ${DEAD}`, (db) => releaseHeldBy(db, [DEAD])],
  ['releasing what a process does not know of', sql`holder = ${DEAD}`, (db) => releaseUnknown(db, DEAD, [])],
]

test.each(WANTED)('%s goes on without a row that has moved meanwhile', async (_what, before, want) => {
  const { app, acme, backend } = await start()
  const [moved, other] = [await sendEmail(acme), await sendEmail(acme)]
  await app.db.query(sql`update deliveries set ${before}`)
  await waitAfterSnapshot(app)

  await backend.hold('select pg_advisory_xact_lock($1)', [LOCK])
  const done = want(app.db)
  await backend.waiters()
  await backend.wantToo(SETTLE, [moved])
  await backend.commit()
  await done

  const { node } = app.db.presence
  await claimDue(app.db, { node, now: app.clock.now(), of: [{ priority: 0, limit: 9, since: null }] })
  expect(await app.db.query(sql`select email_id as id, state, holder from deliveries order by state`)).toEqual([
    { id: moved, state: 'canceled', holder: null },
    { id: other, state: 'waiting', holder: node },
  ])
})

test('who deletes an email that is settled at this moment waits, and deletes it', async () => {
  const { app, acme, backend } = await start()
  const id = await sendEmail(acme)

  await backend.hold(SETTLE, [id])
  const deleting = acme.delete(`/messages/${id}`)
  await backend.waiters()
  await backend.commit()

  expect((await deleting).status).toBe(200)
  expect((await acme.get(`/emails/${id}`)).status).toBe(404)
  expect(await app.db.query(sql`select from deliveries`)).toEqual([])
})

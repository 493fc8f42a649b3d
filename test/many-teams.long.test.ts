import { expect, test, vi } from 'vitest'
import { sql } from '../src/kernel/db/sql.ts'
import { emptyLedger, readEmail, sendEmail, startAcme } from './harness/emails.ts'
import { makeGate } from './harness/gate.ts'
import { multiplyTeam } from './harness/many-teams.ts'
import { startReceiver } from './harness/receiver.ts'
import { DELIVERED, scriptedTransport } from './harness/transport.ts'
import { addWebhook } from './harness/webhooks.ts'

vi.setConfig({ testTimeout: 300_000 })

const TEAMS = 10_000
const EMAILS = 2
/** Of those whose webhook wants to hear that mail was delivered; the others wait for bounces, which do not come. */
const LISTENING = 500

test(`${TEAMS} teams with mail that is due: all of it leaves, and who comes last does not wait for the others`, async () => {
  const gate = makeGate()
  const world = scriptedTransport(async () => {
    // The first ones wait until all of the process's slots are taken.
    await gate.opened
    return DELIVERED
  })
  const receiver = await startReceiver()
  const { app, acme } = await startAcme({}, { transport: world.transport })
  await emptyLedger(app)
  await addWebhook(acme, receiver.url, ['email.bounced'])
  for (let n = 0; n < EMAILS; n++) await sendEmail(acme, { to: 'user-0@example.com' })
  // As mail of a broadcast is: it goes to many, and single mail goes before it.
  await app.db.query(sql`update deliveries set priority = 1 where team_id = ${acme.team}`)
  await multiplyTeam(app, acme.team, TEAMS - 1)
  await app.db.query(sql`
    update webhooks set events = array['email.delivered'] where (team_id, id) in (select team_id, id from webhooks limit ${LISTENING})`)

  await app.db.queryPooled(sql`analyze`)

  await app.startWorkers()
  // As many as a process takes of what goes to many.
  await world.reached(800)
  const globex = await app.as('globex')
  const last = await sendEmail(globex, { to: 'last@example.com' })
  gate.open()

  await world.reached(TEAMS * EMAILS + 1)
  const before = world.sent.findIndex(({ email }) => email === last)
  // It was taken up beside what was in flight, and not behind the backlog.
  expect(before).toBeGreaterThanOrEqual(800)
  expect(before).toBeLessThan((TEAMS * EMAILS) / 4)
  const waiting = () =>
    app.db.query<{ state: string; count: number; teams: number }>(sql`
    select state, count(*)::int as count, count(distinct team_id)::int as teams from deliveries group by state`)
  const all = { state: 'delivered', count: TEAMS * EMAILS + 1, teams: TEAMS + 1 }
  await app.until(async () => expect(await waiting()).toEqual([all]), 120_000)
  expect((await readEmail(globex, last)).last_event).toBe('delivered')
  await receiver.reached(LISTENING * EMAILS, 120_000)

  // Pages that look at all teams, the background work of all of them, and metrics, whose number does not grow with the teams.
  const operator = await app.ownerOf(acme)
  const { status, body } = await operator.get('/operator/teams?limit=100')
  expect([status, body.data.length, body.has_more]).toEqual([200, 100, true])
  await app.runDueJobs()
  expect((await app.metrics.render()).split('\n').length).toBeLessThan(2_000)
  // A mail is sent once, whatever the number of teams.
  expect(new Set(world.sent.map(({ email }) => email)).size).toBe(TEAMS * EMAILS + 1)
  expect(world.sent).toHaveLength(TEAMS * EMAILS + 1)
})

import { expect, test } from 'vitest'
import { startApp } from '../../../../../test/harness/app.ts'
import { automate, happens, publishTemplate, send, trigger } from '../../../../../test/harness/automated.ts'
import { readEmail, sendEmail } from '../../../../../test/harness/emails.ts'
import { suspend, unsuspend } from '../../../../../test/harness/operators.ts'
import { addWebhook, startWithReceiver, statuses } from '../../../../../test/harness/webhooks.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import { claimDue } from './queries.ts'
import { holdSuspended } from './set-aside.ts'

test('mail of a suspended team is set aside once, untried, and leaves when it may send again', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  const id = await sendEmail(acme)
  const scheduled = await sendEmail(acme, { scheduled_at: 'in 1 hour' })
  await suspend(app, acme)
  const theirs = await sendEmail(globex)

  app.clock.advance(7_200)
  await app.deliverDue()
  const rows = await rowsOf(app, acme.team)
  const claimed = await claimDue(app.db, { node: app.db.presence.node, now: app.clock.now(), of: ALL })
  app.clock.advance(80 * 3_600)
  await unsuspend(app, acme)
  await app.runDueJobs()
  await app.deliverDue()

  expect(rows).toEqual([
    { state: 'waiting', attempts: 0, holder: null, isAside: true },
    { state: 'waiting', attempts: 0, holder: null, isAside: true },
  ])
  expect(claimed).toEqual([])
  expect((await readEmail(globex, theirs)).timeline).toEqual(['sent', 'delivered'])
  // Longer than mail is tried for: the time that it lay aside does not count.
  expect((await readEmail(acme, id)).timeline).toEqual(['sent', 'delivered'])
  expect((await readEmail(acme, scheduled)).timeline).toEqual(['scheduled', 'sent', 'delivered'])
})

test('a worker that hears of it late sets nothing aside of a team that may send again', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await sendEmail(acme)
  const claimed = await claimDue(app.db, { node: app.db.presence.node, now: app.clock.now(), of: ALL })

  const aside = await holdSuspended(app.db, claimed, app.clock.now())

  expect(claimed).toHaveLength(1)
  expect(aside).toEqual([])
})

test('mail that is set aside can be canceled', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const id = await sendEmail(acme, { scheduled_at: 'in 1 hour' })
  await suspend(app, acme)
  app.clock.advance(7_200)
  await app.deliverDue()
  await unsuspend(app, acme)

  const reply = await acme.post(`/emails/${id}/cancel`)
  await app.runDueJobs()
  await app.deliverDue()

  expect(reply.status).toBe(200)
  expect((await readEmail(acme, id)).timeline).toEqual(['scheduled'])
})

test('webhooks of a suspended team hear of nothing until it may act again', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  await acme.post('/topics', { name: 'News' })
  await suspend(app, acme)

  await app.deliverWebhooks()
  const before = receiver.received.length
  await unsuspend(app, acme)
  await app.deliverWebhooks()

  expect([before, receiver.received.length]).toEqual([0, 1])
  expect(Object.values(await statuses(acme, id))).toEqual(['success'])
})

test('automations of a suspended team wait', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const template = await publishTemplate(acme)
  await automate(acme, [trigger(), send(template)])
  await happens(acme, 'user.created', 'ada@example.com')
  await suspend(app, acme)

  await app.runAutomations()
  const before = await mailsIn(app, acme.team)
  await unsuspend(app, acme)
  await app.runAutomations()

  expect([before, await mailsIn(app, acme.team)]).toEqual([0, 1])
})

const ALL = [0, 1].map((priority) => ({ priority, limit: 10, since: null }))

const mailsIn = async ({ db }: { db: Awaited<ReturnType<typeof startApp>>['db'] }, team: string) =>
  (await db.query(sql`select id from emails where team_id = ${team}`)).length

const rowsOf = ({ db }: { db: Awaited<ReturnType<typeof startApp>>['db'] }, team: string) =>
  db.query(sql`
    select state, attempts, holder, suspended_at is not null as "isAside" from deliveries where team_id = ${team} order by email_id`)

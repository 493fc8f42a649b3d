import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import {
  automate,
  happens,
  mailsOf,
  send,
  startWithTemplate,
  storiesOf,
  trigger,
} from '../../../../test/harness/automated.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { MAX_CHAIN_DEPTH } from './chain.ts'

const ADA = 'ada@example.com'

test('what happens to an email does not start the automation that has sent it', async () => {
  const { app, acme, template } = await startWithTemplate()
  await acme.post('/contacts', { email: ADA })
  const automation = await automate(acme, [trigger('resend:email.delivered'), send(template)])
  await acme.post('/emails', { from: 'me@acme.dev', to: ADA, subject: 'First', text: 'x' })

  for (let round = 0; round < 3; round++) {
    await app.deliverDue()
    await app.runAutomations()
  }

  expect(await mailsOf(acme)).toEqual([`First to ${ADA}`, `Hello to ${ADA}`])
  expect(await storiesOf(acme, automation)).toHaveLength(1)
})

test('nor does the email of a test run', async () => {
  const { app, acme, template } = await startWithTemplate()
  await acme.post('/contacts', { email: ADA })
  const automation = await automate(acme, [trigger('resend:email.delivered'), send(template)])
  expect((await acme.post(`/automations/${automation}/test`, { to: ADA })).status).toBe(202)

  for (let round = 0; round < 3; round++) {
    await app.runAutomations()
    await app.deliverDue()
  }

  expect(await mailsOf(acme)).toEqual([`Hello to ${ADA}`])
})

test('automations whose emails start one another end after five, and the run says why, whichever node goes on', async () => {
  const { app, acme, template } = await startWithTemplate()
  const other = await startApp()
  await acme.post('/contacts', { email: ADA })
  const delivered = trigger('resend:email.delivered')
  const first = await automate(acme, [trigger(), send(template)])
  const ping = await automate(acme, [delivered, send(template)])
  const pong = await automate(acme, [delivered, send(template)])
  await acme.patch(`/automations/${pong}`, { status: 'disabled' })
  await happens(acme, 'user.created', ADA)
  await app.runAutomations()
  await app.deliverDue()
  await app.runAutomations()
  await acme.patch(`/automations/${pong}`, { status: 'enabled' })

  for (let round = 0; round < MAX_CHAIN_DEPTH; round++) {
    const node = round % 2 === 0 ? other : app
    // What one has written down as due by now is due for the other one.
    for (const { clock } of [app, other]) clock.advance(60)
    await node.deliverDue()
    await node.runAutomations()
  }

  const statuses = async (id: string) => (await storiesOf(acme, id)).map(({ status }) => status)
  expect(await statuses(first)).toEqual(['completed'])
  expect(await statuses(ping)).toEqual(['completed', 'completed', 'failed'])
  expect(await statuses(pong)).toEqual(['completed', 'completed'])
  expect(await mailsOf(acme)).toHaveLength(MAX_CHAIN_DEPTH)
  const refused = (await storiesOf(acme, ping))[2]!
  expect(refused).toMatchObject({
    steps: { start: 'failed', mail: 'skipped' },
    outputs: { start: { name: 'chain_too_long', message: expect.stringContaining('5 times in a row') } },
  })
  expect((await acme.get('/usage')).body.automation_runs.used).toBe(MAX_CHAIN_DEPTH)
})

test('a run that was refused is none for an automation that runs once for a contact', async () => {
  const { app, acme, template } = await startWithTemplate()
  await acme.post('/contacts', { email: ADA })
  const automation = await automate(acme, [trigger('resend:email.delivered'), send(template)])
  const sender = await automate(acme, [trigger(), send(template)])
  await acme.patch(`/automations/${automation}/settings`, { once_per_contact: 'ever' })
  await happens(acme, 'user.created', ADA)
  await app.runAutomations()
  await app.db.query(sql`update automation_emails set depth = ${MAX_CHAIN_DEPTH} where team_id = ${acme.team}`)
  await app.deliverDue()
  await app.runAutomations()
  expect((await storiesOf(acme, automation)).map(({ status }) => status)).toEqual(['failed'])

  await acme.delete(`/automations/${sender}`)
  await acme.post('/emails', { from: 'me@acme.dev', to: ADA, subject: 'First', text: 'x' })
  await app.deliverDue()
  await app.runAutomations()

  expect((await storiesOf(acme, automation)).map(({ status }) => status)).toEqual(['failed', 'completed'])
})

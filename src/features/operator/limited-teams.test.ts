import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { arrive, RICH, receivingTeam } from '../../../test/harness/arriving.ts'
import { automate, happens, publishTemplate, send, trigger } from '../../../test/harness/automated.ts'
import {
  broadcastTo,
  copiesOf,
  makeManyContacts,
  makeSegment,
  readBroadcast,
  sendAll,
} from '../../../test/harness/broadcasts.ts'
import { importFile } from '../../../test/harness/imports.ts'
import { limit, suspend, unsuspend } from '../../../test/harness/operators.ts'
import { MAILING } from '../../../test/harness/requests.ts'

// What limits mean for those who do not ask by a request: mail that comes in, broadcasts, automations, imports.

test('received mail counts, and beyond its limit is to come again', async () => {
  const app = await startApp()
  const { client: acme, domain } = await receivingTeam(app, 'acme')
  await limit(app, acme, { received_per_day: 3, emails_per_day: 10 })

  const answers = await Promise.all(Array.from({ length: 6 }, () => arrive(app, RICH, { to: [`desk@${domain}`] })))

  const refused = answers.filter(({ kind }) => kind === 'refused')
  expect(refused).toHaveLength(3)
  expect(refused[0]).toMatchObject({ code: 451, message: expect.stringContaining('try again tomorrow') })
  expect((await acme.get('/usage')).body.emails.daily).toMatchObject({ used: 3, sent: 0, received: 3, limit: 10 })
})

test('a broadcast waits for the next day when the quota is used up', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const segment = await makeManyContacts(app, acme, 5)
  await limit(app, acme, { emails_per_day: 3 })
  const id = await broadcastTo(acme, segment)

  await app.runDueJobs()
  const today = (await copiesOf(app, acme, id)).length
  app.clock.advance(86_400)
  await app.runDueJobs()

  expect([today, (await copiesOf(app, acme, id)).length]).toEqual([3, 5])
})

test('a broadcast whose last copies use the quota up has been sent, also when others are left who get none', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const exact = await broadcastTo(acme, await makeManyContacts(app, acme, 3))
  await limit(app, acme, { emails_per_day: 3 })
  await sendAll(app)
  const none = await broadcastTo(acme, await makeSegment(acme, [{ email: 'gone@example.com', unsubscribed: true }]))
  await sendAll(app)

  expect(await readBroadcast(acme, exact)).toMatchObject({ status: 'sent', counts: { emails: 3, sent: 3 } })
  expect(await readBroadcast(acme, none)).toMatchObject({ status: 'sent', counts: { emails: 0, unsubscribed: 1 } })
})

test('a broadcast of a suspended team makes no copies until it may send again', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const id = await broadcastTo(acme, await makeManyContacts(app, acme, 2))
  await suspend(app, acme)

  await app.runDueJobs()
  const before = (await copiesOf(app, acme, id)).length
  await unsuspend(app, acme)
  app.clock.advance(61)
  await app.runDueJobs()

  expect([before, (await copiesOf(app, acme, id)).length]).toEqual([0, 2])
})

test('a broadcast keeps to the recipients a second', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const id = await broadcastTo(acme, await makeManyContacts(app, acme, 5))
  await limit(app, acme, { recipients_per_second: 2 })
  const made = async () => (await copiesOf(app, acme, id)).length

  const counts = []
  for (let second = 0; second < 3; second++) {
    await app.runDueJobs()
    counts.push(await made())
    app.clock.advance(1)
  }

  expect(counts).toEqual([2, 4, 5])
})

test('a team with more contacts than it may have sends no broadcasts', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const segment = await makeManyContacts(app, acme, 3)
  await limit(app, acme, { contacts: 2 })

  const reply = await acme.post('/broadcasts', { ...MAILING, segment_id: segment, send: true })

  expect(reply.body).toMatchObject({
    statusCode: 403,
    name: 'validation_error',
    message: expect.stringContaining('contacts quota'),
  })
})

test('a step of an automation fails when the quota is used up, and adds no contacts beyond the limit', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const automation = await automate(acme, [trigger(), send(await publishTemplate(acme))])
  await limit(app, acme, { emails_per_day: 1, contacts: 2 })
  for (const name of ['ada', 'bob', 'cy']) await happens(acme, 'user.created', `${name}@example.com`)

  await app.runAutomations()

  const { body } = await acme.get(`/automations/${automation}/runs`)
  expect(body.data.map(({ status }: { status: string }) => status).sort()).toEqual(['completed', 'failed'])
  expect((await acme.get('/contacts')).body.data).toHaveLength(2)
})

test('an import adds what there is room for, and changes what is there', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await acme.post('/contacts', { email: 'ada@example.com' })
  await limit(app, acme, { contacts: 2 })
  const csv = 'email,first_name\nada@example.com,Ada\nbob@example.com,Bob\ncy@example.com,Cy\n'

  const { counts } = await importFile(app, acme, csv, { on_conflict: 'upsert' })

  expect(counts).toEqual({ total: 3, created: 1, updated: 1, skipped: 0, failed: 1 })
})

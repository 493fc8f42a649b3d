import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { guardedKey, noticesTo, press } from '../../../test/harness/approvals.ts'
import type { Policy } from '../policies/schema.ts'

// A person's yes is about a mail. How many leave under a policy is what its limits say, whenever somebody says yes.

const HOUR = 3_600
const DAY = 24 * HOUR
const HOLD = { expires_in_hours: 720 }

async function start(policy: Policy) {
  const app = await startApp()
  const acme = await app.as('acme')
  const key = await guardedKey(app, acme, { hold: HOLD, ...policy })
  const approve = async (...ids: string[]) =>
    (await acme.post('/approvals/decide', { decision: 'approve', ids })).body.data
  const statusOf = async (id: string) => (await acme.get(`/emails/${id}`)).body.last_event
  return { app, acme, key, approve, statusOf }
}

test('what was submitted on several days does not reach one person on one', async () => {
  const { app, acme, key, approve, statusOf } = await start({ max_emails_per_recipient_per_day: 1 })
  const ids: string[] = []
  for (let day = 0; day < 3; day++) {
    ids.push(await key.send())
    app.clock.advance(DAY + 120)
  }
  const [one, two, three] = ids as [string, string, string]

  const message = expect.stringMatching(
    /^`max_emails_per_recipient_per_day` allows 1 email in 24 hours to ada@example\.org\./,
  )
  expect(await approve(...ids)).toMatchObject([
    { id: one, outcome: 'decided', status: 'approved', message: null },
    { id: two, outcome: 'policy_refused', status: 'waiting', decided_by: null, message },
    { id: three, outcome: 'policy_refused', status: 'waiting', decided_by: null, message },
  ])
  await app.deliverDue()
  expect(await Promise.all(ids.map(statusOf))).toEqual(['delivered', 'queued', 'queued'])
  expect((await acme.post(`/approvals/${two}/approve`)).body).toMatchObject({ name: 'policy_refused', message })

  app.clock.advance(DAY + 120)
  expect((await acme.post(`/approvals/${two}/approve`)).status).toBe(200)
  expect((await acme.post(`/approvals/${three}/refuse`)).status).toBe(200)
  await app.deliverDue()
  expect(await Promise.all(ids.map(statusOf))).toEqual(['delivered', 'delivered', 'canceled'])
})

test('what is approved counts when it leaves, and not any more when it was submitted', async () => {
  const { app, acme, key, approve } = await start({ max_emails_per_hour: 2 })
  const usedInHour = async () => (await acme.get(`/api-keys/${key.id}/activity`)).body.used.emails_last_hour
  const ids = [await key.send(), await key.send({ to: 'bob@example.org' })]
  const send = async () =>
    (await key.post('/emails', { from: 'agent@acme.dev', to: 'x@example.org', subject: 'Hi', text: 'Hi' })).status
  app.clock.advance(2 * HOUR)
  expect(await usedInHour()).toBe(0)

  await approve(...ids)

  expect(await usedInHour()).toBe(2)
  expect(await send()).toBe(403)
  app.clock.advance(2 * HOUR)
  expect(await send()).toBe(200)
})

test('a yes within the same hour takes nothing twice', async () => {
  const { app, key, approve } = await start({ max_emails_per_hour: 2, max_emails_per_recipient_per_day: 2 })
  const ids = [await key.send(), await key.send()]
  app.clock.advance(10 * 60)

  expect(await approve(...ids)).toMatchObject([{ outcome: 'decided' }, { outcome: 'decided' }])
})

test('mail that is scheduled counts for its time, however late it is approved', async () => {
  const { app, key, approve, statusOf } = await start({ max_emails_per_hour: 1 })
  const early = await key.send({ scheduled_at: 'in 1 hour' })
  const late = await key.send({ scheduled_at: 'in 5 hours' })
  app.clock.advance(5 * HOUR)

  expect(await approve(early)).toMatchObject([{ outcome: 'policy_refused' }])
  expect(await approve(late)).toMatchObject([{ outcome: 'decided' }])
  await app.deliverDue()
  expect(await statusOf(late)).toBe('delivered')
})

test('two who say yes at once let no more leave than the limit does', async () => {
  const { app, acme, key } = await start({ max_emails_per_recipient_per_day: 1 })
  const ids = [await key.send()]
  app.clock.advance(DAY + 120)
  ids.push(await key.send())
  app.clock.advance(DAY + 120)
  const elsewhere = await startApp()
  elsewhere.clock.advance(2 * (DAY + 120))
  const apps = [app, elsewhere]
  const headers = { authorization: `Bearer ${acme.token}` }

  const answers = await Promise.all(
    ids.map((id, n) => apps[n]!.send({ method: 'POST', url: `/approvals/${id}/approve`, headers })),
  )

  expect(answers.map(({ status }) => status).sort()).toEqual([200, 403])
})

test('the page behind the link says which limit', async () => {
  const { app, key } = await start({ max_emails_per_recipient_per_day: 1 })
  const person = await app.person('acme', 'owner')
  const ids = [await key.send({ subject: 'One' })]
  app.clock.advance(DAY + 120)
  ids.push(await key.send({ subject: 'Two' }))
  app.clock.advance(DAY + 120)
  await app.runDueJobs()
  const [notice] = await noticesTo(app, person.email)

  const page = await press(app, notice!.approve, [
    ['decision', 'approve'],
    ...ids.map((id) => ['email', id] as [string, string]),
  ])

  expect(page.body).toContain('1 email approved. 1 email beyond a limit: `max_emails_per_recipient_per_day` allows')
  expect(page.body).toContain(`value="${ids[1]}" checked`)
})

test('without the policy, and in its dry run, nothing keeps what is approved', async () => {
  const { app, acme, key, approve } = await start({ max_emails_per_recipient_per_day: 1 })
  const ids: string[] = []
  for (let day = 0; day < 4; day++) {
    ids.push(await key.send())
    app.clock.advance(DAY + 120)
  }
  const set = (policy: Policy | null) => acme.patch(`/api-keys/${key.id}`, { policy })

  expect(await approve(ids[0]!)).toMatchObject([{ outcome: 'decided' }])
  await set({ max_emails_per_recipient_per_day: 1, dry_run: true })
  expect(await approve(ids[1]!)).toMatchObject([{ outcome: 'decided' }])
  await set({ max_emails_per_recipient_per_day: 1 })
  expect(await approve(ids[2]!)).toMatchObject([{ outcome: 'policy_refused' }])
  await set(null)
  expect(await approve(...ids.slice(2))).toMatchObject([{ outcome: 'decided' }, { outcome: 'decided' }])
})

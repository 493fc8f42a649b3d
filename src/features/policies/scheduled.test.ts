import { expect, test } from 'vitest'
import { startDesk } from '../../../test/harness/answering.ts'
import { startApp } from '../../../test/harness/app.ts'
import { clientOf, MAIL } from '../../../test/harness/guarded.ts'
import { newEmail } from '../../../test/harness/new-email.ts'
import { callWith, getTokens } from '../../../test/harness/oauth.ts'
import { sql } from '../../kernel/db/sql.ts'
import { addedRestrictions } from './changes.ts'
import type { Policy } from './schema.ts'

// Mail that was scheduled before its key or app had the policy that it has when the mail is to leave.

const DAY = 86_400

async function start() {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body } = await acme.post('/api-keys', { name: 'Agent' })
  const key = clientOf(app, { ...body, team: acme.team })
  const schedule = async (to: string, hours = 1): Promise<string> =>
    (await key.post('/emails', { ...MAIL, to, scheduled_at: `in ${hours} hours` })).body.id
  const guard = async (policy: Policy | null) => {
    expect((await acme.patch(`/api-keys/${key.id}`, { policy })).status).toBe(200)
    await app.runDueJobs()
  }
  const statuses = async () => {
    const { data } = (await acme.get('/emails?limit=100')).body as { data: { to: string[]; last_event: string }[] }
    return Object.fromEntries(data.map(({ to, last_event }) => [to[0], last_event]))
  }
  const leave = async () => {
    app.clock.advance(2 * 3_600)
    await app.runDueJobs()
    await app.deliverDue()
  }
  const waiting = async () => (await acme.get('/approvals')).body.data as { id: string; to: string[] }[]
  return { app, acme, key, schedule, guard, statuses, leave, waiting }
}

test('what a new policy does not allow waits for a yes, and the owner sees why', async () => {
  const { app, acme, key, schedule, guard, statuses, leave, waiting } = await start()
  await schedule('ada@example.com')
  const eve = await schedule('eve@evil.test')

  await guard({ recipients: { domains: ['example.com'] } })

  expect(await statuses()).toEqual({ 'ada@example.com': 'scheduled', 'eve@evil.test': 'queued' })
  expect(await waiting()).toMatchObject([{ id: eve, holder: { kind: 'api_key', id: key.id } }])
  const { body: activity } = await acme.get(`/api-keys/${key.id}/activity`)
  expect(activity.refusals).toMatchObject([{ rule: 'recipients', recipients: ['eve@evil.test'] }])
  expect(activity.data.at(-1)).toMatchObject({ emails: 2, recipients: 2, held: 1 })
  expect(activity.used.emails_last_day).toBe(1)

  await leave()
  expect(await statuses()).toEqual({ 'ada@example.com': 'delivered', 'eve@evil.test': 'queued' })
  expect((await acme.post(`/approvals/${eve}/approve`)).status).toBe(200)
  // A policy that changes again does not ask about what a person has approved.
  await guard({ recipients: { domains: ['example.com'] }, senders: ['globex.dev'] })
  await app.deliverDue()
  expect((await statuses())['eve@evil.test']).toBe('delivered')
})

test('headers that give orders to relays wait for a yes, too, whatever the policy says', async () => {
  const { key, schedule, guard, statuses } = await start()
  await schedule('ada@example.com')
  const headers = { 'X-SMTPAPI': '{"to":["eve@evil.test"]}' }
  await key.post('/emails', { ...MAIL, to: 'bob@example.com', headers, scheduled_at: 'in 1 hour' })

  await guard({ max_emails_per_day: 100 })

  expect(await statuses()).toEqual({ 'ada@example.com': 'scheduled', 'bob@example.com': 'queued' })
})

test('nothing leaves before the policy was asked, whoever asks it when', async () => {
  const { app, acme, key, schedule, statuses } = await start()
  await schedule('ada@example.com')
  await schedule('eve@evil.test')
  await acme.patch(`/api-keys/${key.id}`, { policy: { recipients: { domains: ['example.com'] } } })

  // Their time comes while no process does jobs.
  app.clock.advance(2 * 3_600)
  await app.deliverDue()
  expect(await statuses()).toEqual({ 'ada@example.com': 'scheduled', 'eve@evil.test': 'scheduled' })

  for (let round = 0; round < 2; round++) {
    await app.runDueJobs()
    app.clock.advance(60)
  }
  await app.deliverDue()
  expect(await statuses()).toEqual({ 'ada@example.com': 'delivered', 'eve@evil.test': 'queued' })
})

test('a policy that holds lets all wait that is scheduled, and nobody who approves in time cancels it', async () => {
  const { app, schedule, guard, statuses, leave } = await start()
  await schedule('ada@example.com', 100)

  await guard({ hold: { expires_in_hours: 2 } })
  expect(await statuses()).toEqual({ 'ada@example.com': 'queued' })

  await leave()
  app.clock.advance(5 * DAY)
  await app.deliverDue()
  expect(await statuses()).toEqual({ 'ada@example.com': 'canceled' })
})

test('a cap counts what is scheduled, and what is beyond it waits', async () => {
  const { key, schedule, guard, statuses } = await start()
  for (const name of ['ada', 'bob', 'cleo']) await schedule(`${name}@example.com`)

  await guard({ max_emails_per_day: 2 })

  expect(await statuses()).toEqual({
    ...{ 'ada@example.com': 'scheduled', 'bob@example.com': 'scheduled', 'cleo@example.com': 'queued' },
  })
  expect((await key.post('/emails', MAIL)).status).toBe(403)
})

test('mail that was scheduled on several days does not leave on one', async () => {
  const { app, acme } = await start()
  const policy = { max_emails_per_recipient_per_day: 1, max_emails_per_hour: 2 }
  const { body } = await acme.post('/api-keys', { name: 'Guarded', policy })
  const guarded = clientOf(app, { ...body, team: acme.team })
  const send = async (to: string, hours = 0) => {
    const when = hours > 0 ? { scheduled_at: `in ${hours} hours` } : {}
    const { status, body: answer } = await guarded.post('/emails', { ...MAIL, to, ...when })
    return status === 200 ? 'sent' : /`(\w+)`/.exec(answer.message)?.[1]
  }

  expect(await send('ada@example.com', 96)).toBe('sent')
  expect(await send('ada@example.com')).toBe('sent')
  app.clock.advance(2 * DAY)
  expect(await send('ada@example.com', 48)).toBe('max_emails_per_recipient_per_day')
  expect(await send('bob@example.com', 48)).toBe('sent')
  expect(await send('cleo@example.com', 48)).toBe('max_emails_per_hour')
  expect(await send('cleo@example.com', 50)).toBe('sent')
  app.clock.advance(2 * DAY)
  expect(await send('dora@example.com')).toBe('max_emails_per_hour')
})

test('a change asks what it changes, and a dry run asks nothing', async () => {
  const { schedule, guard, statuses, app, acme } = await start()
  await schedule('ada@example.com')
  await guard({ templates_only: true, dry_run: true })
  await guard({ recipients: { domains: ['example.com'] }, max_emails_per_day: 1 })
  await guard({ recipients: { domains: ['example.com'] }, max_emails_per_day: 1, no_bcc: true })
  await guard(null)
  expect(await statuses()).toEqual({ 'ada@example.com': 'scheduled' })

  app.clock.advance(60)
  await app.runDueJobs()
  expect(await statuses()).toEqual({ 'ada@example.com': 'scheduled' })
  expect((await acme.get('/approvals')).body.data).toEqual([])
})

test('what another process has accepted as if there were no policy yet is asked about, too', async () => {
  const { app, acme, key, guard, statuses } = await start()
  await guard({ recipients: { domains: ['example.com'] } })
  const scheduledAt = new Date(app.clock.now().getTime() + DAY * 1_000)
  const late = newEmail(acme.team, {
    ...{ createdAt: app.clock.now(), scheduledAt, apiKeyId: key.id },
    ...{ to: ['eve@evil.test'], recipients: ['eve@evil.test'] },
  })
  await app.services.sending.acceptance.accept({ emails: [late], idempotency: null })

  app.clock.advance(60)
  await app.runDueJobs()

  expect(await statuses()).toEqual({ 'eve@evil.test': 'queued' })
})

test('what a process holds whenever it is looked at is asked about when it lets go of it, and does not leave before', async () => {
  const { app, schedule, guard, statuses } = await start()
  const id = await schedule('eve@evil.test')
  const hold = (node: number | null) =>
    app.db.query(sql`update deliveries set holder = ${node}, claims = claims + 1 where email_id = ${id}`)
  await hold(app.db.presence.node)
  await guard({ recipients: { domains: ['example.com'] } })
  for (let look = 0; look < 3; look++) {
    app.clock.advance(60)
    await app.runDueJobs()
  }

  await hold(null)
  app.clock.advance(2 * 3_600)
  await app.deliverDue()
  expect(await statuses()).toEqual({ 'eve@evil.test': 'scheduled' })

  await app.runDueJobs()
  app.clock.advance(60)
  await app.deliverDue()
  expect(await statuses()).toEqual({ 'eve@evil.test': 'queued' })
})

test('mail of others stays scheduled, and so does what is being sent', async () => {
  const { app, acme, schedule, guard, statuses } = await start()
  await acme.post('/emails', { ...MAIL, to: 'other@evil.test', scheduled_at: 'in 1 hour' })
  const id = await schedule('eve@evil.test')
  await app.db.query(sql`update deliveries set holder = ${app.db.presence.node}, claims = 1 where email_id = ${id}`)

  await guard({ recipients: { domains: ['example.com'] } })

  expect(await statuses()).toEqual({ 'other@evil.test': 'scheduled', 'eve@evil.test': 'scheduled' })
})

test('more than a page of it', async () => {
  const { acme, key, guard, waiting } = await start()
  const email = { ...MAIL, to: 'eve@evil.test', scheduled_at: 'in 1 hour' }
  expect((await key.post('/emails/batch', Array(70).fill(email))).status).toBe(200)

  await guard({ recipients: { domains: ['example.com'] } })

  expect((await waiting()).length).toBe(20)
  expect((await acme.get('/emails?status=scheduled')).body.data).toEqual([])
})

test('an app that gets a policy is asked about what it has scheduled without one', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const { access_token } = await getTokens(app, ada)
  const schedule = async (to: string) =>
    (await callWith(app, access_token, 'POST', '/emails', { ...MAIL, to, scheduled_at: 'in 1 hour' })).body.id
  const [bob, eve] = [await schedule('bob@example.org'), await schedule('eve@evil.test')]
  const [{ id }] = (await ada.get('/oauth/grants')).body.data
  const activity = async () => (await ada.get(`/oauth/grants/${id}/activity`)).body
  expect((await activity()).emails).toEqual([])

  await ada.patch(`/oauth/grants/${id}`, {
    policy: { recipients: { domains: ['example.org'] }, max_emails_per_day: 5 },
  })
  await app.runDueJobs()

  const statusOf = async (email: string) => (await ada.get(`/emails/${email}`)).body.last_event
  expect([await statusOf(bob), await statusOf(eve)]).toEqual(['scheduled', 'queued'])
  expect((await activity()).used.emails_last_day).toBe(1)
})

test('a draft that an app has scheduled is judged by the policy that the app has when it leaves', async () => {
  const { app, acme, path } = await startDesk()
  const ada = await app.person('acme', 'owner')
  const { access_token } = await getTokens(app, ada)
  const call = (url: string, body: object) => callWith(app, access_token, 'POST', url, body)
  const { body: draft } = await call(`${path}/drafts`, { to: 'eve@evil.test', subject: 'Hello', html: '<p>Hi</p>' })
  expect((await call(`${path}/drafts/${draft.id}/schedule`, {})).status).toBe(200)
  const [{ id }] = (await ada.get('/oauth/grants')).body.data

  await ada.patch(`/oauth/grants/${id}`, { policy: { recipients: { domains: ['example.org'] } } })
  app.clock.advance(11)
  await app.runDueJobs()

  expect((await acme.get('/emails')).body.data).toEqual([])
  expect((await acme.get(`${path}/drafts/${draft.id}`)).body).toMatchObject({
    send_at: null,
    send_error: expect.stringContaining('Refused by the policy of this app'),
  })
})

test.each([
  ['nothing is as it was', null, { no_bcc: true, hold: true }, ['relay_headers', 'no_bcc', 'hold']],
  ['one rule is new', { no_bcc: true }, { no_bcc: true, hold: true }, ['hold']],
  ['it was a dry run', { no_bcc: true, dry_run: true }, { no_bcc: true }, ['relay_headers', 'no_bcc']],
  ['it is a dry run', null, { no_bcc: true, dry_run: true }, []],
  ['a rule is switched off', { no_bcc: true }, { no_bcc: false, hold: false }, []],
  ['approval is asked for otherwise', { hold: true }, { hold: { expires_in_hours: 1 } }, []],
  ['a list is another', { senders: ['a.dev'] }, { senders: ['b.dev'] }, ['senders']],
] as [string, Policy | null, Policy, string[]][])('what is asked anew when %s', (_what, before, after, guards) => {
  expect(addedRestrictions(before, after)).toEqual(guards)
})

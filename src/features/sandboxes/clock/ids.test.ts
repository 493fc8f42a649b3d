import { expect, test } from 'vitest'
import { importFile, upload } from '../../../../test/harness/imports.ts'
import { startReceiver } from '../../../../test/harness/receiver.ts'
import { type StagedSandbox, startStage } from '../../../../test/harness/staged.ts'
import { idsIn, waitFor } from '../../../../test/harness/waiting.ts'
import { addWebhook } from '../../../../test/harness/webhooks.ts'
import { raw, sql } from '../../../kernel/db/sql.ts'
import { ensureRecurring } from '../../../kernel/jobs/queries.ts'
import { sweepEvents } from '../../../kernel/outbox/jobs.ts'
import { FIRST_SANDBOX_ID, firstIdAt, momentOf, newId } from '../../../platform/ids.ts'
import { sweepAutomationRuns } from '../../automations/engine/jobs.ts'
import { sweepRowErrors } from '../../contacts/imports/jobs.ts'
import { sweepWebhookAttempts, sweepWebhookDeliveries } from '../../webhooks/delivery/jobs.ts'

// Ids of a sandbox are behind those of all teams, in a time that people move. What looks for a time looks there.

const DAY = 86_400_000
const iso = (ms: number) => new Date(ms).toISOString()

async function advance(box: StagedSandbox, by: string) {
  const { body, text } = await box.patch('/clock', { advance: by })
  expect(body.is_complete, text).toBe(true)
  return Date.parse(body.now)
}

/** What has the id of an email, a received one, an event or a request. */
const KEYS = {
  emails: 'id',
  email_bodies: 'email_id',
  deliveries: 'email_id',
  metric_facts: 'email_id',
  emails_by_status: 'email_id',
  received_emails: 'id',
  received_bodies: 'received_id',
  outbox: 'id',
  webhook_deliveries: 'event_id',
  webhook_attempts: 'event_id',
}

test('whatever is kept by time of a sandbox is behind the ids of teams, but for requests, which are in real time', async () => {
  const { app, acme, sandbox } = await startStage()
  await app.startWorkers()
  const box = await sandbox()
  const receiver = await startReceiver()
  await addWebhook(box, receiver.url, ['email.delivered'])
  await box.setScenario({
    rules: [
      { match: { to: 'gone@*' }, outcome: { reply: '550 5.1.1 gone' } },
      { match: {}, outcome: { replied: { after: '1 day', text: 'Yes' } } },
    ],
  })
  await box.patch('/clock', { is_frozen: true })
  const real = app.clock.now().getTime()
  await box.mail()
  await box.mail({ to: 'gone@example.com' })
  const now = await advance(box, '2 days')
  await box.get('/emails/metrics/breakdown?by=recipient_domain')
  await acme.get('/emails')
  await app.flush()

  for (const [table, key] of Object.entries(KEYS)) {
    const rows = await app.db.query<{ id: string }>(sql`
      select ${raw(key)} as id from ${raw(table)} where team_id = ${box.team}`)
    expect(rows.length, table).toBeGreaterThan(0)
    for (const { id } of rows) {
      expect(id >= FIRST_SANDBOX_ID, table).toBe(true)
      expect(momentOf(id).getTime(), table).toBeGreaterThanOrEqual(real)
      expect(momentOf(id).getTime(), table).toBeLessThanOrEqual(now)
    }
  }
  const requests = await app.db.query<{ id: string }>(sql`
    select id from request_logs where team_id = ${box.team} union all select id from audit_events where team_id = ${box.team}`)
  expect(requests.length).toBeGreaterThan(0)
  expect(requests.filter(({ id }) => id >= FIRST_SANDBOX_ID)).toEqual([])
})

test('filters and searches by time go by the time of the sandbox', async () => {
  const { app, sandbox } = await startStage()
  await app.startWorkers()
  const box = await sandbox()
  await box.post('/inboxes', { email_address: `hello@${box.domain}` })
  const begin = Date.parse((await box.patch('/clock', { is_frozen: true })).body.now)
  const from = `hello@${box.domain}`
  const sent = [await box.mail({ from, subject: 'Report one' })]
  for (const subject of ['Report two', 'Report three']) {
    await advance(box, '10 days')
    sent.push(await box.mail({ from, subject }))
  }
  await advance(box, '0 seconds')
  const [first, second, third] = sent as [string, string, string]
  const after = iso(begin + 5 * DAY)
  const before = iso(begin + 15 * DAY)
  const listed = async (path: string) => idsIn(await box.get(path))

  expect(await listed('/emails')).toEqual([third, second, first])
  expect(await listed(`/emails?created_after=${after}`)).toEqual([third, second])
  expect(await listed(`/emails?created_before=${before}`)).toEqual([second, first])
  expect(await listed(`/emails?created_after=${after}&created_before=${before}&to=ada@example.com`)).toEqual([second])
  expect(await listed(`/emails?q=${encodeURIComponent(`report after:${after} before:${before}`)}`)).toEqual([second])
  expect(await listed(`/messages?q=${encodeURIComponent(`report before:${after}`)}`)).toEqual([first])
  expect(await listed(`/emails?created_after=9000-01-01`)).toEqual([])
  expect(await listed(`/emails?created_before=9000-01-01&created_after=1970-01-01`)).toEqual([third, second, first])
  expect(idsIn(await waitFor(box, { after, count: 2 }))).toEqual([third, second])
  expect((await waitFor(box, { after: iso(begin + 25 * DAY), timeout: 0 })).body.found).toBe(false)
  const range = `start_date=${after.slice(0, 10)}&end_date=${before.slice(0, 10)}`
  const { data } = (await box.get(`/emails/metrics/breakdown?by=recipient_domain&${range}`)).body
  expect(data).toMatchObject([{ value: 'example.com', sent: 1 }])
  const [inbox] = (await box.get('/inboxes')).body.data
  const threads = await box.get(`/inboxes/${inbox.id}/threads/search?query=report&start_date=${iso(begin + 19 * DAY)}`)
  expect(threads.body.data).toHaveLength(1)
  // An import that says when a contact was made does not put it among the ids of teams.
  const file = `email,created_at\nold@example.com,${iso(begin - DAY)}\n`
  await upload(box, { file, column_map: JSON.stringify({ created_at: 'created_at' }) })
  await advance(box, '0 seconds')
  const [contact] = (await box.get('/contacts')).body.data
  expect([contact.id >= FIRST_SANDBOX_ID, momentOf(contact.id).getTime()]).toEqual([true, begin - DAY])
})

test('what is too old goes, of teams and of sandboxes, and nothing else', async () => {
  const { app, acme, sandbox } = await startStage({ POSTWREN_AUTOMATION_RUN_RETENTION: '30d' })
  const [near, far] = [await sandbox(), await sandbox()]
  const receiver = await startReceiver()
  const teams = [acme, near, far]
  await far.patch('/clock', { advance: '60 days', is_frozen: true })
  for (const team of teams) {
    await addWebhook(team, receiver.url, ['topic.created'])
    await team.post('/topics', { name: 'News', default_subscription: 'opt_in' })
    await importFile(app, team, 'email\nnobody\n')
    await app.db.query(sql`
      insert into automation_emails (team_id, email_id, automation_id, step_key)
      values (${team.team}, ${newId(app.clock.of(team.team))}, ${newId(app.clock)}, 'send')`)
  }
  // Of sandboxes nothing is claimed as it is fanned out.
  for (let round = 0; round < 2; round++) await app.deliverWebhooks()
  // From before ids of sandboxes were marked.
  await app.db.query(sql`
    insert into webhook_deliveries (team_id, webhook_id, event_id, state)
    select team_id, id, ${firstIdAt(new Date(app.clock.now().getTime() + 90 * DAY))}, 'success' from webhooks where team_id = ${near.team}`)
  const TABLES = ['outbox', 'webhook_deliveries', 'webhook_attempts', 'automation_emails', 'contact_import_errors']
  const rows = async () => {
    const counted = teams.map(async ({ team }) => {
      const counts = TABLES.map((table) =>
        app.db.query<{ count: number }>(sql`select count(*)::int as count from ${raw(table)} where team_id = ${team}`),
      )
      return (await Promise.all(counts)).map(([row]) => row!.count)
    })
    return Promise.all(counted)
  }
  const sweep = async () => {
    await app.db.query(sql`delete from jobs`)
    const sweeps = [sweepEvents, sweepWebhookDeliveries, sweepWebhookAttempts, sweepAutomationRuns, sweepRowErrors]
    await ensureRecurring(app.db, sweeps)
    await app.runDueJobs()
  }
  const all = await rows()
  for (const counts of all.slice(1)) expect(Math.min(...counts)).toBeGreaterThan(0)
  await app.db.query(sql`delete from outbox_notes`)
  await app.db.query(sql`delete from outbox_batches`)

  app.clock.advance(20 * 86_400)
  await sweep()
  expect(await rows()).toEqual(all)

  // What is left of a day when it is over goes in slices.
  app.clock.advance(13 * 86_400)
  await sweep()
  // Events of a sandbox go with it, or when its clock is moved.
  const ofNear = [...all[1]!.slice(0, 3), 0, 0]
  expect(await rows()).toEqual([[0, 0, 0, 0, 0], ofNear, all[2]])

  const services = { db: app.db, clock: app.clock, config: app.config }
  app.clock.set(far.team, { version: 1_000, offsetMs: 0, frozenAt: new Date(app.clock.now().getTime() + 100 * DAY) })
  for (const one of [sweepEvents, sweepWebhookDeliveries, sweepWebhookAttempts, sweepAutomationRuns, sweepRowErrors])
    await one.sweepTeam(services, far.team)
  expect(await rows()).toEqual([[0, 0, 0, 0, 0], ofNear, [0, 0, 0, 0, 0]])
})

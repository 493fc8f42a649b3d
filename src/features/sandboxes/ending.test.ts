import { expect, test } from 'vitest'
import { type App, type SandboxClient, startApp } from '../../../test/harness/app.ts'
import { arrive, RICH } from '../../../test/harness/arriving.ts'
import { AUTOMATION } from '../../../test/harness/automations.ts'
import { SIMPLE, sendEmail } from '../../../test/harness/emails.ts'
import { startSlowServer } from '../../../test/harness/file-server.ts'
import { readableLog } from '../../../test/harness/log.ts'
import { startReceiver } from '../../../test/harness/receiver.ts'
import { ATTACHED, MAILING } from '../../../test/harness/requests.ts'
import { sweep } from '../../../test/harness/sandboxes.ts'
import { rowsOf } from '../../../test/harness/team-rows.ts'
import { addWebhook } from '../../../test/harness/webhooks.ts'
import { sql } from '../../kernel/db/sql.ts'
import { deleteSlice } from '../teams/deletion.ts'

const MINUTE = 60

/** Something of nearly everything that a test makes, some of it under way. */
async function fill(app: App, sandbox: SandboxClient) {
  await sendEmail(sandbox, ATTACHED)
  await sendEmail(sandbox, { scheduled_at: 'in 1 hour' })
  await arrive(app, RICH, { to: [`desk@${sandbox.domain}`] })
  await addWebhook(sandbox, 'http://127.0.0.1:1/hook', ['email.sent', 'contact.created'])
  const { body: segment } = await sandbox.post('/segments', { name: 'Early' })
  await sandbox.post('/contacts', { email: 'ada@example.com', segments: [segment.id] })
  await sandbox.post('/broadcasts', { ...MAILING, segment_id: segment.id, send: true })
  const { body: automation } = await sandbox.post('/automations', AUTOMATION)
  await sandbox.post(`/automations/${automation.id}/test`, { to: 'ada@example.com' })
  await sandbox.post('/inboxes', { email_address: `desk@${sandbox.domain}` })
  await app.runDueJobs()
  await app.deliverDue()
  await app.deliverWebhooks()
  await app.flush()
}

const teamIn = async (app: App, { team }: SandboxClient) =>
  (await app.db.query(sql`select id from teams where id = ${team}`)).length

test('everything of a sandbox that is deleted goes, and nothing of another', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const [sandbox, other] = [await app.sandboxOf(acme), await app.sandboxOf(acme, { expires_in: '1 day' })]
  await sendEmail(other)
  await fill(app, sandbox)
  const [before, others] = [await rowsOf(app, sandbox.team), await rowsOf(app, other.team)]
  expect(Object.keys(before).length).toBeGreaterThan(30)

  await acme.delete(`/sandboxes/${sandbox.team}`)
  // As if a process had died in the middle.
  expect(await deleteSlice(app.db, [sandbox.team], 7)).toBe(7)
  await sweep(app)

  expect(await rowsOf(app, sandbox.team)).toEqual({})
  expect(await app.db.query(sql`select id from jobs where payload ->> 'team' = ${sandbox.team}`)).toEqual([])
  expect(await rowsOf(app, other.team)).toEqual(others)
  app.clock.advance(11 * MINUTE)
  await sweep(app)
  expect([await teamIn(app, sandbox), await teamIn(app, other)]).toEqual([0, 1])
})

test('many that end together go together', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const sandboxes = await Promise.all(Array.from({ length: 60 }, () => app.sandboxOf(acme, { expires_in: 60 })))
  await Promise.all(sandboxes.map((sandbox) => sendEmail(sandbox)))
  app.clock.advance(MINUTE)

  await sweep(app)

  const [left] = await app.db.query(sql`
    select (select count(*)::int from sandboxes where team_id = ${acme.team}) as sandboxes,
      (select count(*)::int from emails where team_id = any (${sandboxes.map(({ team }) => team)}::uuid[])) as emails`)
  expect(left).toEqual({ sandboxes: 0, emails: 0 })
})

test('what is under way when a sandbox ends leaves nothing behind, and breaks nothing', async () => {
  const { log, text } = readableLog('warn')
  const app = await startApp({}, { log })
  const acme = await app.as('acme')
  const sandbox = await app.sandboxOf(acme)
  const files = await startSlowServer()
  let answer = () => {}
  const receiver = await startReceiver((response) => {
    answer = () => response.end('thanks')
  })
  await addWebhook(sandbox, receiver.url, ['email.sent'])
  await sendEmail(sandbox)
  const telling = app.deliverWebhooks()
  const sending = sandbox.post('/emails', { ...SIMPLE, attachments: [{ filename: 'a', path: files.url }] })
  await Promise.all([files.arrived, receiver.reached(1)])

  await acme.delete(`/sandboxes/${sandbox.team}`)
  await sweep(app)
  files.open()
  answer()
  await telling
  // Its key went with the sandbox while its attachment came.
  expect((await sending).body.name).toBe('invalid_api_key')
  await app.deliverDue()
  await app.flush()

  app.clock.advance(11 * MINUTE)
  await sweep(app)
  expect(await rowsOf(app, sandbox.team)).toEqual({})
  expect(await teamIn(app, sandbox)).toBe(0)
  expect(text()).toBe('[]')
})

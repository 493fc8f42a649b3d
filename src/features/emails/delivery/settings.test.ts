import { expect, test } from 'vitest'
import type { App } from '../../../../test/harness/app.ts'
import { startApp } from '../../../../test/harness/app.ts'
import { automate, happens, send, startWithTemplate, trigger } from '../../../../test/harness/automated.ts'
import { broadcastTo, makeSegment } from '../../../../test/harness/broadcasts.ts'
import { startDirect } from '../../../../test/harness/direct.ts'
import { addVerifiedDomain, emptyLedger, readEmail, sendEmail, startAcme } from '../../../../test/harness/emails.ts'
import type { MailServerOptions } from '../../../../test/harness/mail-conversation.ts'
import { startMailServer } from '../../../../test/harness/mail-server.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { sendSystemMail } from '../../people/mail.ts'

// What operators set about delivery does what it says, through real servers.

async function startRelayed(settings: Record<string, string>, options: MailServerOptions = {}) {
  const relay = await startMailServer(options)
  const url = `smtp://127.0.0.1:${relay.port}`
  const app = await startApp({ POSTWREN_DELIVERY: 'relay', POSTWREN_RELAY_URL: url, ...settings })
  await emptyLedger(app)
  const acme = await app.as('acme')
  const name = `d-${Math.random().toString(36).slice(2)}.dev`
  await addVerifiedDomain(app, acme, name)
  return { app, acme, relay, from: `hello@${name}` }
}

test('a refusal for now is followed by the schedule of the settings, and given up when they say', async () => {
  const { app, acme, relay, from } = await startRelayed(
    { POSTWREN_RETRY_SCHEDULE: '10s,20s', POSTWREN_GIVE_UP_AFTER: '1m' },
    { react: ({ step }) => (step === 'RCPT' ? '451 4.7.1 Later' : undefined) },
  )
  const id = await sendEmail(acme, { from, to: 'ada@one.dev' })
  const attemptsAfter: number[] = []
  for (const seconds of [0, 9, 1, 19, 1, 19, 1]) {
    app.clock.advance(seconds)
    await app.deliverDue()
    attemptsAfter.push(relay.count('RCPT'))
  }

  expect(attemptsAfter).toEqual([1, 1, 2, 2, 3, 3, 4])
  // The next one would be after the end of its minute.
  expect(await readEmail(acme, id)).toMatchObject({ last_event: 'bounced', states: { 'ada@one.dev': 'bounced' } })
})

test('a relay has no more connections than the settings allow', async () => {
  const { app, acme, relay, from } = await startRelayed({ POSTWREN_RELAY_CONNECTIONS: '2' })

  await Promise.all(Array.from({ length: 20 }, (_, n) => sendEmail(acme, { from, to: `user${n}@one.dev` })))
  await app.deliverDue()

  expect(relay.messages).toHaveLength(20)
  expect(relay.connections.peak).toBe(2)
})

test('a destination has no more connections than the settings allow', async () => {
  const { app, acme, server, dns, from } = await startDirect({}, { POSTWREN_DESTINATION_CONNECTIONS: '3' })
  dns.set('sink.dev', { A: ['127.0.0.1'] })

  await Promise.all(Array.from({ length: 20 }, (_, n) => sendEmail(acme, { from, to: `user${n}@sink.dev` })))
  await app.deliverDue()

  expect(server.messages).toHaveLength(20)
  expect(server.connections.peak).toBe(3)
})

test.runIf(process.platform === 'linux')('mail is sent from the address of the settings', async () => {
  const { app, acme, relay, from } = await startRelayed({ POSTWREN_SOURCE_ADDRESS: '127.0.0.2' })

  await sendEmail(acme, { from, to: 'ada@one.dev' })
  await app.deliverDue()

  expect(relay.clients).toEqual(['127.0.0.2'])
})

const HOUR = { POSTWREN_GIVE_UP_AFTER: '1h' }

/** How long the mail in the ledger has, in seconds. */
async function patience(app: App, team?: string) {
  const rows = await app.db.query<{ seconds: number }>(sql`
    select extract(epoch from give_up_at - due_at)::float8 as seconds from deliveries
    where ${team ? sql`team_id = ${team}` : sql`true`}`)
  return rows.map(({ seconds }) => seconds)
}

test('an email has as long as the settings say, also one that is moved to another time', async () => {
  const { app, acme } = await startAcme(HOUR)
  await sendEmail(acme)
  const id = await sendEmail(acme, { scheduled_at: 'in 1 day' })
  expect((await acme.patch(`/emails/${id}`, { scheduled_at: 'in 2 days' })).status).toBe(200)

  expect(await patience(app, acme.team)).toEqual([3_600, 3_600])
})

test('so has one of a sandbox', async () => {
  const { app, acme } = await startAcme(HOUR)
  const sandbox = await app.sandboxOf(acme)
  await sendEmail(sandbox, { from: `me@${sandbox.domain}` })

  expect(await patience(app, sandbox.team)).toEqual([3_600])
})

test('so has a copy of a broadcast', async () => {
  const { app, acme } = await startAcme(HOUR)
  await emptyLedger(app)
  await broadcastTo(acme, await makeSegment(acme, [{ email: 'ada@example.com' }]))
  await app.runDueJobs()

  expect(await patience(app, acme.team)).toEqual([3_600])
})

test('so has an email of an automation', async () => {
  const { app, acme, template } = await startWithTemplate(HOUR)
  await automate(acme, [trigger(), send(template)])
  await happens(acme, 'user.created', 'ada@example.com')
  await app.runAutomations()

  expect(await patience(app, acme.team)).toEqual([3_600])
})

test('so has mail of the installation itself', async () => {
  const { app } = await startAcme(HOUR)
  await emptyLedger(app)
  const mail = {
    about: null,
    to: 'ada@example.org',
    subject: 'Sign in',
    link: 'https://x.example/',
    text: 'x',
    html: 'x',
  }
  await sendSystemMail(app.services, mail)

  expect(await patience(app)).toEqual([3_600])
})

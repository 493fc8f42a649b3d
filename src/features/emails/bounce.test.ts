import { expect, test } from 'vitest'
import { arrive, written } from '../../../test/harness/arriving.ts'
import { emptyLedger, readEmail, sendEmail, startAcme } from '../../../test/harness/emails.ts'
import { sharedReturnPath } from '../../../test/harness/return-paths.ts'
import { DEFERRED, DELIVERED, NO_SUCH_USER, scriptedTransport } from '../../../test/harness/transport.ts'
import { sql } from '../../kernel/db/sql.ts'
import { lastBounceIn } from './delivery/ledger/bounce-details.ts'

const DAY = 86_400

async function start() {
  const world = scriptedTransport()
  const { app, acme } = await startAcme({}, { transport: world.transport })
  await emptyLedger(app)
  return {
    ...{ app, acme, world },
    /** What their retention does. */
    async deleteEvents(id: string) {
      await app.db.query(sql`delete from outbox where team_id = ${acme.team} and about = ${id}`)
      expect((await readEmail(acme, id)).events).toEqual([])
    },
  }
}

test.each([
  ['refused', () => NO_SUCH_USER, 'ada@example.com', { type: 'Permanent', subType: 'NoEmail' }],
  // Its words alone would say NoEmail: what the event said is kept with them.
  ['refused by a test address', () => DELIVERED, 'bounced@resend.dev', { type: 'Permanent', subType: 'General' }],
  ['put off until it was given up', () => DEFERRED, 'ada@example.com', { type: 'Transient', subType: 'General' }],
] as const)('an email that was %s says why for as long as it is kept', async (_how, answer, to, why) => {
  const { app, acme, world, deleteEvents } = await start()
  world.answer(answer)
  const id = await sendEmail(acme, { to })
  await app.deliverDue()
  app.clock.advance(4 * DAY)
  await app.deliverDue()
  const { events, bounce, last_event } = await readEmail(acme, id)
  expect(bounce).toMatchObject(why)
  expect(bounce).toEqual(events.at(-1).data.bounce)

  await deleteEvents(id)

  const kept = await readEmail(acme, id)
  expect(kept.last_event).toBe(last_event)
  expect(kept.bounce).toEqual(bounce)
})

test('of several bounces the last one is kept, also when it came back as mail', async () => {
  const { app, acme, world, deleteEvents } = await start()
  world.answer((recipient) => (recipient === 'ada@example.com' ? NO_SUCH_USER : DELIVERED))
  const id = await sendEmail(acme, { to: ['ada@example.com', 'bob@example.com'] })
  await app.deliverDue()
  app.clock.advance(60)
  const secret = app.sealer.deriveKey('return-path')
  const report = written({
    ...{ from: 'MAILER-DAEMON@example.net', subject: 'Undelivered' },
    headers: ['Content-Type: multipart/report; report-type=delivery-status; boundary=b'],
    body: [
      ...['--b', 'Content-Type: text/plain', '', 'I am sorry.', '--b', 'Content-Type: message/delivery-status', ''],
      ...['Reporting-MTA: dns; mx.example.net', '', 'Final-Recipient: rfc822; bob@example.com', 'Action: failed'],
      ...['Status: 5.2.2', 'Diagnostic-Code: smtp; 552 5.2.2 full', '--b--'],
    ].join('\r\n'),
  })
  await arrive(app, report, { to: [sharedReturnPath({ emailId: id, domain: 'send.example.com' }, secret)], from: '' })
  await app.runDueJobs()
  const { bounce } = await readEmail(acme, id)
  expect(bounce).toMatchObject({ subType: 'MailboxFull', diagnosticCode: ['smtp; 552 5.2.2 full'] })

  await deleteEvents(id)

  expect((await readEmail(acme, id)).bounce).toEqual(bounce)
})

test('mail that did not bounce has no `bounce`, whatever was said of it', async () => {
  const { app, acme, world, deleteEvents } = await start()
  world.answer(() => DEFERRED)
  const id = await sendEmail(acme)
  await app.deliverDue()
  world.answer(() => DELIVERED)
  app.clock.advance(60)
  await app.deliverDue()

  await deleteEvents(id)

  expect(await readEmail(acme, id)).not.toHaveProperty('bounce')
})

test('what an older program has written is understood again from the words of the server', async () => {
  const { app, acme, world, deleteEvents } = await start()
  world.answer(() => NO_SUCH_USER)
  const id = await sendEmail(acme)
  await app.deliverDue()
  const { bounce } = await readEmail(acme, id)
  await app.db.query(sql`
    update deliveries set replies = jsonb_set(replies, '{0}', (replies -> 0) - 'bounce') where team_id = ${acme.team} and email_id = ${id}`)

  await deleteEvents(id)

  expect((await readEmail(acme, id)).bounce).toEqual(bounce)
})

test('a complaint after a bounce is not the reason of it', () => {
  const bounce = { type: 'Transient', subType: 'MailboxFull' } as const
  const replies = [
    { at: '2026-01-01T00:00:00.000Z', reply: '552 5.2.2 full', bounce },
    { at: '2026-01-02T00:00:00.000Z', reply: 'The recipient complained (abuse).' },
  ]

  expect(lastBounceIn([{ state: 'bounced', replies }])).toMatchObject({ message: '552 5.2.2 full', ...bounce })
})

import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { readEmail, sendEmail } from '../../../../test/harness/emails.ts'
import { inboxOf, messagesIn, receive } from '../../../../test/harness/filed-mail.ts'
import { scriptedTransport } from '../../../../test/harness/transport.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { complainedEmails } from '../../emails/delivery/outcomes/complaint-evidence.ts'
import { applyReport } from '../../emails/delivery/outcomes/reports.ts'

const SES = 'email-smtp.eu-west-1.amazonaws.com'
const ID = '0102018f0c1d2e3f-6b1b7d9a-1c2d-4e3f-8a9b-0c1d2e3f4a5b-000000'
const RELAYED = `<${ID}@eu-west-1.amazonses.com>`

/** An email from an inbox, through a relay that gives it a Message-ID of its own. */
async function start() {
  const { transport } = scriptedTransport(() => ({ kind: 'delivered', host: SES, reply: `250 Ok ${ID}` }))
  const app = await startApp({}, { transport })
  const { client, id, address } = await inboxOf(app, 'acme')
  const email = await sendEmail(client, { from: address, to: 'ada@example.net', subject: 'Offer' })
  await app.deliverDue()
  await app.fileMail()
  return { app, client, inbox: id, address, email }
}

test('an answer that names the relay’s Message-ID goes into the thread of the email', async () => {
  const { app, client, inbox, address, email } = await start()
  const [answer, other] = await receive(
    app,
    address,
    { from: 'bob@example.org', subject: 'Yes', inReplyTo: RELAYED },
    { from: 'eve@example.org', subject: 'No', inReplyTo: RELAYED.replace('0c1d', 'ffff') },
  )

  const threadOf = new Map((await messagesIn(app, client, inbox)).map(({ id, thread }) => [id, thread]))
  expect(threadOf.get(answer!)).toBe(threadOf.get(email))
  expect(threadOf.get(other!)).not.toBe(threadOf.get(email))
})

test('a complaint that names it is about the email, and of no other team', async () => {
  const { app, client, email } = await start()
  const report = {
    kind: 'complaint',
    feedbackType: 'abuse',
    recipients: ['ada@example.net'],
    original: { messageId: RELAYED, returnPaths: [] },
  } as never
  const given = { reporter: null, returnPathSecrets: [Buffer.alloc(32)] }
  const applied = async (team: string) => {
    const [about] = complainedEmails(report, { team, ...given })
    return app.db.transaction((trx) => applyReport(trx, about!, report))
  }
  const { team: stranger } = await app.as('globex')

  expect(await applied(stranger)).toEqual({ recipients: 0, complaint: 'no_email', provider: null })
  expect(await applied(client.team)).toEqual({ recipients: 1, complaint: 'matched', provider: null })
  expect((await readEmail(client, email)).last_event).toBe('complained')
})

test('it goes with the email', async () => {
  const { app, client, email } = await start()
  const count = () => app.db.query(sql`select message_id from relayed_message_ids where team_id = ${client.team}`)
  expect(await count()).toEqual([{ message_id: RELAYED }])

  await app.db.query(sql`delete from emails where team_id = ${client.team} and id = ${email}`)
  expect(await count()).toEqual([])
})

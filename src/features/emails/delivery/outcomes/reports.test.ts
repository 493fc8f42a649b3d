import { describe, expect, test } from 'vitest'
import { startApp } from '../../../../../test/harness/app.ts'
import { arrive, written } from '../../../../../test/harness/arriving.ts'
import { readBuffers } from '../../../../../test/harness/buffers.ts'
import { SIMPLE } from '../../../../../test/harness/emails.ts'
import { sharedReturnPath } from '../../../../../test/harness/return-paths.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import { returnPath } from '../../../../mail/return-path.ts'
import { momentOf } from '../../../../platform/ids.ts'
import { emailMadeAt } from './reports.ts'

const ADDRESSES = ['ada@recipients.dev', 'bob@recipients.dev']

/** An email that was delivered to some recipients, and a way to send something back to its return path. */
async function delivered(to: readonly string[] = ADDRESSES) {
  const app = await startApp()
  const client = await app.as('acme')
  const { id } = (await client.post('/emails', { ...SIMPLE, to })).body
  await app.deliverDue()
  const secret = app.sealer.deriveKey('return-path')
  const shared = sharedReturnPath({ emailId: id, domain: 'send.example.com' }, secret)
  return {
    app,
    client,
    id,
    /** The return path of one recipient. */
    pathOf: (position: number) => returnPath({ emailId: id, position, domain: 'send.example.com' }, secret),
    async comesBack(raw: Buffer, recipient = shared) {
      const answer = await arrive(app, raw, { to: [recipient], from: '' })
      await app.runDueJobs()
      return answer
    },
    email: async () => (await client.get(`/emails/${id}`)).body,
    told: async (type: string) => (await client.events()).filter((event) => event.type === type),
    suppressions: async () => (await client.get('/suppressions')).body.data,
  }
}

const notification = (
  recipient: string,
  { status = '5.1.1', action = 'failed', diagnostic = 'smtp; 550 5.1.1 no such user' } = {},
) =>
  written({
    from: 'MAILER-DAEMON@example.net',
    subject: 'Undelivered Mail Returned to Sender',
    headers: [
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
      'Auto-Submitted: auto-replied',
    ],
    body: [
      '--b',
      'Content-Type: text/plain',
      '',
      'I am sorry.',
      '--b',
      'Content-Type: message/delivery-status',
      '',
      'Reporting-MTA: dns; mx.example.net',
      '',
      `Final-Recipient: rfc822; ${recipient}`,
      `Action: ${action}`,
      `Status: ${status}`,
      `Diagnostic-Code: ${diagnostic}`,
      '',
      '--b--',
      '',
    ].join('\r\n'),
  })

const complaint = (recipient: string | null, feedbackType = 'abuse') =>
  written({
    from: 'fbl@example.net',
    subject: 'FW: Hello',
    headers: ['Content-Type: multipart/report; report-type=feedback-report; boundary=b'],
    body: [
      '--b',
      'Content-Type: text/plain',
      '',
      'This is an abuse report.',
      '--b',
      'Content-Type: message/feedback-report',
      '',
      `Feedback-Type: ${feedbackType}`,
      'User-Agent: Reporter/1.0',
      'Version: 1',
      ...(recipient ? [`Original-Rcpt-To: ${recipient}`] : []),
      '',
      '--b',
      'Content-Type: message/rfc822',
      '',
      'From: me@example.com',
      'Subject: Hello',
      '',
      'Hi.',
      '--b--',
      '',
    ].join('\r\n'),
  })

describe('a notification that mail did not arrive', () => {
  test('makes its recipient bounce, and nobody else', async () => {
    const { comesBack, email, told, suppressions, id } = await delivered()

    await comesBack(notification('ADA@recipients.dev'))

    expect((await email()).last_event).toBe('bounced')
    expect((await email()).deliveries.map(({ state }: { state: string }) => state)).toEqual(['bounced', 'delivered'])
    expect((await email()).deliveries[0].replies.at(-1)).toMatchObject({
      class: 'invalid_recipient',
      means: 'bad_address',
    })
    const [event] = await told('email.bounced')
    expect(event!.data).toMatchObject({
      email_id: id,
      to: ['ada@recipients.dev'],
      bounce: { type: 'Permanent', diagnosticCode: ['smtp; 550 5.1.1 no such user'] },
    })
    expect(await suppressions()).toMatchObject([{ email: 'ada@recipients.dev', origin: 'bounce', source_id: id }])
  })

  test('counts once, however often it comes', async () => {
    const { comesBack, told } = await delivered()

    await comesBack(notification('ada@recipients.dev'))
    await comesBack(notification('ada@recipients.dev'))

    expect(await told('email.bounced')).toHaveLength(1)
  })

  test('for a while says nothing about the address', async () => {
    const { comesBack, told, suppressions } = await delivered()

    await comesBack(notification('ada@recipients.dev', { status: '4.2.2', diagnostic: 'smtp; 452 4.2.2 mailbox full' }))

    expect((await told('email.bounced'))[0]!.data).toMatchObject({ bounce: { type: 'Transient' } })
    expect(await suppressions()).toEqual([])
  })

  test.each(['delayed', 'relayed', 'delivered'])('that says %s changes nothing', async (action) => {
    const { comesBack, email, told } = await delivered()

    await comesBack(notification('ada@recipients.dev', { action, status: '4.0.0' }))

    expect((await email()).last_event).toBe('delivered')
    expect(await told('email.bounced')).toEqual([])
  })

  test('from an address that we did not write to is about the only recipient, if there is only one', async () => {
    const forwarded = notification('ada@elsewhere.example')
    const alone = await delivered(['ada@recipients.dev'])
    const among = await delivered()

    await alone.comesBack(forwarded)
    await among.comesBack(forwarded)

    expect((await alone.told('email.bounced'))[0]!.data).toMatchObject({ to: ['ada@recipients.dev'] })
    expect(await among.told('email.bounced')).toEqual([])
  })
})

describe('a complaint', () => {
  test('is told about, once, and its sender is not written to again', async () => {
    const { comesBack, email, told, suppressions } = await delivered()

    await comesBack(complaint('bob@recipients.dev'))
    await comesBack(complaint('bob@recipients.dev'))

    expect((await told('email.complained')).map(({ data }) => data.to)).toEqual([['bob@recipients.dev']])
    expect((await email()).last_event).toBe('complained')
    expect(await suppressions()).toMatchObject([{ email: 'bob@recipients.dev', origin: 'complaint' }])
  })

  test.each(['not-spam', 'auth-failure'])('that says %s is none', async (feedbackType) => {
    const { comesBack, told } = await delivered()

    await comesBack(complaint('bob@recipients.dev', feedbackType))

    expect(await told('email.complained')).toEqual([])
  })

  test('without a name is that of the only recipient, or nobody’s', async () => {
    const alone = await delivered(['ada@recipients.dev'])
    const among = await delivered()

    await alone.comesBack(complaint(null))
    await among.comesBack(complaint(null))

    expect(await alone.told('email.complained')).toHaveLength(1)
    expect(await among.told('email.complained')).toEqual([])
  })
})

describe('what comes back to the return path of one recipient', () => {
  test('is about them, whomever it names and if it names nobody', async () => {
    const { comesBack, pathOf, told, suppressions } = await delivered()

    await comesBack(complaint(null), pathOf(1))
    await comesBack(notification('ada@elsewhere.example'), pathOf(0))

    expect((await told('email.complained')).map(({ data }) => data.to)).toEqual([['bob@recipients.dev']])
    expect((await told('email.bounced')).map(({ data }) => data.to)).toEqual([['ada@recipients.dev']])
    expect((await suppressions()).map(({ email }: { email: string }) => email).sort()).toEqual(ADDRESSES)
  })

  test('is not about another recipient, even if it says so', async () => {
    const { comesBack, pathOf, told } = await delivered()

    await comesBack(complaint('bob@recipients.dev'), pathOf(0))

    expect((await told('email.complained')).map(({ data }) => data.to)).toEqual([['ada@recipients.dev']])
  })

  test('counts once, whatever else the report names', async () => {
    const { app, comesBack, pathOf, told } = await delivered()
    const two = notification('x@elsewhere.example')
      .toString()
      .replace(
        'Final-Recipient',
        'Final-Recipient: rfc822; ada@recipients.dev\r\nAction: failed\r\nStatus: 5.2.2\r\nDiagnostic-Code: smtp; 552 5.2.2 full\r\n\r\nFinal-Recipient',
      )

    await comesBack(Buffer.from(two), pathOf(0))

    expect(await told('email.bounced')).toMatchObject([
      { data: { bounce: { diagnosticCode: ['smtp; 552 5.2.2 full'] } } },
    ])
    expect(await app.db.query(sql`select from delivery_reports`)).toEqual([])
  })

  test('for a position that the email does not have finds nobody, and is counted', async () => {
    const { app, comesBack, pathOf, told } = await delivered()
    const counted = async (outcome: string) => {
      const metrics = (await app.server.inject({ method: 'GET', url: '/metrics' })).body
      const found = metrics.matchAll(
        new RegExp(`postwren_complaints_total\\{outcome="${outcome}",provider="[^"]+"\\} (\\d+)`, 'g'),
      )
      return [...found].reduce((sum, [, count]) => sum + Number(count), 0)
    }
    const before = { lost: await counted('no_recipient'), matched: await counted('matched') }

    await comesBack(complaint('ada@recipients.dev'), pathOf(2))
    await comesBack(complaint(null))
    await comesBack(complaint(null), pathOf(1))

    expect((await told('email.complained')).map(({ data }) => data.to)).toEqual([['bob@recipients.dev']])
    expect(await counted('no_recipient')).toBe(before.lost + 2)
    expect(await counted('matched')).toBe(before.matched + 1)
  })
})

describe('what comes back to a return path', () => {
  test('is not mail for anybody’s inbox, and an auto-reply is no bounce', async () => {
    const { comesBack, client, email } = await delivered()

    await comesBack(written({ subject: 'Out of office', headers: ['Auto-Submitted: auto-replied'] }))
    await comesBack(written({ subject: 'Thank you!' }))

    expect((await client.get('/emails/receiving')).body.data).toEqual([])
    expect((await email()).last_event).toBe('delivered')
  })

  test('with a forged signature is not about our email', async () => {
    const { comesBack, email, id, suppressions } = await delivered(['ada@recipients.dev'])
    const forged = returnPath({ emailId: id, position: 0, domain: 'send.example.com' }, Buffer.alloc(32, 'guess'))

    await comesBack(notification('ada@recipients.dev'), forged)

    expect((await email()).last_event).toBe('delivered')
    expect(await suppressions()).toEqual([])
  })

  test('about an email that is gone is forgotten', async () => {
    const { app, comesBack } = await delivered()
    const stranger = returnPath(
      { emailId: '01932b5c-7d3e-7c46-9a51-6f6f0c1d2e3f', position: 0, domain: 'send.example.com' },
      app.sealer.deriveKey('return-path'),
    )

    expect(await comesBack(notification('ada@recipients.dev'), stranger)).toMatchObject({ kind: 'accepted' })
  })
})

describe('the email that a return path names', () => {
  test('is looked for among the teams that have sent mail on its day, in one partition', async () => {
    const { app, id } = await delivered()
    await app.db.query(sql`
      insert into teams (id, name, created_at)
      select gen_random_uuid(), 'Quiet ' || gen_random_uuid(), now() from generate_series(1, 3000)`)
    await app.db.query(sql`
      with mailing as (
        insert into teams (id, name, created_at) select gen_random_uuid(), 'Busy ' || gen_random_uuid(), now() from generate_series(1, 1000) returning id),
      mail as (
        insert into emails (team_id, id, message_id, "from", "to", subject, last_event, created_at)
        select m.id, uuidv7(), 'm', 'a@example.com', '["b@example.com"]', 'Hi', 'sent', now() from mailing m)
      insert into team_usage (team_id, day, slot, sent) select m.id, ${momentOf(id)}::date, 0, 1 from mailing m`)
    await app.db.query(sql`analyze teams, team_usage, emails`)
    const look = emailMadeAt(momentOf(id), id)

    expect(await app.db.query(look)).toMatchObject([{ id }])
    // At most one for each team that mails, and none for the 3,000 that do not.
    expect(await readBuffers(app.db, look)).toBeLessThan(1_100)
    const plan = await app.db.query<{ 'QUERY PLAN': string }>(sql`explain ${look}`)
    expect(plan.filter((line) => line['QUERY PLAN'].includes(' on emails'))).toHaveLength(1)
  })

  test('is found also if nobody has counted it, as one that was imported', async () => {
    const { app, email, comesBack } = await delivered()
    await app.db.query(sql`delete from team_usage`)
    await comesBack(notification('ada@recipients.dev'))

    expect((await email()).last_event).toBe('bounced')
  })
})

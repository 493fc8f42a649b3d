import { expect, test } from 'vitest'
import { MAIL, startGuarded } from '../../../test/harness/guarded.ts'
import { TestClient } from '../../../test/harness/smtp-client.ts'
import { startListener } from '../../../test/harness/smtp-listener.ts'
import { sql } from '../../kernel/db/sql.ts'

// Every other way in than the endpoints (those are all walked through in test/guarded.long.test.ts), with a key that may write to Ada from one sender.

const ONLY_ADA = { recipients: { addresses: ['ada@example.com'] }, senders: ['support@acme.dev'], no_bcc: true }

async function start() {
  const { app, acme, agent } = await startGuarded(ONLY_ADA)
  /** Who is written to by all of the mail, in small letters, and what the mail says about its senders. */
  const reached = async () => {
    await app.deliverDue()
    const rows = await app.db.query<{ id: string; recipient: string }>(sql`
      select distinct email_id as id, lower(recipient) as recipient from deliveries where team_id = ${acme.team}`)
    const senders = new Set<string>()
    for (const { id } of rows) {
      const { source } = (await acme.get(`/emails/${id}/source`)).body
      const header = source.slice(0, source.search(/\r?\n\r?\n/)).replace(/\r?\n[ \t]+/g, ' ')
      for (const line of header.match(/^(?:resent-)?(?:from|sender)\s*:.*$/gim) ?? []) senders.add(line)
    }
    return {
      emails: rows.length,
      recipients: [...new Set(rows.map(({ recipient }) => recipient))],
      senders: [...senders],
    }
  }
  return { app, acme, agent, reached }
}

test('an envelope by SMTP goes to whom the policy allows, however it is written', async () => {
  const { app, agent, reached } = await start()
  const { port } = await startListener({ allowPlaintextAuth: true, handler: app.handler as never })
  const envelopes = [
    ['<@evil.test:ada@example.com>'],
    ['<ada@example.com,eve@evil.test>'],
    ['<ada@example.com> <eve@evil.test>'],
    ['<ada@example.com>,<eve@evil.test>'],
    ['<"ada"@example.com>'],
    ['<ada@example.com.>'],
    ['<ada(eve@evil.test)@example.com>'],
    ['<ada+eve@example.com>'],
    ['<ada@example.com> ORCPT=rfc822;eve@evil.test NOTIFY=SUCCESS'],
    ['<ADA@Example.COM>'],
    ['<ada@example.com>', '<eve@evil.test>'],
    ['<eve@evil.test>', '<ada@example.com>'],
    ['<ada@example.com>', '<postmaster>'],
  ]
  for (const envelope of envelopes) {
    const client = await TestClient.ready(port)
    const login = Buffer.from(`\0resend\0${agent.token}`).toString('base64')
    expect(await client.ask(`AUTH PLAIN ${login}`)).toMatch(/^235/)
    await client.ask('MAIL FROM:<support@acme.dev>')
    for (const recipient of envelope) await client.ask(`RCPT TO:${recipient}`)
    if (!(await client.ask('DATA')).startsWith('354')) continue
    await client.ask('From: support@acme.dev\r\nTo: ada@example.com\r\nSubject: Hello\r\n\r\nHi\r\n.')
  }

  expect(await reached()).toMatchObject({ recipients: ['ada@example.com'], senders: ['From: support@acme.dev'] })
})

test('a message by SMTP names no other sender, however its header is written', async () => {
  const { app, agent, reached } = await start()
  const { port } = await startListener({ allowPlaintextAuth: true, handler: app.handler as never })
  const own = 'From: support@acme.dev'
  const headers = [
    'From: eve@evil.test',
    `${own}\r\nFrom: eve@evil.test`,
    `From: eve@evil.test\r\n${own}`,
    'From: support@acme.dev, eve@evil.test',
    'From: Friends: support@acme.dev, eve@evil.test;',
    `From : eve@evil.test\r\n${own}`,
    `${own}\r\nFROM : eve@evil.test`,
    'From:\r\n eve@evil.test',
    'From: support@acme.dev\r\n <eve@evil.test>',
    'From: "support@acme.dev" <eve@evil.test>',
    'From: =?utf-8?q?support=40acme=2Edev?= <eve@evil.test>',
    'From: <support@acme.dev>eve@evil.test',
    `${own}\r\nSender: eve@evil.test`,
    `${own}\r\nsender : eve@evil.test`,
    `${own}\r\nResent-From: eve@evil.test`,
    `${own}\r\nResent-Sender: eve@evil.test`,
    `X-Empty:\r\n\r\nFrom: eve@evil.test`,
    `${own}\n\nFrom: eve@evil.test`,
    own,
  ]
  for (const header of headers) {
    const client = await TestClient.ready(port)
    await client.ask(`AUTH PLAIN ${Buffer.from(`\0resend\0${agent.token}`).toString('base64')}`)
    await client.ask('MAIL FROM:<support@acme.dev>')
    await client.ask('RCPT TO:<ada@example.com>')
    if (!(await client.ask('DATA')).startsWith('354')) continue
    await client.ask(`${header}\r\nTo: ada@example.com\r\nSubject: Hello\r\n\r\nHi\r\n.`)
  }

  const { recipients, senders } = await reached()
  expect(recipients).toEqual(['ada@example.com'])
  expect(senders.filter((line) => /evil/.test(line))).toEqual([])
  expect(senders).toContain(own)
})

test('the API of Mailpit is judged, too, by whichever login', async () => {
  const { app, acme, agent, reached } = await start()
  const { body: sent } = await acme.post('/emails', { ...MAIL, to: 'ada@example.com' })
  const basic = { authorization: `Basic ${Buffer.from(`agent:${agent.token}`).toString('base64')}` }
  const bearer = { authorization: `Bearer ${agent.token}` }
  const send = (headers: object, body: object) =>
    app.send({
      ...{ method: 'POST', url: '/api/v1/send', headers: headers as Record<string, string> },
      payload: { From: { Email: 'support@acme.dev' }, To: [{ Email: 'ada@example.com' }], Subject: 'Hello', ...body },
    })

  const statuses: number[] = []
  for (const headers of [basic, bearer])
    for (const body of [
      { To: [{ Email: 'eve@evil.test' }] },
      { To: [{ Email: 'ada@example.com>, <eve@evil.test' }] },
      { To: [{ Name: 'x" <eve@evil.test>, "', Email: 'ada@example.com' }] },
      { Cc: [{ Email: 'eve@evil.test' }] },
      { Bcc: ['eve@evil.test'] },
      { From: { Email: 'eve@evil.test' } },
      { From: { Name: '" <eve@evil.test>', Email: 'support@acme.dev' } },
      { Headers: { Bcc: 'eve@evil.test', Sender: 'eve@evil.test', 'X-A': 'b\r\nBcc: eve@evil.test' } },
    ])
      statuses.push((await send(headers, body)).status)
  const release = { method: 'POST' as const, url: `/api/v1/message/${sent.id}/release`, headers: bearer }
  const released = await app.send({ ...release, payload: { To: ['eve@evil.test'] } })

  expect((await send(basic, {})).status).toBe(200)
  expect(released.status).toBe(403)
  expect(statuses.filter((status) => ![200, 400, 403].includes(status))).toEqual([])
  const { recipients, senders } = await reached()
  expect(recipients).toEqual(['ada@example.com'])
  // A name is text, in quotes that it cannot end.
  expect(
    senders.filter((line) => !/^From: (?:"(?:[^"\\]|\\.)*" <support@acme\.dev>|support@acme\.dev)$/.test(line)),
  ).toEqual([])
})

test('mail that waits for its time is not moved, repeated or let out by the key', async () => {
  const { acme, agent, reached } = await start()
  const eve = (await acme.post('/emails', { ...MAIL, to: 'eve@evil.test', scheduled_at: 'in 1 hour' })).body.id
  const once = { 'idempotency-key': 'once' }
  const first = (await acme.post('/emails', { ...MAIL, to: 'bob@evil.test' }, once)).body.id
  const answers = [
    await agent.patch(`/emails/${eve}`, { scheduled_at: 'in 1 minute' }),
    await agent.post(`/emails/${eve}/cancel`),
    await agent.post(`/messages/${first}/release`, { to: ['eve@evil.test'] }),
    await agent.post('/emails/batch', [{ ...MAIL, to: 'eve@evil.test', scheduled_at: 'in 1 minute' }]),
    await agent.post('/emails', { ...MAIL, to: 'eve@evil.test', scheduled_at: 'in 1 minute' }),
  ]
  const replayed = await agent.post('/emails', { ...MAIL, to: 'bob@evil.test' }, once)

  expect(answers.map(({ body }) => body.name)).toEqual(answers.map(() => 'policy_refused'))
  // The answer of the first request at most, and no second mail.
  expect([first, undefined]).toContain(replayed.body.id)
  expect((await reached()).emails).toBe(2)
})

test('a person has one allowance, however the address is spelled', async () => {
  const { app, acme } = await startGuarded({ no_bcc: true })
  const { body } = await acme.post('/api-keys', { name: 'Once', policy: { max_emails_per_recipient_per_day: 1 } })
  const spellings = [
    'äda@bücher.example',
    'ÄDA@bücher.example',
    'a\u0308da+x@xn--bcher-kva.example',
    'Äda@BÜCHER.example',
  ]

  const statuses: number[] = []
  for (const to of spellings)
    statuses.push((await app.send({ method: 'POST', url: '/emails', payload: { ...MAIL, to } }, body.token)).status)

  expect(statuses).toEqual([200, 403, 403, 403])
})

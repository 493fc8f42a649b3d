import { expect, test } from 'vitest'
import { startDirect } from '../../../../test/harness/direct.ts'
import { sendEmail } from '../../../../test/harness/emails.ts'
import type { MailServerOptions } from '../../../../test/harness/mail-conversation.ts'
import { addWebhook, startWithReceiver } from '../../../../test/harness/webhooks.ts'
import { sql } from '../../../kernel/db/sql.ts'

async function start(options: MailServerOptions = {}) {
  const direct = await startDirect(options)
  direct.dns.set('sink.dev', { MX: [{ exchange: 'mx.sink.dev', preference: 10 }] })
  direct.dns.set('mx.sink.dev', { A: ['127.0.0.1'] })
  const traceOf = async (id: string) => (await direct.acme.get(`/emails/${id}/trace`)).body
  return { ...direct, traceOf }
}

// biome-ignore lint/suspicious/noExplicitAny: entries of a trace, compared with what a test expects
const kindsOf = ({ timeline }: any) => timeline.map(({ kind, event }: any) => event?.type ?? kind)
// biome-ignore lint/suspicious/noExplicitAny: the same
const attemptsIn = ({ timeline }: any) => timeline.flatMap(({ attempt }: any) => attempt ?? [])
// biome-ignore lint/suspicious/noExplicitAny: the same
const saidIn = (attempt: any) => attempt.dialogue.map(({ from, text }: any) => `${from}: ${text}`)

test('a trace has the request, each attempt with its dialogue, and the events, in the order of time', async () => {
  const { app, acme, server, from, traceOf } = await start({ tls: 'good' })
  server.react(({ step, count }) => (step === 'RCPT' && count === 1 ? '450 4.2.1 Greylisted, come back' : undefined))

  const id = await sendEmail(acme, { from, to: 'ada@sink.dev' })
  await app.deliverDue()
  await app.flush()
  const waiting = await traceOf(id)
  app.clock.advance(61)
  await app.deliverDue()
  const trace = await traceOf(id)

  expect(kindsOf(waiting)).toEqual([
    'request',
    'accepted',
    'email.sent',
    'attempt',
    'email.delivery_delayed',
    'waiting',
  ])
  expect(kindsOf(trace)).toEqual([
    'request',
    'accepted',
    'email.sent',
    'attempt',
    'email.delivery_delayed',
    'attempt',
    'email.delivered',
  ])
  expect(trace.timeline[0].request).toMatchObject({ method: 'POST', endpoint: '/emails', response_status: 200 })
  expect(trace.recipients).toMatchObject([{ recipient: 'ada@sink.dev', state: 'delivered', attempts: 2 }])
  const [deferred, taken] = attemptsIn(trace)
  expect(deferred).toMatchObject({
    ...{ attempt: 1, outcome: 'deferred', class: 'greylisted', route: 'direct', host: 'mx.sink.dev' },
    ...{ servers: ['mx.sink.dev (127.0.0.1)'], address: '127.0.0.1', source: '127.0.0.1' },
    ...{ tls: expect.stringMatching(/^TLSv1\.\d \w+$/), tls_policy: 'opportunistic' },
  })
  expect(saidIn(deferred).slice(0, 4)).toEqual([
    expect.stringMatching(/^note: connecting to mx\.sink\.dev \(127\.0\.0\.1\), port \d+$/),
    'note: connected from 127.0.0.1',
    expect.stringMatching(/^server: 220 /),
    expect.stringMatching(/^client: EHLO /),
  ])
  expect(saidIn(deferred)).toContain('client: RCPT TO:<ada@sink.dev>')
  expect(saidIn(deferred)).toContain('server: 450 4.2.1 Greylisted, come back')
  expect(saidIn(deferred)).toContain('client: STARTTLS')
  // One that went well is kept in short: a session is still open there.
  expect(taken).toMatchObject({
    ...{ attempt: 2, outcome: 'delivered', route: 'direct', host: 'mx.sink.dev', address: '127.0.0.1' },
    ...{ source: '127.0.0.1', tls: expect.stringMatching(/^TLSv1\.\d$/), tls_policy: 'opportunistic' },
    ...{ connected_ms: expect.any(Number), sent_ms: expect.any(Number), duration_ms: expect.any(Number) },
  })
  expect(saidIn(taken)).toEqual(expect.arrayContaining(['client: MAIL', 'client: RCPT', 'client: DATA', 'server: 354']))
  expect(saidIn(taken).at(-1)).toBe('server: 250')
})

test('what is kept of an attempt that was taken has a bound, whatever the server says', async () => {
  const { app, acme, server, from } = await start({ tls: 'good' })
  const long = `250 2.0.0 \x1b[31mOk ${'long '.repeat(2_000)}`
  server.react(({ step }) => (step === 'RCPT' ? long : undefined))

  const id = await sendEmail(acme, { from, to: 'ada@sink.dev' })
  await app.deliverDue()
  const [row] = await app.db.query<{ reply: { via: string; session: string } }>(sql`
    select replies -> 0 as reply from deliveries where email_id = ${id}`)
  expect(row!.reply.session).toMatch(/^direct 1 127\.0\.0\.1 127\.0\.0\.1 - \d+ \d+ \d+<220E/)
  expect(row!.reply.session.length).toBeLessThanOrEqual(120)
})

test('a bounce shows what the server said, and the last three attempts that were not taken are kept', async () => {
  const { app, acme, server, from, traceOf } = await start()
  server.react(({ step, count }) =>
    step !== 'RCPT' ? undefined : count < 5 ? `450 4.3.0 Later ${count}` : '550 5.1.1 No such user',
  )

  const id = await sendEmail(acme, { from, to: 'ada@sink.dev' })
  for (let attempt = 0; attempt < 5; attempt++) {
    await app.deliverDue()
    app.clock.advance(7_200)
  }
  const attempts = attemptsIn(await traceOf(id))

  expect(attempts.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
    ...['deferred', 'deferred', 'deferred', 'deferred', 'bounced'],
  ])
  expect(attempts.map(({ dialogue }: { dialogue: unknown[] }) => dialogue.length > 0)).toEqual([
    ...[false, false, true, true, true],
  ])
  expect(saidIn(attempts[4])).toContain('server: 550 5.1.1 No such user')
})

test('what a hostile server says is shown clean, and not all of it is kept', async () => {
  const { app, acme, server, from, traceOf } = await start()
  const hostile = `450 4.2.0 \x1b[31mred\x1b[0m \u202egnp.exe \0 ${'long '.repeat(2_000)}`
  server.react(({ step }) => (step === 'RCPT' ? hostile : undefined))

  const id = await sendEmail(acme, { from, to: 'ada@sink.dev' })
  await app.deliverDue()
  const { text } = await acme.get(`/emails/${id}/trace`)
  const [{ bytes }] = (await app.db.query(sql`
    select octet_length(conversations::text) as bytes from deliveries where email_id = ${id}`)) as [{ bytes: number }]

  expect(text).toContain('[31mred')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none
  expect(text).not.toMatch(/[\x00-\x1f\u202e]|\\u00|\\u202e/)
  expect(bytes).toBeLessThan(8_000)
  expect((await traceOf(id)).timeline.at(-1)).toMatchObject({ kind: 'waiting', recipients: ['ada@sink.dev'] })
})

test('a domain that nobody takes mail for has an attempt without a server', async () => {
  const { app, acme, dns, from, traceOf } = await start()
  dns.set('nomail.dev', { MX: [{ exchange: '.', preference: 0 }] })

  const id = await sendEmail(acme, { from, to: ['a@nomail.dev', 'b@sink.dev'] })
  await app.deliverDue()
  const trace = await traceOf(id)

  const ofA = trace.timeline.filter(({ recipients }: { recipients: string[] }) => recipients.includes('a@nomail.dev'))
  expect(attemptsIn({ timeline: ofA })).toMatchObject([{ outcome: 'bounced', host: null, servers: [] }])
})

test('webhook posts are in the trace, and so is the idempotency key of the request', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id: webhook } = await addWebhook(acme, receiver.url, ['email.delivered'])
  const { body } = await acme.post(
    '/emails',
    { from: 'a@acme.dev', to: 'b@example.com', subject: 'Hi', text: 'Hi' },
    { 'idempotency-key': 'order-4711' },
  )
  await app.deliverDue()
  receiver.fail()
  await app.deliverWebhooks()
  app.clock.advance(6)
  receiver.succeed()
  await app.deliverWebhooks()

  const { body: trace } = await acme.get(`/emails/${body.id}/trace`)
  expect(trace.idempotency_key).toBe('order-4711')
  expect(trace.timeline.flatMap((entry: { webhook: unknown }) => entry.webhook ?? [])).toMatchObject([
    { webhook_id: webhook, event: 'email.delivered', http_status_code: 500 },
    { webhook_id: webhook, event: 'email.delivered', http_status_code: 200 },
  ])
})

test('nobody sees the trace of another team', async () => {
  const { app, acme, from } = await start()
  const id = await sendEmail(acme, { from, to: 'ada@sink.dev' })
  const globex = await app.as('globex')

  expect((await globex.get(`/emails/${id}/trace`)).status).toBe(404)
})

import { describe, expect, test } from 'vitest'
import { submit } from '../../../../../test/harness/arriving.ts'
import { readEmail, sendEmail } from '../../../../../test/harness/emails.ts'
import { type ApiFault, startResendApi, startSes } from '../../../../../test/harness/mail-apis.ts'
import { startMailServer } from '../../../../../test/harness/mail-server.ts'
import { relayRoute, startRouted } from '../../../../../test/harness/routes.ts'
import { sql } from '../../../../kernel/db/sql.ts'

async function startWith<Api extends { route(): object }>(api: Api, more: { key?: string } = {}) {
  const relay = await startMailServer()
  const started = await startRouted({ routes: [{ ...api.route(), ...more }, relayRoute('backup', relay)] })
  const send = (fields: object = {}) => sendEmail(started.acme, { from: started.from, to: 'ada@one.dev', ...fields })
  return { ...started, relay, api, send }
}

/** Hours later. */
async function later({ app }: Awaited<ReturnType<typeof startRouted>>) {
  for (let round = 0; round < 3; round++) {
    app.clock.advance(900)
    await app.deliverDue()
  }
}

describe('Amazon SES', () => {
  test('gets the message as it is, for one recipient, in a signed request', async () => {
    const started = await startWith(await startSes())
    const { app, acme, api, send } = started
    const id = await send({ to: ['ada@one.dev', 'bob@one.dev'], subject: 'Grüße' })
    await app.deliverDue()

    expect(api.messages.map(({ to }) => to[0]).sort()).toEqual(['ada@one.dev', 'bob@one.dev'])
    expect(api.messages[0]!.raw).toContain('To: ada@one.dev, bob@one.dev')
    // It gives messages another Message-ID, and signs them itself.
    expect(api.messages[0]!.raw).not.toContain('DKIM-Signature')
    expect(new Set(api.messages.map(({ feedbackTo }) => feedbackTo)).size).toBe(2)
    const { deliveries } = await readEmail(acme, id)
    expect(deliveries[0]).toMatchObject({ state: 'delivered', attempts: 1 })
    expect(deliveries[0].replies[0].reply).toMatch(/^250 Ok 0102018f0c1d0000-/)
  })

  test.each<[string, ApiFault]>([
    ['refuses the key', { status: 403, headers: { 'x-amzn-errortype': 'UnrecognizedClientException:' } }],
    ['wants less', { status: 429, headers: { 'x-amzn-errortype': 'TooManyRequestsException' } }],
    ['is paused', { status: 400, headers: { 'x-amzn-errortype': 'SendingPausedException' } }],
    [
      'does not know the sender',
      {
        status: 400,
        headers: { 'x-amzn-errortype': 'MessageRejected' },
        body: { message: 'Email address is not verified.' },
      },
    ],
    ['is not available', { status: 503 }],
  ])('that %s has not taken the mail, and the next way does', async (_, fault) => {
    const started = await startWith(await startSes())
    const { app, api, relay, send } = started
    api.fault(fault)
    await send()
    await app.deliverDue()
    await later(started)
    expect([api.messages.length, relay.messages.length]).toEqual([0, 1])
  })

  test.each<[string, ApiFault, number]>([
    ['cut the connection before', 'drop', 1],
    ['cut the connection after', 'take_and_drop', 2],
    ['failed in the middle', { status: 500 }, 1],
  ])('that %s may have taken it: it stays there', async (_, fault, copies) => {
    const started = await startWith(await startSes())
    const { app, api, relay, send } = started
    api.fault(fault)
    await send()
    await app.deliverDue()
    await later(started)
    expect([api.messages.length, relay.messages.length]).toEqual([copies, 0])
  })

  test('that is not there is left alone, and its key is in no log', async () => {
    const ses = await startSes()
    ses.stop()
    const started = await startWith(ses)
    await started.send()
    await started.app.deliverDue()
    expect(started.relay.messages).toHaveLength(1)
    expect(started.saying('delivery: route ses cannot be reached; mail takes another route or waits')).toHaveLength(1)
    expect(started.text()).not.toContain('secret/with')
  })
})

describe("a service with Resend's API", () => {
  test('gets the fields of the email', async () => {
    const { app, api, from, send } = await startWith(await startResendApi())
    const attachments = [
      { filename: 'a.txt', content: Buffer.from('hello').toString('base64'), content_type: 'text/plain' },
    ]
    const tags = [{ name: 'kind', value: 'reset' }]
    const id = await send({ cc: 'bob@one.dev', reply_to: 'help@one.dev', headers: { 'X-Ref': '7' }, tags, attachments })
    await app.deliverDue()

    const [ada] = api.emails.filter(({ to }) => to[0] === 'ada@one.dev')
    expect(ada).toEqual({
      ...{
        from,
        to: ['ada@one.dev'],
        subject: 'Hello',
        html: '<p>Hi</p>',
        text: 'Hi',
        reply_to: ['help@one.dev'],
        tags,
      },
      headers: { 'X-Ref': '7' },
      attachments: [{ filename: 'a.txt', content: 'aGVsbG8=', content_type: 'text/plain' }],
      idempotencyKey: `${id}/0`,
    })
    expect(api.emails.map(({ to, idempotencyKey }) => [to[0], idempotencyKey]).sort()).toEqual([
      ['ada@one.dev', `${id}/0`],
      ['bob@one.dev', `${id}/1`],
    ])
  })

  test.each<[string, ApiFault]>([
    ['before it was taken', 'drop'],
    ['after it was taken', 'take_and_drop'],
    ['with an error of its own', { status: 502 }],
  ])('whose answer is lost %s gets it again, and takes it once', async (_, fault) => {
    const started = await startWith(await startResendApi())
    const { app, acme, api, relay, send } = started
    api.fault(fault)
    const id = await send()
    await app.deliverDue()
    await later(started)
    expect([api.emails.length, relay.messages.length]).toEqual([1, 0])
    expect((await readEmail(acme, id)).states).toEqual({ 'ada@one.dev': 'delivered' })
  })

  test('that refuses the key is a dead way', async () => {
    const { app, api, relay, send, saying } = await startWith(await startResendApi(), { key: 're_wrong' })
    await send()
    await app.deliverDue()
    await send()
    await app.deliverDue()
    expect([api.requests.length, relay.messages.length]).toEqual([1, 2])
    expect(saying('delivery: route api refuses the login; mail takes another route or waits')).toHaveLength(1)
  })

  test('is no way for a message that was submitted as it is, and if it is the only one the mail says so', async () => {
    const api = await startResendApi()
    const { app, acme, from } = await startRouted({ routes: [api.route()] })
    const raw = `From: ${from}\r\nTo: ada@one.dev\r\nSubject: As it is\r\n\r\nHello\r\n`
    await submit(app, acme, Buffer.from(raw), ['ada@one.dev'])
    await app.deliverDue()
    const [row] = await app.db.query<{ replies: { reply: string }[] }>(sql`select replies from deliveries`)
    expect(row!.replies[0]!.reply).toContain('api takes no messages that were submitted by SMTP')
    expect(api.requests).toHaveLength(0)
  })
})

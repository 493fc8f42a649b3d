import { expect, test } from 'vitest'
import { startDirect } from '../../../../../test/harness/direct.ts'
import { readEmail, sendEmail } from '../../../../../test/harness/emails.ts'

test('mail goes to the server that the MX record names, and to the next one when the first is not there', async () => {
  const { app, acme, dns, server, from } = await startDirect()
  dns.set('sink.dev', {
    MX: [
      { exchange: 'first.sink.dev', preference: 10 },
      { exchange: 'second.sink.dev', preference: 20 },
    ],
  })
  dns.set('first.sink.dev', { A: ['127.0.0.9'] })
  dns.set('second.sink.dev', { A: ['127.0.0.1'] })

  const id = await sendEmail(acme, { from, to: ['ada@sink.dev', 'bob@sink.dev'] })
  await app.deliverDue()

  expect(server.messages.map(({ to }) => to)).toEqual([['ada@sink.dev'], ['bob@sink.dev']])
  expect((await readEmail(acme, id)).states).toEqual({ 'ada@sink.dev': 'delivered', 'bob@sink.dev': 'delivered' })
})

test('a domain without an MX record is its own mail server; one that refuses mail, or does not exist, bounces', async () => {
  const { app, acme, dns, server, from } = await startDirect()
  dns.set('implicit.dev', { A: ['127.0.0.1'] })
  dns.set('nomail.dev', { MX: [{ exchange: '.', preference: 0 }] })

  const id = await sendEmail(acme, { from, to: ['a@implicit.dev', 'b@nomail.dev', 'c@nowhere.dev'] })
  await app.deliverDue()

  expect(server.messages.map(({ to }) => to)).toEqual([['a@implicit.dev']])
  expect((await readEmail(acme, id)).states).toEqual({
    'a@implicit.dev': 'delivered',
    'b@nomail.dev': 'bounced',
    'c@nowhere.dev': 'bounced',
  })
})

test('a server that says "later" is asked again by the retry schedule, and hears the same message', async () => {
  const { app, acme, dns, server, from } = await startDirect()
  dns.set('sink.dev', { A: ['127.0.0.1'] })
  server.react(({ step, count }) => (step === 'RCPT' && count === 1 ? '450 4.2.1 Greylisted, come back' : undefined))

  const id = await sendEmail(acme, { from, to: 'ada@sink.dev' })
  await app.deliverDue()
  expect((await readEmail(acme, id)).last_event).toBe('delivery_delayed')
  app.clock.advance(61)
  await app.deliverDue()

  const email = await readEmail(acme, id)
  expect(email.timeline).toEqual(['sent', 'delivery_delayed', 'delivered'])
  // What was said is kept with what it was understood as; a yes needs no explanation.
  expect(email.deliveries[0].replies).toEqual([
    expect.objectContaining({ class: 'greylisted', rule: 'words/greylisted', about: 'recipient', means: 'later' }),
    {
      at: expect.any(String),
      reply: expect.stringMatching(/^250/),
      via: expect.stringMatching(/^sink\.dev plain \d+$/),
      session: expect.stringMatching(/^direct 2 127\.0\.0\.1 127\.0\.0\.1 - \d+ \d+ /),
    },
  ])
  expect(server.messages).toHaveLength(1)
})

test('mail about a topic carries each recipient its own way out', async () => {
  const { app, acme, dns, server, from } = await startDirect()
  dns.set('sink.dev', { A: ['127.0.0.1'] })
  const { body: topic } = await acme.post('/topics', { name: 'News' })

  await sendEmail(acme, { from, to: ['ada@sink.dev', 'bob@sink.dev'], topic_id: topic.id })
  await app.deliverDue()

  const links = server.messages.map(
    ({ bytes }) => /List-Unsubscribe: <([^>]+)>/.exec(bytes.toString().replace(/\r\n\s+/g, ' '))?.[1],
  )
  expect(links).toHaveLength(2)
  expect(new Set(links).size).toBe(2)
})

test('a server that says goodbye to a recipient is left for the next one, which gets the mail', async () => {
  const { app, acme, dns, server, from } = await startDirect()
  dns.set('sink.dev', {
    MX: [
      { exchange: 'first.sink.dev', preference: 10 },
      { exchange: 'second.sink.dev', preference: 20 },
    ],
  })
  dns.set('first.sink.dev', { A: ['127.0.0.1'] })
  dns.set('second.sink.dev', { A: ['127.0.0.1'] })
  server.react(({ step, connection }) => (step === 'RCPT' && connection === 1 ? '421 4.3.2 Shutting down' : undefined))

  const id = await sendEmail(acme, { from, to: 'ada@sink.dev' })
  await app.deliverDue()

  expect(server.messages.map(({ to, connection }) => [connection, to])).toEqual([[2, ['ada@sink.dev']]])
  expect((await readEmail(acme, id)).timeline).toEqual(['sent', 'delivered'])
})

test.each(['MAIL', 'DATA'])('a goodbye at %s is no answer about the mail either', async (at) => {
  const { app, acme, dns, server, from } = await startDirect()
  dns.set('sink.dev', { A: ['127.0.0.1', '127.0.0.1'] })
  server.react(({ step, count }) => (step === at && count === 1 ? '421 4.3.2 Busy' : undefined))

  const id = await sendEmail(acme, { from, to: 'ada@sink.dev' })
  await app.deliverDue()

  expect((await readEmail(acme, id)).timeline).toEqual(['sent', 'delivered'])
})

test('a blind copy whose address the server cannot take does not keep the others from theirs', async () => {
  const { app, acme, dns, server, from } = await startDirect({ extensions: ['8BITMIME'] })
  dns.set('sink.dev', { A: ['127.0.0.1'] })

  const id = await sendEmail(acme, { from, to: 'ada@sink.dev', bcc: ['bob@sink.dev', 'jürgen@sink.dev'] })
  await app.deliverDue()

  expect(server.messages.map(({ to }) => to)).toEqual([['ada@sink.dev'], ['bob@sink.dev']])
  const { states } = await readEmail(acme, id)
  expect(states).toEqual({ 'ada@sink.dev': 'delivered', 'bob@sink.dev': 'delivered', 'jürgen@sink.dev': 'bounced' })
})

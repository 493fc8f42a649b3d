import { describe, expect, test } from 'vitest'
import type { Client } from '../../../test/harness/app.ts'
import { readEmail, SIMPLE, sendEmail, startAcme } from '../../../test/harness/emails.ts'
import { newId } from '../../../test/harness/ids.ts'

describe('custom headers', () => {
  test('travel with the email', async () => {
    const { acme } = await startAcme()
    const headers = { 'X-Entity-Ref-ID': '123', 'List-Unsubscribe': '<https://acme.dev/out>', 'X-Ünicode-Value': 'x' }

    const refused = await acme.post('/emails', { ...SIMPLE, headers })
    const { 'X-Ünicode-Value': _x, ...good } = headers
    const email = await readEmail(acme, await sendEmail(acme, { headers: { ...good, 'X-Text': 'Grüße' } }))

    expect(refused.status).toBe(422)
    expect(email.events[0].data.headers).toEqual([
      { name: 'X-Entity-Ref-ID', value: '123' },
      { name: 'List-Unsubscribe', value: '<https://acme.dev/out>' },
      { name: 'X-Text', value: 'Grüße' },
    ])
  })

  test('are refused when they could do harm', async () => {
    const { acme } = await startAcme()
    const harmful = {
      'a line break': { 'X-A': 'a\r\nBcc: eve@example.com' },
      'a bare line feed': { 'X-A': 'a\nb' },
      'a line break in the name': { 'X-A\r\nBcc': 'a' },
      'a colon in the name': { 'X-A:': 'a' },
      'a space in the name': { 'X A': 'a' },
      'no name': { '': 'a' },
      'a line break in a header of ours': { Date: 'now\r\nBcc: eve@example.com' },
      'endless text': { 'X-A': 'a'.repeat(10_000) },
      'a number': { 'X-A': 1 },
    }

    for (const [what, headers] of Object.entries(harmful)) {
      const reply = await acme.post('/emails', { ...SIMPLE, headers })

      expect(reply.body, what).toMatchObject({ statusCode: 422, name: 'validation_error' })
      expect(reply.body.message, what).toMatch(/^Invalid `headers/)
    }
  })
})

describe('headers that are ours to write', () => {
  const source = async (acme: Client, id: string): Promise<string> =>
    (await acme.get(`/emails/${id}/source`)).body.source

  test('are left out, whoever gives them, and nobody gets mail by them', async () => {
    const { acme } = await startAcme()
    const reserved = {
      ...{ From: 'eve@example.com', To: 'eve@example.com', Bcc: 'eve@example.com', Sender: 'eve@example.com' },
      ...{ 'mEsSaGe-Id': '<eve@example.com>', Date: 'eve@example.com', 'Content-Disposition': 'attachment' },
      ...{ 'Content-Type': 'text/plain', 'DKIM-Signature': 'v=1; d=eve.example', Received: 'from eve.example' },
    }

    const id = await sendEmail(acme, { headers: { ...reserved, 'X-Own': 'kept', 'X-Nothing': null } })

    const { events, states, message_id } = await readEmail(acme, id)
    expect(events[0].data.headers).toEqual([{ name: 'X-Own', value: 'kept' }])
    expect(Object.keys(states)).toEqual(['ada@example.com'])
    const message = await source(acme, id)
    expect(message).not.toMatch(/\beve\b/)
    expect(message).not.toMatch(/^content-disposition/im)
    expect(message.match(/^message-id: .*$/gim)).toEqual([`Message-ID: ${message_id}`])
  })

  test('say where replies go, unless the email does', async () => {
    const { acme } = await startAcme()
    const headers = { 'reply-to': '"Lovelace, Ada" <ada@acme.dev>, desk@acme.dev' }

    const [said, both] = [
      await sendEmail(acme, { headers }),
      await sendEmail(acme, { headers, reply_to: 'help@acme.dev' }),
    ]

    expect((await readEmail(acme, said)).reply_to).toEqual(['"Lovelace, Ada" <ada@acme.dev>', 'desk@acme.dev'])
    expect((await readEmail(acme, both)).reply_to).toEqual(['help@acme.dev'])
    expect((await source(acme, both)).match(/^reply-to: .*$/gim)).toEqual(['Reply-To: help@acme.dev'])
  })
})

describe('what adapters send for nothing', () => {
  test('is nothing', async () => {
    const { acme } = await startAcme()
    const nothing = [
      { cc: '', bcc: '', reply_to: '' },
      { cc: [''], bcc: [], reply_to: [null], headers: [], attachments: [], tags: [] },
      { cc: null, headers: null, scheduled_at: null, topic_id: null, template: null, text: '' },
    ]

    for (const fields of nothing) {
      const email = await readEmail(acme, await sendEmail(acme, fields))
      expect(email).toMatchObject({ cc: [], bcc: [], reply_to: [], last_event: 'sent' })
    }
  })

  test('is a mistake where mail would go to fewer people, at another time or without a rule', async () => {
    const { acme } = await startAcme()
    const mistakes = [
      { fields: { to: '' }, message: /^Invalid `to` field/ },
      { fields: { from: '' }, message: /^Invalid `from` field/ },
      { fields: { to: ['ada@example.com', ''] }, message: /^Invalid `to` field/ },
      { fields: { cc: ['ada@example.com', ''] }, message: /^Invalid `cc` field/ },
      { fields: { scheduled_at: '' }, message: /^Invalid `scheduled_at` field/ },
      { fields: { topic_id: '' }, message: /^Invalid `topic_id` field/ },
    ]

    for (const { fields, message } of mistakes) {
      const { status, body } = await acme.post('/emails', { ...SIMPLE, ...fields })
      expect([status, body.message]).toEqual([422, expect.stringMatching(message)])
    }
  })
})

describe('a subject', () => {
  test('is one line', async () => {
    const { acme } = await startAcme()

    for (const subject of ['Hello\nworld', 'Hello\r\nBcc: eve@example.com', 'Hello\rworld']) {
      const reply = await acme.post('/emails', { ...SIMPLE, subject })

      expect(reply.body, subject).toEqual({
        statusCode: 422,
        message: 'Invalid `subject` field. It must be a single line.',
        name: 'validation_error',
      })
    }
  })

  test('may be any text, however short or long', async () => {
    const { acme } = await startAcme()

    for (const subject of ['', '🐦 Größe', '<b>"&\'', 'x'.repeat(2_000)])
      expect(await readEmail(acme, await sendEmail(acme, { subject }))).toMatchObject({ subject })
  })
})

describe('tags', () => {
  const tags = (count: number) => Array.from({ length: count }, (_, n) => ({ name: `tag_${n}`, value: `Value-${n}` }))

  test('are kept as they were given, up to 75', async () => {
    const { acme } = await startAcme()
    const long = [{ name: 'n'.repeat(256), value: 'v'.repeat(256) }]

    expect(await readEmail(acme, await sendEmail(acme, { tags: tags(75) }))).toMatchObject({ tags: tags(75) })
    expect(await readEmail(acme, await sendEmail(acme, { tags: long }))).toMatchObject({ tags: long })
    expect((await acme.post('/emails', { ...SIMPLE, tags: tags(76) })).body).toMatchObject({
      statusCode: 422,
      name: 'validation_error',
    })
  })

  test('are letters, digits, dashes and underscores', async () => {
    const { acme } = await startAcme()
    const wrong = [
      { name: 'a b', value: 'c' },
      { name: 'ä', value: 'c' },
      { name: 'a', value: 'c.d' },
      { name: '', value: 'c' },
      { name: 'a', value: '' },
      { name: 'n'.repeat(257), value: 'c' },
      { name: 'a', value: 'v'.repeat(257) },
      { name: 'a\n', value: 'c' },
      { name: 'a', value: 1 },
      { name: 'a' },
      'a',
    ]

    for (const tag of wrong) {
      const reply = await acme.post('/emails', { ...SIMPLE, tags: [{ name: 'good', value: 'one' }, tag] })

      expect(reply.status, JSON.stringify(tag)).toBe(422)
      expect(reply.body.message).toContain('tags[1]')
    }
  })
})

describe('a template', () => {
  async function startWithTemplate() {
    const { app, acme } = await startAcme()
    const { body } = await acme.post('/templates', {
      name: 'Welcome',
      alias: 'welcome',
      from: 'Template <template@acme.dev>',
      subject: 'Welcome {{{NAME}}}',
      reply_to: 'reply@acme.dev',
      html: '<p>Hi {{{NAME}}}</p>',
      variables: [{ key: 'NAME', type: 'string' }],
    })
    await acme.post(`/templates/${body.id}/publish`)
    return { app, acme, id: body.id as string }
  }

  test('gives what the request leaves out, and the request wins', async () => {
    const { acme, id } = await startWithTemplate()
    const template = { id: 'welcome', variables: { NAME: 'Ada' } }

    const { body: bare } = await acme.post('/emails', { to: 'ada@example.com', template })
    const { body: own } = await acme.post('/emails', {
      to: 'ada@example.com',
      from: 'own@acme.dev',
      subject: 'Own',
      reply_to: 'own-reply@acme.dev',
      template: { ...template, id },
    })

    const email = await readEmail(acme, bare.id)
    expect(email).toMatchObject({
      from: 'Template <template@acme.dev>',
      subject: 'Welcome Ada',
      reply_to: ['reply@acme.dev'],
      html: '<p>Hi Ada</p>',
    })
    expect(email.events[0].data.template_id).toBe(id)
    expect(await readEmail(acme, own.id)).toMatchObject({
      from: 'own@acme.dev',
      subject: 'Own',
      reply_to: ['own-reply@acme.dev'],
      html: '<p>Hi Ada</p>',
    })
  })

  test('gives what is empty in the request, as an SDK without absent texts sends it', async () => {
    const { acme } = await startWithTemplate()
    const template = { id: 'welcome', variables: { NAME: 'Ada' } }
    const { body } = await acme.post('/emails', { to: 'ada@example.com', from: '', subject: '', template })
    expect(await readEmail(acme, body.id)).toMatchObject({
      from: 'Template <template@acme.dev>',
      subject: 'Welcome Ada',
    })

    const { body: refused } = await acme.post('/emails', { to: 'ada@example.com', from: '', subject: '', html: 'Hi' })
    expect(refused).toMatchObject({ name: 'validation_error', message: expect.stringMatching(/^Invalid `from` field/) })
  })

  test('does not go with html or text, and must be one of the team', async () => {
    const { app, acme, id } = await startWithTemplate()
    const globex = await app.as('globex')
    const template = { id, variables: { NAME: 'Ada' } }

    const mixed = await acme.post('/emails', { to: 'ada@example.com', template, html: '<p>Hi</p>' })
    const theirs = await globex.post('/emails', { to: 'ada@example.com', template })
    const unfilled = await acme.post('/emails', { to: 'ada@example.com', template: { id } })

    expect(mixed.body).toMatchObject({ statusCode: 422, name: 'validation_error' })
    expect(theirs.body).toMatchObject({ statusCode: 404, message: 'Template not found' })
    expect(unfilled.body).toMatchObject({ statusCode: 422, name: 'validation_error' })
  })
})

test('an unknown topic, or one of another team, is not found', async () => {
  const { app, acme } = await startAcme()
  const { body: theirs } = await (await app.as('globex')).post('/topics', { name: 'News' })

  for (const topic_id of [newId(), theirs.id]) {
    const reply = await acme.post('/emails', { ...SIMPLE, topic_id })

    expect(reply.body).toEqual({ statusCode: 404, message: 'Topic not found', name: 'not_found' })
  }
  expect((await acme.post('/emails', { ...SIMPLE, topic_id: 'news' })).body.name).toBe('validation_error')
})

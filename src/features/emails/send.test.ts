import { describe, expect, test } from 'vitest'
import { readEmail, SIMPLE, sendEmail, startAcme } from '../../../test/harness/emails.ts'

const { to: _to, ...NOBODY } = SIMPLE

describe('an email', () => {
  test('that is sent can be read with its recipients and events', async () => {
    const { app, acme } = await startAcme()
    const fields = {
      to: ['Ada Lovelace <ada@example.com>'],
      cc: ['bob@example.com'],
      bcc: ['eve@example.com'],
      reply_to: ['Support <help@acme.dev>'],
      text: 'Hi',
      tags: [{ name: 'kind', value: 'greeting' }],
      headers: { 'X-Order': '42' },
    }

    const reply = await acme.post('/emails', { ...SIMPLE, ...fields })
    await app.deliverDue()

    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({ id: expect.any(String) })
    const { headers, ...shown } = fields
    const email = await readEmail(acme, reply.body.id)
    expect(email).toMatchObject({ object: 'email', ...SIMPLE, ...shown, scheduled_at: null, topic_id: null })
    expect(email.message_id).toBe(`<${email.id}@acme.dev>`)
    expect(email.last_event).toBe('delivered')
    expect(email.states).toEqual({
      'ada@example.com': 'delivered',
      'bob@example.com': 'delivered',
      'eve@example.com': 'delivered',
    })
    expect(email.events[0]).toMatchObject({
      type: 'email.sent',
      data: {
        email_id: email.id,
        created_at: app.clock.now().toISOString(),
        from: SIMPLE.from,
        to: fields.to,
        subject: 'Hello',
        message_id: email.message_id,
        tags: { kind: 'greeting' },
        headers: [{ name: 'X-Order', value: '42' }],
      },
    })
  })

  test('may be sent to the path without an s, which some clients use', async () => {
    const { acme } = await startAcme()

    const sent = await acme.post('/email', SIMPLE, { 'idempotency-key': 'a' })
    const again = await acme.post('/emails', SIMPLE, { 'idempotency-key': 'a' })

    expect([sent.status, again.body]).toEqual([200, sent.body])
    expect((await acme.get('/email')).status).toBe(405)
  })

  test('is dated by the clock of the service', async () => {
    const { app, acme } = await startAcme()

    const email = await readEmail(acme, await sendEmail(acme))

    expect(email.created_at).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{1,6}\+00$/)
    expect(Date.parse(email.created_at)).toBe(app.clock.now().getTime())
  })

  test('is checked in the order that clients know: to, content, subject, from', async () => {
    const { acme } = await startAcme()
    const { to, html, subject, from } = SIMPLE
    const missing = (field: string) => ({
      statusCode: 422,
      message: `Missing \`${field}\` field.`,
      name: 'missing_required_field',
    })

    const replies = [{}, { to }, { to, html }, { to, html, subject }].map((body) => acme.post('/emails', body))

    expect((await Promise.all(replies)).map(({ body }) => body)).toEqual([
      missing('to'),
      { statusCode: 422, message: 'Missing `html` or `text` field.', name: 'validation_error' },
      missing('subject'),
      missing('from'),
    ])
    expect((await acme.post('/emails', { to, html, subject, from })).status).toBe(200)
    expect((await acme.post('/emails')).body).toEqual(missing('to'))
  })

  test('has fields that clients may give as null, as nothing, or not at all', async () => {
    const { acme } = await startAcme()
    const optional = ['cc', 'bcc', 'reply_to', 'headers', 'attachments', 'tags', 'scheduled_at', 'topic_id', 'template']
    const nulls = Object.fromEntries([...optional, 'text'].map((field) => [field, null]))
    const empty = { cc: [], bcc: [], reply_to: [], tags: [], attachments: [], headers: {} }

    const ids = [await sendEmail(acme), await sendEmail(acme, nulls), await sendEmail(acme, empty)]

    const [plain, ...others] = await Promise.all(ids.map((id) => readEmail(acme, id)))
    for (const { id, message_id, events, ...rest } of others) expect(plain).toMatchObject(rest)
    expect(plain).toMatchObject({ cc: [], bcc: [], reply_to: [], tags: [], text: null })
    expect((await acme.post('/emails', { ...SIMPLE, to: null })).body.message).toBe('Missing `to` field.')
    expect((await acme.post('/emails', { ...SIMPLE, to: [] })).body.message).toBe('Missing `to` field.')
    expect((await acme.post('/emails', { ...SIMPLE, html: null })).body.message).toBe('Missing `html` or `text` field.')
  })

  test('may come with fields that we do not know', async () => {
    const { acme } = await startAcme()

    const email = await readEmail(
      acme,
      await sendEmail(acme, { region: 'eu-west-1', react: {}, id: 'mine', team: 'x' }),
    )

    expect(email).toMatchObject({ ...SIMPLE, to: [SIMPLE.to] })
    expect(email.id).not.toBe('mine')
  })

  test('may be text alone, and a text that is empty is kept as such', async () => {
    const { acme } = await startAcme()
    const { html: _html, ...rest } = SIMPLE

    const { body: plain } = await acme.post('/emails', { ...rest, text: 'Hi' })
    const { body: without } = await acme.post('/emails', { ...SIMPLE, text: '' })

    expect(await readEmail(acme, plain.id)).toMatchObject({ html: null, text: 'Hi' })
    expect(await readEmail(acme, without.id)).toMatchObject({ html: SIMPLE.html, text: '' })
  })

  test('that is refused leaves nothing behind', async () => {
    const { acme } = await startAcme()

    await acme.post('/emails', { ...SIMPLE, cc: 'nobody' })
    await acme.post('/emails', { ...SIMPLE, tags: [{ name: 'a b', value: 'c' }] })

    expect((await acme.get('/emails')).body.data).toEqual([])
    expect(await acme.events()).toEqual([])
  })

  test('may measure a lot, and no more than that', async () => {
    const { acme } = await startAcme()

    const large = await acme.post('/emails', { ...SIMPLE, html: 'x'.repeat(3_000_000) })
    const tooLarge = await acme.post('/emails', SIMPLE, { 'content-length': String(200 * 1024 * 1024) })

    expect(large.status).toBe(200)
    expect(tooLarge.body).toEqual({
      statusCode: 413,
      message: 'The request body is too large. The limit is 160 MB.',
      name: 'validation_error',
    })
  })
})

describe('an address', () => {
  test('may be bare or have a name, in any script', async () => {
    const { acme } = await startAcme()
    const addresses = [
      'ada@example.com',
      'Ada Lovelace <ada@example.com>',
      '"Lovelace, Ada" <ada@example.com>',
      'Acme, Inc. <ada@example.com>',
      '<ada@example.com>',
      'ada+news@mail.example.com',
      'Größe <grüße@exämple.com>',
      '用户@例子.广告',
    ]

    for (const address of addresses) {
      const email = await readEmail(acme, await sendEmail(acme, { from: address, to: address, cc: [address] }))

      expect(email).toMatchObject({ from: address, to: [address], cc: [address] })
      expect(Object.keys(email.states)).toHaveLength(1)
      // ASCII, whatever the domain: otherwise only servers that speak SMTPUTF8 could be given the mail.
      expect(email.message_id).toMatch(/^<[\x21-\x7e]+>$/)
    }
  })

  test('is one that mail can be sent to, in every field', async () => {
    const { acme } = await startAcme()
    const wrong = [
      'ada',
      'ada@',
      '@example.com',
      'ada@localhost',
      'a@example.com, b@example.com',
      'Ada a@example.com',
      ' ',
    ]

    for (const address of wrong) {
      for (const field of ['from', 'to', 'cc', 'bcc', 'reply_to']) {
        const reply = await acme.post('/emails', { ...SIMPLE, [field]: address })

        expect(reply.body, address).toEqual({
          statusCode: 422,
          message: `Invalid \`${field}\` field. The email address needs to follow the \`email@example.com\` or \`Name <email@example.com>\` format.`,
          name: 'validation_error',
        })
      }
    }
  })

  test('cannot bring a line of its own', async () => {
    const { acme } = await startAcme()

    for (const address of ['Ada\r\nBcc: eve@example.com <ada@example.com>', 'A\u0000da <ada@example.com>']) {
      for (const field of [{ from: address }, { to: ['ada@example.com', address] }, { reply_to: address }])
        expect((await acme.post('/emails', { ...SIMPLE, ...field })).status).toBe(422)
    }
  })

  test('that is named twice gets one copy', async () => {
    const { acme } = await startAcme()
    const named = { to: ['ada@example.com', 'Ada <ADA@example.com>'], cc: 'ada@Example.com', bcc: ['bob@example.com'] }

    const email = await readEmail(acme, await sendEmail(acme, named))

    expect(email).toMatchObject({ to: named.to, cc: [named.cc], bcc: named.bcc })
    expect(Object.keys(email.states).map((recipient) => recipient.toLowerCase())).toEqual([
      'ada@example.com',
      'bob@example.com',
    ])
  })

  test('may be one of up to fifty in a field', async () => {
    const { acme } = await startAcme()
    const addresses = (count: number) => Array.from({ length: count }, (_, n) => `user${n}@example.com`)

    for (const field of ['to', 'cc', 'bcc', 'reply_to']) {
      const one = await sendEmail(acme, { [field]: 'ada@example.com' })
      const fifty = await sendEmail(acme, { [field]: addresses(50) })
      const tooMany = await acme.post('/emails', { ...SIMPLE, [field]: addresses(51) })

      expect((await readEmail(acme, one))[field]).toEqual(['ada@example.com'])
      expect((await readEmail(acme, fifty))[field]).toEqual(addresses(50))
      expect(tooMany.body).toMatchObject({ statusCode: 422, name: 'validation_error' })
      expect(tooMany.body.message).toBe(`Invalid \`${field}\` field. It must be a string or a list of 1 to 50 items.`)
    }
  })

  test('is not a number or an object', async () => {
    const { acme } = await startAcme()

    for (const to of [1, true, {}, [1], [null], [['ada@example.com']]]) {
      const reply = await acme.post('/emails', { ...NOBODY, to })

      expect(reply.body, JSON.stringify(to)).toMatchObject({ statusCode: 422, name: 'validation_error' })
    }
  })
})

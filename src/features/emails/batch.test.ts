import { describe, expect, test } from 'vitest'
import { readEmail, SIMPLE, sendEmail, startAcme } from '../../../test/harness/emails.ts'
import { newId } from '../../../test/harness/ids.ts'

const PERMISSIVE = { 'x-batch-validation': 'permissive' }
const numbered = (count: number) => Array.from({ length: count }, (_, n) => ({ ...SIMPLE, subject: `Number ${n}` }))
const idsOf = (items: { id: string }[]) => items.map(({ id }) => id)

describe('a batch', () => {
  test('sends up to a hundred emails, and answers in their order', async () => {
    const { app, acme } = await startAcme()

    const { status, body } = await acme.post('/emails/batch', numbered(100))
    await app.deliverDue()

    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['data'])
    const listed = (await acme.get('/emails?limit=100')).body.data.reverse()
    expect(idsOf(listed)).toEqual(idsOf(body.data))
    expect(listed.map(({ subject }: { subject: string }) => subject)).toEqual(
      numbered(100).map(({ subject }) => subject),
    )
    expect(listed.every(({ last_event }: { last_event: string }) => last_event === 'delivered')).toBe(true)
  })

  test('is a list of one to a hundred', async () => {
    const { acme } = await startAcme()

    for (const body of [[], numbered(101), {}, SIMPLE, { emails: [SIMPLE] }]) {
      const reply = await acme.post('/emails/batch', body)

      expect(reply.body).toEqual({
        statusCode: 422,
        message: 'The request body must be a list of 1 to 100 items.',
        name: 'validation_error',
      })
    }
    expect((await acme.post('/emails/batch')).status).toBe(422)
    expect((await acme.get('/emails')).body.data).toEqual([])
  })

  test('takes scheduled mail, tags and everything else that an email has, except attachments', async () => {
    const { app, acme } = await startAcme()
    const { body: topic } = await acme.post('/topics', { name: 'News' })
    const rich = {
      ...SIMPLE,
      to: ['ada@example.com', 'bob@example.com'],
      scheduled_at: 'in 1 hour',
      tags: [{ name: 'a', value: 'b' }],
      topic_id: topic.id,
      attachments: [],
    }

    const { body } = await acme.post('/emails/batch', [rich, SIMPLE])
    const refused = await acme.post('/emails/batch', [{ ...SIMPLE, attachments: [{ filename: 'a', content: 'YQ==' }] }])
    await app.deliverDue()

    const [scheduled, sent] = await Promise.all(idsOf(body.data).map((id) => readEmail(acme, id)))
    expect(scheduled).toMatchObject({ last_event: 'scheduled', tags: rich.tags, topic_id: topic.id, to: rich.to })
    expect(sent!.last_event).toBe('delivered')
    expect(refused.body).toEqual({
      statusCode: 422,
      message: 'The `attachments` field is not supported in a batch.',
      name: 'validation_error',
    })
  })

  test('is strict unless it says otherwise, and says so in one of two words', async () => {
    const { acme } = await startAcme()
    const batch = [SIMPLE, {}]

    const strict = await acme.post('/emails/batch', batch, { 'x-batch-validation': 'strict' })
    const unsaid = await acme.post('/emails/batch', batch)
    const unknown = await acme.post('/emails/batch', batch, { 'x-batch-validation': 'lenient' })

    expect([strict.status, unsaid.status, unknown.status]).toEqual([422, 422, 422])
    expect(unknown.body.message).toBe('The `x-batch-validation` header must be `strict` or `permissive`.')
  })
})

describe('a strict batch', () => {
  test('with one mistake sends nothing, and fails as that email alone would', async () => {
    const { app, acme } = await startAcme()
    const mistakes = {
      'Missing `to` field.': { to: null },
      'Missing `html` or `text` field.': { html: null },
      'Missing `subject` field.': { subject: null },
      'Topic not found': { topic_id: newId() },
      'Invalid `subject` field. It must be a single line.': { subject: 'a\nb' },
    }

    for (const [message, mistake] of Object.entries(mistakes)) {
      const batch = await acme.post('/emails/batch', [...numbered(3), { ...SIMPLE, ...mistake }, SIMPLE])
      const single = await acme.post('/emails', { ...SIMPLE, ...mistake })

      expect(batch.body).toEqual(single.body)
      expect(batch.body.message).toBe(message)
    }
    for (const notAnEmail of [1, null, 'email', []])
      expect((await acme.post('/emails/batch', [SIMPLE, notAnEmail])).status).toBe(422)
    await app.deliverDue()
    expect((await acme.get('/emails')).body.data).toEqual([])
    expect((await acme.events()).filter(({ type }) => type.startsWith('email.'))).toEqual([])
  })
})

describe('a permissive batch', () => {
  test('sends the good ones and tells of the others by their place', async () => {
    const { acme } = await startAcme()
    const batch = [
      { ...SIMPLE, to: undefined },
      { ...SIMPLE, subject: 'First' },
      { ...SIMPLE, to: 'nobody' },
      null,
      { ...SIMPLE, subject: 'Second' },
      { ...SIMPLE, attachments: [{ filename: 'a', content: 'YQ==' }] },
    ]

    const { status, body } = await acme.post('/emails/batch', batch, PERMISSIVE)

    expect(status).toBe(200)
    const subjects = await Promise.all(idsOf(body.data).map(async (id) => (await readEmail(acme, id)).subject))
    expect(subjects).toEqual(['First', 'Second'])
    expect(body.errors).toEqual([
      { index: 0, message: 'Missing `to` field.' },
      { index: 2, message: expect.stringContaining('Invalid `to` field.') },
      { index: 3, message: expect.any(String) },
      { index: 5, message: 'The `attachments` field is not supported in a batch.' },
    ])
  })

  test('says so when all went well, and when nothing did', async () => {
    const { acme } = await startAcme()

    const good = await acme.post('/emails/batch', numbered(2), PERMISSIVE)
    const bad = await acme.post('/emails/batch', [{}, {}], { ...PERMISSIVE, 'idempotency-key': 'a' })
    const corrected = await acme.post('/emails/batch', [SIMPLE], { ...PERMISSIVE, 'idempotency-key': 'a' })

    expect(good.body).toEqual({ data: [{ id: expect.any(String) }, { id: expect.any(String) }], errors: [] })
    expect(bad.body.data).toEqual([])
    expect(bad.body.errors).toHaveLength(2)
    expect(corrected.body.data).toHaveLength(1)
  })
})

test('emails that arrive together do not share their fate with each other', async () => {
  const { acme } = await startAcme()
  const requests = Array.from({ length: 60 }, (_, n) =>
    n % 5 === 0 ? acme.post('/emails', { ...SIMPLE, to: 'nobody' }) : sendEmail(acme, { subject: `Number ${n}` }),
  )

  await Promise.all(requests)

  expect((await acme.get('/emails?limit=100')).body.data).toHaveLength(48)
})

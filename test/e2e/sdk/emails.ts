import { expect, test } from 'vitest'
import { dataOf, errorOf } from '../../harness/sdk.ts'
import { NOBODY, type SdkContext, TIMESTAMP } from './context.ts'

const HELLO = { from: 'Acme <me@acme.example>', to: 'you@example.com', subject: 'Hello', html: '<p>Hi</p>' }

const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString()

export function emailTests(context: SdkContext) {
  test('an email is sent, delivered, shown and listed', async () => {
    const { emails } = context.resend

    const { id } = await dataOf(emails.send({ ...HELLO, tags: [{ name: 'kind', value: 'greeting' }] }))
    await context.service.stored(async () => (await dataOf(emails.get(id))).last_event === 'delivered')

    expect(await dataOf(emails.get(id))).toMatchObject({
      object: 'email',
      id,
      from: 'Acme <me@acme.example>',
      to: ['you@example.com'],
      subject: 'Hello',
      html: '<p>Hi</p>',
      created_at: expect.stringMatching(TIMESTAMP),
      tags: [{ name: 'kind', value: 'greeting' }],
    })
    expect((await dataOf(emails.list({ limit: 1 }))).data).toMatchObject([{ id, last_event: 'delivered' }])
    expect(await errorOf(context.neighbour.emails.get(id))).toMatchObject({ message: 'Email not found' })
  })

  test('a second call with the same idempotency key is the first one', async () => {
    const { emails } = context.resend
    const options = { idempotencyKey: `order-${Math.random()}` }

    const first = await dataOf(emails.create(HELLO, options))

    expect(await dataOf(emails.create(HELLO, options))).toEqual(first)
    expect(await errorOf(emails.create({ ...HELLO, subject: 'Other' }, options))).toMatchObject({
      statusCode: 409,
      name: 'invalid_idempotent_request',
    })
  })

  test('an email is scheduled, moved and canceled', async () => {
    const { emails } = context.resend

    const { id } = await dataOf(emails.send({ ...HELLO, scheduledAt: 'in 1 hour' }))

    expect(await dataOf(emails.update({ id, scheduledAt: tomorrow() }))).toEqual({ object: 'email', id })
    expect((await dataOf(emails.get(id))).last_event).toBe('scheduled')
    expect(await dataOf(emails.cancel(id))).toEqual({ object: 'email', id })
    expect((await dataOf(emails.get(id))).last_event).toBe('canceled')
    expect(await errorOf(emails.cancel(NOBODY))).toMatchObject({ statusCode: 404 })
  })

  test('attachments come in all forms, and go out through links without a key', async () => {
    const { emails } = context.resend

    const { id } = await dataOf(
      emails.send({
        ...HELLO,
        html: '<img src="cid:logo">',
        attachments: [
          { filename: 'a.txt', content: Buffer.from('from a buffer') },
          { filename: 'b.txt', content: Buffer.from('from base64').toString('base64') },
          { filename: 'logo.png', content: Buffer.from('png'), contentId: 'logo', contentType: 'image/png' },
        ],
      }),
    )
    const { data } = await dataOf(emails.attachments.list({ emailId: id }))
    const one = await dataOf(emails.attachments.get({ emailId: id, id: data[0]!.id }))

    expect(one).toMatchObject({ object: 'attachment', id: data[0]!.id })
    const contents = await Promise.all(data.map(async ({ download_url }) => (await fetch(download_url)).text()))
    expect(contents.sort()).toEqual(['from a buffer', 'from base64', 'png'])
  })

  test('an email is shared, and metrics count it', async () => {
    const { emails } = context.resend
    const { id } = await dataOf(emails.send(HELLO))

    const shared = await dataOf(emails.share(id))
    const page = await fetch((shared as unknown as { url: string }).url)
    const metrics = await dataOf(emails.metrics({ metrics: ['sent'] } as never))

    expect(page.status).toBe(200)
    expect(await page.text()).toContain('Hello')
    expect(metrics).toMatchObject({ object: expect.any(String) })
  })

  test('a batch is sent, strictly or not', async () => {
    const { batch } = context.resend
    const bad = { ...HELLO, to: 'nobody' }

    const strict = await dataOf(batch.send([HELLO, HELLO]))
    const lenient = await dataOf(batch.create([HELLO, bad], { batchValidation: 'permissive' }))

    expect(strict.data).toHaveLength(2)
    expect(lenient).toMatchObject({ data: [{ id: expect.any(String) }], errors: [{ index: 1 }] })
    expect(await errorOf(batch.send([HELLO, bad]))).toMatchObject({ statusCode: 422 })
  })
}

import { expect, test } from 'vitest'
import { dataOf, errorOf } from '../../harness/sdk.ts'
import { freshAddress, NOBODY, type SdkContext, TIMESTAMP } from './context.ts'

const MAILING = { from: 'Acme <news@acme.example>', subject: 'Hi {{{FIRST_NAME|there}}}', html: '<p>{{{EMAIL}}}</p>' }

export function broadcastTests(context: SdkContext) {
  async function makeSegment(...addresses: string[]) {
    const { segments, contacts } = context.resend
    const { id } = await dataOf(segments.create({ name: 'Readers' }))
    for (const email of addresses) await dataOf(contacts.create({ email, firstName: 'Ada', segments: [{ id }] }))
    return id
  }

  test('a broadcast is created, shown, changed, copied, listed, scheduled, canceled and removed', async () => {
    const { broadcasts } = context.resend
    const segmentId = await makeSegment()

    const { id } = await dataOf(broadcasts.create({ ...MAILING, segmentId, name: 'May', replyTo: 'help@acme.example' }))
    expect(await dataOf(broadcasts.update(id, { previewText: 'Psst', text: 'Hello' }))).toMatchObject({ id })
    expect(await dataOf(broadcasts.get(id))).toMatchObject({
      ...MAILING,
      object: 'broadcast',
      id,
      name: 'May',
      segment_id: segmentId,
      audience_id: segmentId,
      reply_to: ['help@acme.example'],
      preview_text: 'Psst',
      text: 'Hello',
      status: 'draft',
      created_at: expect.stringMatching(TIMESTAMP),
      scheduled_at: null,
      sent_at: null,
    })
    const copy = await dataOf(broadcasts.duplicate(id))
    expect(copy).toEqual({ object: 'broadcast', id: expect.any(String) })
    const page = await dataOf(broadcasts.list({ limit: 2 }))
    expect(page.data.map((broadcast) => [broadcast.id, broadcast.name])).toEqual([
      [copy.id, 'May (copy)'],
      [id, 'May'],
    ])

    expect(await dataOf(broadcasts.send(id, { scheduledAt: 'in 1 hour' }))).toEqual({ id })
    expect(await dataOf(broadcasts.get(id))).toMatchObject({
      status: 'scheduled',
      scheduled_at: expect.stringMatching(TIMESTAMP),
    })
    expect(await dataOf(broadcasts.cancel(id))).toEqual({ object: 'broadcast', id })
    expect(await dataOf(broadcasts.get(id))).toMatchObject({ status: 'draft', scheduled_at: null })

    for (const one of [copy.id, id])
      expect(await dataOf(broadcasts.remove(one))).toEqual({ object: 'broadcast', id: one, deleted: true })
  })

  test('a broadcast to a segment arrives personalised in each inbox', async () => {
    const { broadcasts, emails } = context.resend
    const people = [freshAddress('reader'), freshAddress('reader')]
    const segmentId = await makeSegment(...people)

    const { id } = await dataOf(broadcasts.create({ ...MAILING, segmentId, send: true }))
    await context.service.stored(async () => ((await dataOf(broadcasts.get(id))).status as string) === 'sent')

    const { data: delivered } = await dataOf(broadcasts.recipients(id, { type: 'delivered', email: 'reader' }))
    expect(delivered.map(({ email }) => email).sort()).toEqual(people.sort())
    for (const { id: copy, email } of delivered)
      expect(await dataOf(emails.get(copy))).toMatchObject({
        to: [email],
        subject: 'Hi Ada',
        html: `<p>${email}</p>`,
        last_event: 'delivered',
      })
    expect(await dataOf(broadcasts.recipients(id, { type: 'bounced', bounceType: 'permanent' }))).toEqual({
      object: 'list',
      has_more: false,
      data: [],
    })
    expect(await dataOf(broadcasts.clickedLinks(id, { limit: 5 }))).toEqual({
      object: 'list',
      has_more: false,
      data: [],
    })
  })

  test('mistakes with broadcasts are told', async () => {
    const { broadcasts } = context.resend
    const segmentId = await makeSegment()
    const { id } = await dataOf(broadcasts.create({ ...MAILING, audienceId: segmentId }))

    expect(await errorOf(broadcasts.cancel(id))).toEqual({
      statusCode: 422,
      message: 'Only queued or scheduled broadcasts can be canceled',
      name: 'validation_error',
    })
    expect(await errorOf(broadcasts.get(NOBODY))).toMatchObject({ statusCode: 404, message: 'Broadcast not found' })
    expect(await errorOf(context.neighbour.broadcasts.get(id))).toMatchObject({ statusCode: 404 })
  })
}

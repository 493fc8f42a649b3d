import { expect, test } from 'vitest'
import { dataOf, errorOf } from '../../harness/sdk.ts'
import { freshAddress, NOBODY, type SdkContext, TIMESTAMP } from './context.ts'

export function membershipTests(context: SdkContext) {
  test('a contact enters and leaves segments, by id or by address', async () => {
    const { resend } = context
    const email = freshAddress('member')
    const { id: contactId } = await dataOf(resend.contacts.create({ email }))
    const { id: one } = await dataOf(resend.segments.create({ name: 'One' }))
    const { id: two } = await dataOf(resend.segments.create({ name: 'Two' }))

    expect(await dataOf(resend.contacts.segments.add({ contactId, segmentId: one }))).toMatchObject({ id: one })
    expect(await dataOf(resend.contacts.segments.add({ email, segmentId: two }))).toMatchObject({ id: two })
    const { data: segments, has_more } = await dataOf(resend.contacts.segments.list({ contactId }))
    expect(segments).toEqual([
      { id: two, name: 'Two', created_at: expect.stringMatching(TIMESTAMP) },
      { id: one, name: 'One', created_at: expect.stringMatching(TIMESTAMP) },
    ])
    expect(has_more).toBe(false)
    expect(await dataOf(resend.contacts.segments.list({ email, limit: 1 }))).toMatchObject({ has_more: true })

    expect(await dataOf(resend.contacts.segments.remove({ email, segmentId: two }))).toMatchObject({
      id: two,
      audienceId: two,
      deleted: true,
    })
    expect(await dataOf(resend.contacts.segments.remove({ contactId, segmentId: two }))).toMatchObject({
      deleted: false,
    })
    expect((await dataOf(resend.contacts.segments.list({ contactId }))).data).toMatchObject([{ id: one }])
  })

  test('a contact chooses topics, and otherwise has their defaults', async () => {
    const { resend } = context
    const email = freshAddress('reader')
    const { id } = await dataOf(resend.contacts.create({ email }))
    const news = await dataOf(resend.topics.create({ name: 'News', description: 'All', defaultSubscription: 'opt_in' }))
    const offers = await dataOf(resend.topics.create({ name: 'Offers', defaultSubscription: 'opt_out' }))

    const choices = [{ id: offers.id, subscription: 'opt_in' as const }]
    expect(await dataOf(resend.contacts.topics.update({ email, topics: choices }))).toMatchObject({ id })
    expect(await dataOf(resend.contacts.topics.update({ id, topics: [] }))).toMatchObject({ id })

    const { data: topics } = await dataOf(resend.contacts.topics.list({ id, limit: 2 }))
    expect(topics).toMatchObject([
      { id: offers.id, name: 'Offers', description: null, subscription: 'opt_in' },
      { id: news.id, name: 'News', description: 'All', subscription: 'opt_in' },
    ])
    expect((await dataOf(resend.contacts.topics.list({ email }))).data.slice(0, 2)).toEqual(topics)
  })

  test('mistakes with memberships are told', async () => {
    const { resend } = context
    const email = freshAddress('lost')
    await dataOf(resend.contacts.create({ email }))
    const choices = [{ id: NOBODY, subscription: 'opt_in' as const }]

    const nowhere = { email, segmentId: NOBODY }
    expect(await errorOf(resend.contacts.segments.add(nowhere))).toMatchObject({ statusCode: 404, name: 'not_found' })
    expect(await errorOf(resend.contacts.segments.remove(nowhere))).toMatchObject({ statusCode: 404 })
    expect(await errorOf(resend.contacts.segments.list({ contactId: NOBODY }))).toMatchObject({
      message: 'Contact not found',
    })
    expect(await errorOf(resend.contacts.topics.list({ id: NOBODY }))).toMatchObject({ statusCode: 404 })
    expect(await errorOf(resend.contacts.topics.update({ email, topics: choices }))).toMatchObject({
      statusCode: 404,
      message: 'Topic not found',
    })
  })
}

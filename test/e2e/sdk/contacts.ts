import { expect, test } from 'vitest'
import { dataOf, errorOf } from '../../harness/sdk.ts'
import { freshAddress, NOBODY, type SdkContext, TIMESTAMP } from './context.ts'

export function contactTests(context: SdkContext) {
  test('a contact is created with all it can have, and found by id and by address', async () => {
    const { resend } = context
    const email = freshAddress('Grace+tag')
    const segment = await dataOf(resend.segments.create({ name: 'Navy' }))
    const topic = await dataOf(resend.topics.create({ name: 'Compilers', defaultSubscription: 'opt_out' }))
    await dataOf(resend.contactProperties.create({ key: 'rank', type: 'string' }))
    await dataOf(resend.contactProperties.create({ key: 'born', type: 'number' }))

    const created = await dataOf(
      resend.contacts.create({
        email,
        firstName: 'Grace',
        lastName: 'Hopper',
        unsubscribed: false,
        properties: { rank: 'Rear admiral', born: 1906 },
        segments: [{ id: segment.id }],
        topics: [{ id: topic.id, subscription: 'opt_in' }],
      }),
    )

    expect(created).toEqual({ object: 'contact', id: expect.any(String) })
    const contact = await dataOf(resend.contacts.get(created.id))
    expect(contact).toEqual({
      object: 'contact',
      id: created.id,
      email,
      first_name: 'Grace',
      last_name: 'Hopper',
      unsubscribed: false,
      created_at: expect.stringMatching(TIMESTAMP),
      properties: { rank: { type: 'string', value: 'Rear admiral' }, born: { type: 'number', value: 1906 } },
    })
    expect(await dataOf(resend.contacts.get({ id: created.id }))).toEqual(contact)
    expect(await dataOf(resend.contacts.get({ email }))).toEqual(contact)
    expect(await dataOf(resend.contacts.get(email))).toEqual(contact)
  })

  test('a contact that is known keeps its id', async () => {
    const { resend } = context
    const email = freshAddress('ada')

    const first = await dataOf(resend.contacts.create({ email, firstName: 'Ada' }))
    const again = await dataOf(resend.contacts.create({ email, lastName: 'Lovelace' }))

    expect(again).toEqual(first)
    expect(await dataOf(resend.contacts.get(email))).toMatchObject({ first_name: 'Ada', last_name: 'Lovelace' })
  })

  test('a contact is updated and removed by id or by address', async () => {
    const { resend } = context
    const email = freshAddress('jean')
    const { id } = await dataOf(resend.contacts.create({ email, firstName: 'Jean', lastName: 'Sammet' }))

    expect(await dataOf(resend.contacts.update({ id, lastName: null, unsubscribed: true }))).toEqual({
      object: 'contact',
      id,
    })
    expect(await dataOf(resend.contacts.update({ email, firstName: 'Jean E.' }))).toEqual({ object: 'contact', id })
    expect(await dataOf(resend.contacts.get(id))).toMatchObject({
      first_name: 'Jean E.',
      last_name: null,
      unsubscribed: true,
    })

    expect(await dataOf(resend.contacts.remove({ email }))).toMatchObject({
      object: 'contact',
      contact: id,
      deleted: true,
    })
    expect(await errorOf(resend.contacts.remove(id))).toMatchObject({ statusCode: 404, message: 'Contact not found' })
    expect(await errorOf(resend.contacts.remove({ id }))).toMatchObject({ name: 'not_found' })
  })

  test('contacts are listed: all of them, by pages, and those of a segment', async () => {
    const { resend } = context
    const segment = await dataOf(resend.segments.create({ name: 'Three' }))
    const ids: string[] = []
    for (const name of ['a', 'b', 'c']) {
      const contact = { email: freshAddress(name), segments: [{ id: segment.id }] }
      ids.unshift((await dataOf(resend.contacts.create(contact))).id)
    }

    const all = await dataOf(resend.contacts.list())
    const page = await dataOf(resend.contacts.list({ limit: 2 }))
    const rest = await dataOf(resend.contacts.list({ segmentId: segment.id, limit: 2, after: ids[1]! }))
    const inSegment = await dataOf(resend.contacts.list({ segmentId: segment.id }))

    expect(all.has_more).toBe(false)
    expect(all.data.slice(0, 3).map(({ id }) => id)).toEqual(ids)
    expect(page).toMatchObject({ object: 'list', has_more: true, data: [{ id: ids[0] }, { id: ids[1] }] })
    expect(rest).toMatchObject({ has_more: false, data: [{ id: ids[2] }] })
    expect(inSegment.data.map(({ id }) => id)).toEqual(ids)
    expect(Object.keys(inSegment.data[0]!).sort()).toEqual([
      'created_at',
      'email',
      'first_name',
      'id',
      'last_name',
      'unsubscribed',
    ])
  })

  test('mistakes with contacts are told', async () => {
    const { resend } = context

    expect(await errorOf(resend.contacts.create({} as { email: string }))).toEqual({
      statusCode: 422,
      message: 'Missing `email` field.',
      name: 'missing_required_field',
    })
    expect(await errorOf(resend.contacts.create({ email: 'nobody' }))).toMatchObject({ name: 'validation_error' })
    expect(await errorOf(resend.contacts.get(NOBODY))).toMatchObject({ statusCode: 404, message: 'Contact not found' })
    expect(await errorOf(resend.contacts.update({ id: NOBODY }))).toMatchObject({ statusCode: 404 })
    expect(await errorOf(resend.contacts.list({ limit: 0 }))).toMatchObject({ statusCode: 422 })
    expect(await errorOf(resend.contacts.list({ segmentId: NOBODY }))).toMatchObject({ statusCode: 404 })
    expect(await errorOf(resend.contacts.list({ after: NOBODY, before: NOBODY } as object))).toMatchObject({
      statusCode: 422,
      name: 'validation_error',
    })
  })
}

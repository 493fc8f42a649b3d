import { expect, test } from 'vitest'
import { dataOf, errorOf } from '../../harness/sdk.ts'
import { freshAddress, NOBODY, type SdkContext, TIMESTAMP } from './context.ts'

const WORDS = ['segments', 'audiences'] as const

export function segmentTests(context: SdkContext) {
  test.each(WORDS)('%s are created, shown, renamed, listed and removed', async (word) => {
    const segments = context.resend[word]

    const created = await dataOf(segments.create({ name: 'Early birds' }))
    expect(created).toEqual({ object: 'segment', id: expect.any(String), name: 'Early birds' })
    const { id } = created
    expect(await dataOf(segments.get(id))).toEqual({
      object: 'segment',
      id,
      name: 'Early birds',
      created_at: expect.stringMatching(TIMESTAMP),
    })
    expect(await dataOf(segments.update(id, { name: 'Night owls' }))).toEqual({ object: 'segment', id })
    expect(await dataOf(segments.list({ limit: 1 }))).toMatchObject({
      has_more: true,
      data: [{ id, name: 'Night owls' }],
    })
    expect((await dataOf(segments.list())).has_more).toBe(false)

    expect(await dataOf(segments.remove(id))).toEqual({ object: 'segment', id, deleted: true })
    expect(await dataOf(segments.remove(id))).toEqual({ object: 'segment', id, deleted: true })
    expect(await errorOf(segments.get(id))).toMatchObject({ statusCode: 404, name: 'not_found' })
    expect(await errorOf(segments.update(id, { name: 'x' }))).toMatchObject({ statusCode: 404 })
    expect(await errorOf(segments.create({} as { name: string }))).toMatchObject({ message: 'Missing `name` field.' })
    expect(await errorOf(segments.list({ limit: -1 }))).toMatchObject({ statusCode: 422 })
    expect(await errorOf(segments.remove('no-id'))).toMatchObject({ statusCode: 422, name: 'invalid_parameter' })
  })

  test('programs that still say audienceId work', async () => {
    const { resend } = context
    const email = freshAddress('old')
    const { id: audienceId } = await dataOf(resend.audiences.create({ name: 'Customers' }))

    const { id } = await dataOf(resend.contacts.create({ audienceId, email, firstName: 'Olda' }))
    expect(await dataOf(resend.contacts.get({ audienceId, email }))).toMatchObject({ id, first_name: 'Olda' })
    expect(await dataOf(resend.contacts.update({ audienceId, id, unsubscribed: true }))).toEqual({
      object: 'contact',
      id,
    })
    expect(await dataOf(resend.contacts.get({ audienceId, id }))).toMatchObject({ email, unsubscribed: true })
    expect(await dataOf(resend.contacts.update({ audienceId, email, firstName: 'Older' }))).toMatchObject({ id })
    expect(await dataOf(resend.contacts.list({ audienceId }))).toMatchObject({ data: [{ id, first_name: 'Older' }] })
    expect((await dataOf(resend.contacts.segments.list({ contactId: id }))).data).toMatchObject([{ id: audienceId }])

    expect(await dataOf(resend.contacts.remove({ audienceId, email }))).toMatchObject({ contact: email, deleted: true })
    expect(await dataOf(resend.contacts.remove({ audienceId, id }))).toMatchObject({ contact: id, deleted: true })
    expect(await errorOf(resend.contacts.get(id))).toMatchObject({ statusCode: 404 })
  })

  test('an audience that does not exist is told, and one does not show the contacts of another', async () => {
    const { resend } = context
    const email = freshAddress('elsewhere')
    const { id: audienceId } = await dataOf(resend.audiences.create({ name: 'Here' }))
    const { id: other } = await dataOf(resend.audiences.create({ name: 'There' }))
    await dataOf(resend.contacts.create({ audienceId, email }))

    expect(await errorOf(resend.contacts.create({ audienceId: NOBODY, email }))).toMatchObject({
      statusCode: 404,
      message: 'Audience not found',
    })
    expect(await errorOf(resend.contacts.get({ audienceId: other, email }))).toMatchObject({ statusCode: 404 })
    expect(await errorOf(resend.contacts.update({ audienceId: other, email }))).toMatchObject({ statusCode: 404 })
    expect(await errorOf(resend.contacts.list({ audienceId: NOBODY }))).toMatchObject({ statusCode: 404 })
  })
}

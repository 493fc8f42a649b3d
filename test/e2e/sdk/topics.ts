import { expect, test } from 'vitest'
import { dataOf, errorOf } from '../../harness/sdk.ts'
import { NOBODY, type SdkContext, TIMESTAMP } from './context.ts'

export function topicTests(context: SdkContext) {
  test('a topic is created, shown, changed, listed and removed', async () => {
    const { topics } = context.resend

    const created = await dataOf(
      topics.create({ name: 'Weekly', description: 'Each Monday', defaultSubscription: 'opt_out' }),
    )
    expect(created).toEqual({ object: 'topic', id: expect.any(String) })
    const { id } = created
    const topic = await dataOf(topics.get(id))
    expect(topic).toEqual({
      object: 'topic',
      id,
      name: 'Weekly',
      description: 'Each Monday',
      default_subscription: 'opt_out',
      visibility: 'private',
      created_at: expect.stringMatching(TIMESTAMP),
    })
    expect(await dataOf(topics.update({ id, name: 'Monthly' }))).toEqual({ object: 'topic', id })
    expect((await dataOf(topics.list())).data[0]).toMatchObject({ id, name: 'Monthly', description: 'Each Monday' })

    expect(await dataOf(topics.remove(id))).toEqual({ object: 'topic', id, deleted: true })
    expect(await errorOf(topics.get(id))).toEqual({ statusCode: 404, message: 'Topic not found', name: 'not_found' })
  })

  test('mistakes with topics are told', async () => {
    const { topics } = context.resend

    expect(await errorOf(topics.create({ name: 'x'.repeat(51), defaultSubscription: 'opt_in' }))).toMatchObject({
      statusCode: 422,
      name: 'validation_error',
      message: expect.stringContaining('`name`'),
    })
    expect(await errorOf(topics.update({ id: NOBODY, name: 'x' }))).toMatchObject({ statusCode: 404 })
    expect(await errorOf(topics.remove(NOBODY))).toMatchObject({ statusCode: 404 })
  })
}

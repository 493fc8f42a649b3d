import { Resend } from 'resend'
import { expect, test } from 'vitest'
import { dataOf, errorOf } from '../../harness/sdk.ts'
import { eventually } from '../../harness/service.ts'
import { NOBODY, type SdkContext, TIMESTAMP } from './context.ts'

export function apiKeyTests(context: SdkContext) {
  test('a key is created, works, is renamed, listed and removed', async () => {
    const { resend } = context

    const created = await dataOf(resend.apiKeys.create({ name: 'Deploys', permission: 'full_access' }))
    expect(created).toEqual({ object: 'api_key', id: expect.any(String), token: expect.stringMatching(/^re_\S+$/) })
    const own = new Resend(created.token, { baseUrl: resend.baseUrl })
    expect((await dataOf(own.topics.list())).data).toBeInstanceOf(Array)

    expect(await dataOf(resend.apiKeys.update(created.id, { name: 'Releases' }))).toEqual({
      object: 'api_key',
      id: created.id,
    })
    const { data: keys } = await dataOf(resend.apiKeys.list())
    const key = keys.find(({ id }) => id === created.id)
    expect(key).toMatchObject({
      id: created.id,
      name: 'Releases',
      created_at: expect.stringMatching(TIMESTAMP),
      last_used_at: expect.stringMatching(TIMESTAMP),
    })

    expect(await dataOf(resend.apiKeys.remove(created.id))).toEqual({
      object: 'api_key',
      id: created.id,
      deleted: true,
    })
    await eventually(async () => (await own.topics.list()).error?.name === 'invalid_api_key', 1_000)
  })

  test('keys are paged, newest first', async () => {
    const { resend } = context
    const first = await dataOf(resend.apiKeys.create({ name: 'One' }))
    const second = await dataOf(resend.apiKeys.create({ name: 'Two', permission: 'sending_access' }))

    const newest = await dataOf(resend.apiKeys.list({ limit: 1 }))
    const older = await dataOf(resend.apiKeys.list({ limit: 1, after: second.id }))
    const newer = await dataOf(resend.apiKeys.list({ limit: 1, before: first.id }))

    expect(newest).toMatchObject({ object: 'list', has_more: true, data: [{ id: second.id }] })
    expect(older).toMatchObject({ data: [{ id: first.id }] })
    expect(newer).toMatchObject({ has_more: false, data: [{ id: second.id }] })
  })

  test('mistakes with keys are told', async () => {
    const { resend } = context

    expect(await errorOf(resend.apiKeys.create({} as { name: string }))).toEqual({
      statusCode: 422,
      message: 'Missing `name` field.',
      name: 'missing_required_field',
    })
    expect(await errorOf(resend.apiKeys.update(NOBODY, { name: 'x' }))).toMatchObject({ message: 'API key not found' })
    expect(await errorOf(resend.apiKeys.remove(NOBODY))).toMatchObject({ statusCode: 404, name: 'not_found' })
    expect(await errorOf(resend.apiKeys.list({ limit: 101 }))).toMatchObject({
      statusCode: 422,
      name: 'validation_error',
      message: expect.stringContaining('between 1 and 100'),
    })
  })
}

import { expect, test } from 'vitest'
import { dataOf, errorOf } from '../../harness/sdk.ts'
import { eventually } from '../../harness/service.ts'
import { freshAddress, NOBODY, type SdkContext, TIMESTAMP } from './context.ts'

export function logAndUsageTests(context: SdkContext) {
  test('a call is in the log soon after, with its bodies', async () => {
    const { resend } = context
    const email = freshAddress('logged')
    const { data: contact, headers } = await resend.contacts.create({ email })
    const id = headers!['x-request-id']!

    await eventually(async () => (await resend.logs.get(id)).error === null)

    const { data: logs } = await dataOf(resend.logs.list({ limit: 100 }))
    const item = {
      id,
      created_at: expect.stringMatching(TIMESTAMP),
      endpoint: '/contacts',
      method: 'POST',
      response_status: 201,
      duration_ms: expect.any(Number),
      user_agent: 'resend-node:6.38.0',
      ip_address: '127.0.0.1',
      actor: { type: 'api_key', id: expect.any(String), name: 'First key' },
    }
    expect(logs).toContainEqual(item)
    expect(await dataOf(resend.logs.get(id))).toEqual({
      object: 'log',
      ...item,
      request_body: { email },
      response_body: contact,
    })
  })

  test('the log does not keep the token of a key', async () => {
    const { resend } = context
    const { data: key, headers } = await resend.apiKeys.create({ name: 'Secret' })
    const id = headers!['x-request-id']!

    await eventually(async () => (await resend.logs.get(id)).error === null)

    expect(JSON.stringify(await dataOf(resend.logs.get(id)))).not.toContain(key!.token)
  })

  test('mistakes with logs are told', async () => {
    const { logs } = context.resend

    expect(await errorOf(logs.get('no-id'))).toEqual({
      statusCode: 422,
      message: 'The `logId` must be a valid UUID.',
      name: 'invalid_parameter',
    })
    expect(await errorOf(logs.get(NOBODY))).toMatchObject({ statusCode: 404, message: 'Log not found' })
    expect(await errorOf(logs.list({ limit: 0 }))).toMatchObject({ statusCode: 422 })
  })

  test('usage counts contacts and segments', async () => {
    const { resend } = context
    const before = await dataOf(resend.usage.get())

    await dataOf(resend.contacts.create({ email: freshAddress('counted') }))
    await dataOf(resend.segments.create({ name: 'Counted' }))
    const after = await dataOf(resend.usage.get())

    expect(after.contacts.used).toBe(before.contacts.used + 1)
    expect(after.segments).toEqual({ used: before.segments.used + 1, limit: null })
    expect(after.rate_limit).toEqual({ limit: 1000, duration: '1000ms' })
    expect(after.emails.monthly).toMatchObject({ used: expect.any(Number), limit: expect.any(Number) })
  })
}

import type { CreateContactImportOptions } from 'resend'
import { expect, test } from 'vitest'
import { dataOf, errorOf } from '../../harness/sdk.ts'
import { freshAddress, NOBODY, type SdkContext, TIMESTAMP } from './context.ts'

const csv = (...lines: string[]) => new Blob([lines.join('\n')], { type: 'text/csv' })

export function importTests(context: SdkContext) {
  async function importToItsEnd(options: CreateContactImportOptions) {
    const { resend } = context
    const created = await dataOf(resend.contacts.imports.create(options))
    expect(created).toEqual({ object: 'contact_import', id: expect.any(String) })
    await context.service.stored(
      async () => (await dataOf(resend.contacts.imports.get(created.id))).status === 'completed',
    )
    return dataOf(resend.contacts.imports.get(created.id))
  }

  test('a file with the usual columns is imported', async () => {
    const { resend } = context
    const [ada, bob] = [freshAddress('ada'), freshAddress('bob')]

    const done = await importToItsEnd({
      file: csv('email,first_name,last_name,unsubscribed', `${ada},Ada,Lovelace,true`, `${bob},Bob,,`, 'nobody,,,'),
    })

    expect(done).toEqual({
      object: 'contact_import',
      id: done.id,
      status: 'completed',
      created_at: expect.stringMatching(TIMESTAMP),
      completed_at: expect.stringMatching(TIMESTAMP),
      counts: { total: 3, created: 2, updated: 0, skipped: 0, failed: 1 },
    })
    expect(await dataOf(resend.contacts.get(ada))).toMatchObject({ last_name: 'Lovelace', unsubscribed: true })
    expect(await dataOf(resend.contacts.get(bob))).toMatchObject({ first_name: 'Bob', last_name: null })
  })

  test('columns of other names become fields, properties, segments and topics', async () => {
    const { resend } = context
    const email = freshAddress('carol')
    const segment = await dataOf(resend.segments.create({ name: 'Imported' }))
    const topic = await dataOf(resend.topics.create({ name: 'Imported', defaultSubscription: 'opt_out' }))

    await importToItsEnd({
      file: csv('Mail;Vorname;Plan;Seats', `${email};Carol;pro;7`),
      columnMap: {
        email: 'Mail',
        firstName: 'Vorname',
        properties: { plan: { column: 'Plan' }, seats: { column: 'Seats', type: 'number' } },
      },
      segments: [{ id: segment.id }],
      topics: [{ id: topic.id, subscription: 'opt_in' }],
    })

    expect(await dataOf(resend.contacts.get(email))).toMatchObject({
      first_name: 'Carol',
      properties: { plan: { type: 'string', value: 'pro' }, seats: { type: 'number', value: 7 } },
    })
    expect((await dataOf(resend.contacts.segments.list({ email }))).data).toMatchObject([{ id: segment.id }])
    const { data: topics } = await dataOf(resend.contacts.topics.list({ email }))
    expect(topics).toContainEqual(
      expect.objectContaining({ id: topic.id, name: 'Imported', description: null, subscription: 'opt_in' }),
    )
  })

  test('a contact that is known is updated, or skipped when the caller wants that', async () => {
    const { resend } = context
    const email = freshAddress('dora')
    await dataOf(resend.contacts.create({ email, firstName: 'Dora' }))

    const skipped = await importToItsEnd({ file: csv('email,first_name', `${email},Skipped`), onConflict: 'skip' })
    expect(skipped.counts).toEqual({ total: 1, created: 0, updated: 0, skipped: 1, failed: 0 })
    expect(await dataOf(resend.contacts.get(email))).toMatchObject({ first_name: 'Dora' })

    const updated = await importToItsEnd({ file: csv('email,first_name', `${email},New`), onConflict: 'upsert' })
    expect(updated.counts).toEqual({ total: 1, created: 0, updated: 1, skipped: 0, failed: 0 })
    expect(await dataOf(resend.contacts.get(email))).toMatchObject({ first_name: 'New' })
  })

  test('imports are listed, newest first, and by status', async () => {
    const { resend } = context
    const first = await importToItsEnd({ file: csv('email', freshAddress('e')) })
    const second = await importToItsEnd({ file: csv('email', freshAddress('f')) })

    const page = await dataOf(resend.contacts.imports.list({ limit: 1, after: second.id }))
    const completed = await dataOf(resend.contacts.imports.list({ status: 'completed' }))

    expect(page).toEqual({ object: 'list', has_more: true, data: [first] })
    expect(completed.data.slice(0, 2)).toEqual([second, first])
    expect((await dataOf(resend.contacts.imports.list({ status: 'failed' }))).data).toEqual([])
  })

  test('mistakes with imports are told at once', async () => {
    const { imports } = context.resend.contacts

    expect(await errorOf(imports.create({ file: csv('name', 'Ada') }))).toMatchObject({
      statusCode: 422,
      name: 'validation_error',
      message: expect.stringContaining('email'),
    })
    expect(await errorOf(imports.create({ file: csv('a', 'b'), columnMap: { email: 'Mail' } }))).toMatchObject({
      message: expect.stringContaining('Mail'),
    })
    expect(await errorOf(imports.create({ file: csv('email'), segments: [{ id: NOBODY }] }))).toMatchObject({
      statusCode: 404,
    })
    expect(await errorOf(imports.get(NOBODY))).toMatchObject({ statusCode: 404, name: 'not_found' })
    expect(await errorOf(imports.list({ status: 'lost' as 'failed' }))).toMatchObject({ statusCode: 422 })
  })
}

import { expect, test } from 'vitest'
import { dataOf, errorOf } from '../../harness/sdk.ts'
import { freshAddress, NOBODY, type SdkContext, TIMESTAMP } from './context.ts'

export function suppressionTests(context: SdkContext) {
  test('an address is put on the list, found by id and address, and taken off again', async () => {
    const { suppressions } = context.resend
    const email = freshAddress('bounced+tag')

    const added = await dataOf(suppressions.add({ email }))
    expect(added).toEqual({ object: 'suppression', id: expect.any(String) })
    expect(await dataOf(suppressions.add({ email }))).toEqual(added)
    const suppression = await dataOf(suppressions.get(email))
    expect(suppression).toEqual({
      object: 'suppression',
      id: added.id,
      email,
      origin: 'manual',
      source_id: null,
      created_at: expect.stringMatching(TIMESTAMP),
    })
    expect(await dataOf(suppressions.get(added.id))).toEqual(suppression)

    expect(await dataOf(suppressions.remove(email))).toEqual({ object: 'suppression', id: added.id, deleted: true })
    expect(await errorOf(suppressions.remove(added.id))).toMatchObject({ statusCode: 404 })
    expect(await errorOf(suppressions.get(email))).toMatchObject({ statusCode: 404, name: 'not_found' })
  })

  test('addresses are added and removed together', async () => {
    const { suppressions } = context.resend
    const emails = [freshAddress('one'), freshAddress('two'), freshAddress('three')]

    const added = await dataOf(suppressions.batch.add({ emails }))
    expect(added).toEqual({ data: emails.map(() => ({ object: 'suppression', id: expect.any(String) })) })
    const ids = added.data.map(({ id }) => id)
    expect((await dataOf(suppressions.get(emails[1]!))).id).toBe(ids[1])

    const byAddress = await dataOf(suppressions.batch.remove({ emails: [emails[0]!] }))
    const byId = await dataOf(suppressions.batch.remove({ ids: ids.slice(1) }))
    expect(byAddress).toEqual({ data: [{ object: 'suppression', id: ids[0], deleted: true }] })
    expect(byId.data.map(({ id }) => id).sort()).toEqual(ids.slice(1).sort())
  })

  test('suppressions are listed, newest first, and by origin', async () => {
    const { suppressions } = context.resend
    const { id: first } = await dataOf(suppressions.add({ email: freshAddress('first') }))
    const { id: second } = await dataOf(suppressions.add({ email: freshAddress('second') }))

    const page = await dataOf(suppressions.list({ limit: 1 }))
    const next = await dataOf(suppressions.list({ limit: 1, after: second, origin: 'manual' }))

    expect(page).toMatchObject({ object: 'list', has_more: true, data: [{ id: second, origin: 'manual' }] })
    expect(next).toMatchObject({ data: [{ id: first }] })
    expect((await dataOf(suppressions.list({ origin: 'bounce' }))).data).toEqual([])
  })

  test('mistakes with suppressions are told', async () => {
    const { suppressions } = context.resend

    expect(await errorOf(suppressions.add({ email: 'nobody' }))).toMatchObject({ statusCode: 422 })
    expect(await errorOf(suppressions.get(NOBODY))).toMatchObject({ statusCode: 404 })
    expect(await errorOf(suppressions.list({ limit: 0 }))).toMatchObject({ statusCode: 422 })
    expect(await errorOf(suppressions.batch.add({ emails: [] }))).toMatchObject({ statusCode: 422 })
    expect(await errorOf(suppressions.batch.remove({} as { emails: string[] }))).toMatchObject({ statusCode: 422 })
  })
}

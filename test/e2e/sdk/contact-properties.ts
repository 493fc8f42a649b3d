import { expect, test } from 'vitest'
import { dataOf, errorOf } from '../../harness/sdk.ts'
import { freshAddress, NOBODY, type SdkContext, TIMESTAMP } from './context.ts'

export function contactPropertyTests(context: SdkContext) {
  test('a property is created, shown, changed, listed and removed', async () => {
    const { contactProperties } = context.resend

    const created = await dataOf(contactProperties.create({ key: 'company', type: 'string', fallbackValue: 'none' }))
    expect(created).toEqual({ object: 'contact_property', id: expect.any(String) })
    const { id } = created
    expect(await dataOf(contactProperties.get(id))).toEqual({
      object: 'contact_property',
      id,
      key: 'company',
      type: 'string',
      fallbackValue: 'none',
      createdAt: expect.stringMatching(TIMESTAMP),
    })
    expect(await dataOf(contactProperties.update({ id, fallbackValue: null }))).toEqual({
      object: 'contact_property',
      id,
    })
    expect((await dataOf(contactProperties.list({ limit: 1 }))).data).toEqual([
      { id, key: 'company', type: 'string', fallbackValue: null, createdAt: expect.stringMatching(TIMESTAMP) },
    ])

    expect(await dataOf(contactProperties.remove(id))).toEqual({ object: 'contact_property', id, deleted: true })
    expect(await errorOf(contactProperties.get(id))).toMatchObject({ message: 'Contact property not found' })
  })

  test('a contact loses the value of a property that is removed or set to null', async () => {
    const { resend } = context
    const email = freshAddress('valued')
    const { id } = await dataOf(resend.contactProperties.create({ key: 'shoe_size', type: 'number' }))
    await dataOf(resend.contactProperties.create({ key: 'colour', type: 'string' }))
    await dataOf(resend.contacts.create({ email, properties: { shoe_size: 42, colour: 'red' } }))

    await dataOf(resend.contactProperties.remove(id))
    expect((await dataOf(resend.contacts.get(email))).properties).toEqual({ colour: { type: 'string', value: 'red' } })
    await dataOf(resend.contacts.update({ email, properties: { colour: null } }))

    expect((await dataOf(resend.contacts.get(email))).properties).toEqual({})
  })

  test('mistakes with properties are told', async () => {
    const { resend } = context
    const { contactProperties } = resend
    await dataOf(contactProperties.create({ key: 'taken', type: 'number' }))
    const unknown = { email: freshAddress('x'), properties: { unheard_of: 1 } }

    expect(await errorOf(contactProperties.create({ key: 'taken', type: 'number' }))).toMatchObject({ statusCode: 422 })
    expect(await errorOf(contactProperties.create({ key: 'no spaces', type: 'string' }))).toMatchObject({
      name: 'validation_error',
    })
    expect(await errorOf(contactProperties.update({ id: NOBODY, fallbackValue: 'x' }))).toMatchObject({
      statusCode: 404,
    })
    expect(await errorOf(contactProperties.remove(NOBODY))).toMatchObject({ statusCode: 404 })
    expect(await errorOf(contactProperties.list({ limit: 1_000 }))).toMatchObject({ statusCode: 422 })
    expect(await errorOf(resend.contacts.create(unknown))).toMatchObject({
      message: expect.stringContaining('unheard_of'),
    })
  })
}

import { expect, test } from 'vitest'
import { dataOf, errorOf } from '../../harness/sdk.ts'
import { freshAddress, NOBODY, type SdkContext, TIMESTAMP } from './context.ts'

export function eventTests(context: SdkContext) {
  test('an event is created, shown, changed, listed and removed, by id and by name', async () => {
    const { events } = context.resend
    const name = 'shop/order.paid'

    const created = await dataOf(events.create({ name, schema: { total: 'number', at: 'date' } }))
    expect(created).toEqual({ object: 'event', id: expect.any(String) })
    const { id } = created
    const event = {
      id,
      name,
      schema: { total: 'number', at: 'date' },
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: null,
    }
    expect(await dataOf(events.get(name))).toEqual({ object: 'event', ...event })
    expect((await dataOf(events.list({ limit: 1 }))).data).toEqual([event])
    expect(await dataOf(events.update(name, { schema: null }))).toEqual({ object: 'event', id })
    expect(await dataOf(events.get(id))).toMatchObject({ schema: null, updated_at: expect.stringMatching(TIMESTAMP) })

    expect(await dataOf(events.remove(name))).toEqual({ object: 'event', id, deleted: true })
    expect(await errorOf(events.get(id))).toEqual({ statusCode: 404, message: 'Event not found', name: 'not_found' })
  })

  test('an event is sent about a contact or an address', async () => {
    const { contacts, events } = context.resend
    const { id: contactId } = await dataOf(contacts.create({ email: freshAddress('known') }))

    expect(await dataOf(events.send({ event: 'user.created', contactId, payload: { plan: 'pro' } }))).toEqual({
      object: 'event',
      event: 'user.created',
    })
    expect(await dataOf(events.send({ event: 'user.created', email: freshAddress('unknown') }))).toEqual({
      object: 'event',
      event: 'user.created',
    })
  })

  test('mistakes with events are told', async () => {
    const { events } = context.resend
    const email = freshAddress('x')
    await dataOf(events.create({ name: 'taken', schema: { total: 'number' } }))

    expect(await errorOf(events.create({ name: 'taken' }))).toMatchObject({
      statusCode: 422,
      message: expect.stringContaining('`taken`'),
    })
    expect(await errorOf(events.create({ name: 'resend:mine' }))).toMatchObject({ name: 'validation_error' })
    expect(await errorOf(events.send({ event: 'taken', email, payload: { total: 'much' } }))).toMatchObject({
      statusCode: 422,
      message: 'Invalid `payload.total` field. It must be a number.',
    })
    expect(await errorOf(events.send({ event: 'taken', contactId: NOBODY }))).toMatchObject({
      message: 'Contact not found',
    })
    expect(await errorOf(events.update(NOBODY, { schema: null }))).toMatchObject({ statusCode: 404 })
    expect(await errorOf(events.remove(NOBODY))).toMatchObject({ statusCode: 404 })
    expect(await errorOf(context.neighbour.events.get('taken'))).toMatchObject({ statusCode: 404 })
  })
}

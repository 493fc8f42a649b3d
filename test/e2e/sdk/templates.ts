import { expect, test } from 'vitest'
import { dataOf, errorOf } from '../../harness/sdk.ts'
import { NOBODY, type SdkContext, TIMESTAMP } from './context.ts'

export function templateTests(context: SdkContext) {
  test('a template is created, shown, changed, published, copied, listed and removed', async () => {
    const { templates } = context.resend

    const created = await dataOf(
      Promise.resolve(
        templates.create({
          name: 'Order',
          alias: 'order',
          subject: 'Order {{{NUMBER}}}',
          html: '<p>{{{NUMBER}}} for {{{NAME|you}}}</p>',
          replyTo: 'help@acme.example',
          variables: [
            { key: 'NUMBER', type: 'number' },
            { key: 'NAME', type: 'string', fallbackValue: 'you' },
          ],
        }),
      ),
    )
    expect(created).toEqual({ object: 'template', id: expect.any(String) })
    const { id } = created
    expect(await dataOf(templates.update('order', { text: 'Order {{{NUMBER}}}' }))).toEqual({ object: 'template', id })
    expect(await dataOf(templates.publish('order'))).toEqual({ object: 'template', id })
    expect(await dataOf(templates.get('order'))).toMatchObject({
      object: 'template',
      id,
      status: 'published',
      published_at: expect.stringMatching(TIMESTAMP),
      has_unpublished_versions: false,
      reply_to: ['help@acme.example'],
      text: 'Order {{{NUMBER}}}',
      variables: [
        { key: 'NUMBER', type: 'number', fallback_value: null },
        { key: 'NAME', type: 'string', fallback_value: 'you' },
      ],
    })
    const copy = await dataOf(Promise.resolve(templates.duplicate('order')))
    expect((await dataOf(templates.list({ limit: 2 }))).data.map((template) => template.id)).toEqual([copy.id, id])

    for (const one of [copy.id, id])
      expect(await dataOf(templates.remove(one))).toEqual({ object: 'template', id: one, deleted: true })
    expect(await errorOf(templates.get('order'))).toEqual({
      statusCode: 404,
      message: 'Template not found',
      name: 'not_found',
    })
  })

  test('a template is created and published, copied and published, in one go', async () => {
    const { templates } = context.neighbour

    const { id } = await dataOf(templates.create({ name: 'Quick', html: '<p>Hello</p>' }).publish())
    const copy = await dataOf(templates.duplicate(id).publish())

    const statuses = (await dataOf(templates.list())).data.map((template) => [template.id, template.status])
    expect(statuses).toEqual([
      [copy.id, 'published'],
      [id, 'published'],
    ])
  })

  test('mistakes with templates are told', async () => {
    const { templates } = context.resend

    const reserved = templates.create({ name: 'x', html: 'x', variables: [{ key: 'EMAIL', type: 'string' }] })
    expect(await errorOf(Promise.resolve(reserved))).toMatchObject({ statusCode: 422, name: 'validation_error' })
    expect(await errorOf(templates.publish(NOBODY))).toMatchObject({ statusCode: 404 })
    expect(await errorOf(templates.remove('nothing'))).toMatchObject({ statusCode: 404 })
  })
}

import { Resend } from 'resend'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { dataOf, errorOf } from '../../../../test/harness/sdk.ts'
import { startShadowProxy } from '../../../../test/harness/shadow-proxy.ts'

const NOBODY = '00000000-0000-4000-8000-000000000000'

test('what the SDK does at a Postwren is the same on our side', async () => {
  const app = await startApp()
  const { token } = await app.as('acme')
  const proxy = await startShadowProxy(app)
  const resend = new Resend(token, { baseUrl: proxy.url })

  const segment = await dataOf(resend.segments.create({ name: 'Readers' }))
  const topic = await dataOf(resend.topics.create({ name: 'News', defaultSubscription: 'opt_in' }))
  await dataOf(resend.contactProperties.create({ key: 'rank', type: 'string' }))
  const contact = await dataOf(
    resend.contacts.create({
      email: 'ada@example.com',
      firstName: 'Ada',
      properties: { rank: 'Countess' },
      segments: [{ id: segment.id }],
      topics: [{ id: topic.id, subscription: 'opt_in' }],
    }),
  )
  await dataOf(resend.contacts.get(contact.id))
  await dataOf(resend.contacts.get('ada@example.com'))
  await dataOf(resend.contacts.update({ id: contact.id, lastName: 'Lovelace' }))
  await dataOf(resend.contacts.list())
  const { data: template } = await resend.templates.create({
    name: 'Welcome',
    from: 'a@acme.dev',
    subject: 'Hi {{{NAME}}}',
    html: '<p>Hello {{{NAME}}}</p>',
    variables: [{ key: 'NAME', type: 'string', fallbackValue: 'you' }],
  })
  await dataOf(resend.templates.publish(template!.id))
  const sent = await dataOf(
    resend.emails.send({ to: 'ada@example.com', template: { id: template!.id, variables: { NAME: 'Ada' } } }),
  )
  await dataOf(resend.emails.get(sent.id))
  await dataOf(
    resend.batch.send([
      { from: 'a@acme.dev', to: 'ada@example.com', subject: 'One', text: '1' },
      { from: 'a@acme.dev', to: 'bob@example.com', subject: 'Two', text: '2' },
    ]),
  )
  await dataOf(resend.emails.list())
  await dataOf(resend.emails.list({ limit: 1, after: sent.id }))
  const broadcast = await dataOf(
    resend.broadcasts.create({ segmentId: segment.id, from: 'a@acme.dev', subject: 'News', html: '<p>x</p>' }),
  )
  await dataOf(resend.broadcasts.get(broadcast.id))
  const webhook = await dataOf(
    resend.webhooks.create({ endpoint: 'https://hooks.example.com/', events: ['email.sent'] }),
  )
  await dataOf(resend.webhooks.get(webhook.id))
  await dataOf(resend.apiKeys.create({ name: 'Second' }))
  await dataOf(resend.apiKeys.list())
  await errorOf(resend.emails.get(NOBODY))
  await errorOf(resend.emails.send({ from: 'nobody', to: 'ada@example.com', subject: 'x', text: 'x' }))
  await dataOf(resend.contacts.remove(contact.id))
  await dataOf(resend.segments.remove(segment.id))
  await proxy.settled()

  expect(proxy.differences()).toEqual([])
  expect(proxy.failures()).toEqual([])
  const counts = Object.values(proxy.report.operations)
  expect(counts.flatMap(({ not_comparable }) => Object.keys(not_comparable))).toEqual([])
  expect(proxy.report).toMatchObject({ calls: 25, lost_writes: 0 })
})

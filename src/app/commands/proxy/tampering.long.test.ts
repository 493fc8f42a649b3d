import { Resend } from 'resend'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { startShadowProxy, urlOf } from '../../../../test/harness/shadow-proxy.ts'
import { startTampering, type TamperedAnswer } from '../../../../test/harness/tampering.ts'

/** What an application does: it makes contacts, sends, and reads all of it. */
async function use(resend: Resend) {
  await resend.contacts.create({ email: 'ada@example.com', firstName: 'Ada' })
  await resend.contacts.create({ email: 'bob@example.com', firstName: 'Bob' })
  await resend.contacts.get('ada@example.com')
  await resend.contacts.list()
  const { data } = await resend.emails.send({
    from: 'Acme <a@acme.dev>',
    to: 'ada@example.com',
    subject: 'Hello',
    html: '<p>Hello</p>',
  })
  if (data) await resend.emails.get(data.id)
}

async function shown(change: (route: string, answer: TamperedAnswer) => void) {
  const app = await startApp()
  const { token } = await app.as('acme')
  const upstream = await startTampering(await urlOf(app), ({ method, path }, answer) =>
    change(`${method} ${path.replace(/[0-9a-f-]{36}/, ':id')}`, answer),
  )
  const proxy = await startShadowProxy(app, { upstream })
  await use(new Resend(token, { baseUrl: proxy.url }))
  await proxy.settled()
  return proxy
}

test('an upstream that changes nothing shows no differences', async () => {
  const proxy = await shown(() => {})

  expect(proxy.differences()).toEqual([])
  expect(proxy.report).toMatchObject({ calls: 6, lost_writes: 0 })
})

test.each<[string, string, (answer: TamperedAnswer) => void, object]>([
  [
    'a value',
    'GET /contacts/ada@example.com',
    ({ body }) => Object.assign(body, { first_name: 'Augusta' }),
    { operation: 'GET /contacts/:id', path: 'first_name', theirs: 'Augusta', ours: 'Ada' },
  ],
  [
    'an address of a person, which is shortened',
    'GET /emails/:id',
    ({ body }) => Object.assign(body, { to: ['grace@example.com'] }),
    { operation: 'GET /emails/:id', path: 'to[]', theirs: 'g…@example.com', ours: 'a…@example.com' },
  ],
  [
    'a rendered body',
    'GET /emails/:id',
    ({ body }) => Object.assign(body, { html: '<p>Hallo</p>' }),
    { operation: 'GET /emails/:id', path: 'html', theirs: '<p>Hallo</p>', ours: '<p>Hello</p>' },
  ],
  [
    'a field that only the upstream has',
    'GET /contacts/ada@example.com',
    ({ body }) => Object.assign(body, { score: 7 }),
    { operation: 'GET /contacts/:id', path: 'score', theirs: '7', ours: '(absent)' },
  ],
  [
    'the format of a time',
    'GET /contacts/ada@example.com',
    ({ body }) => Object.assign(body, { created_at: '2026-01-01T00:00:00.000Z' }),
    { operation: 'GET /contacts/:id', path: 'created_at', theirs: 'ISO 8601', ours: 'PostgreSQL text' },
  ],
  [
    'the order of a list',
    'GET /contacts',
    ({ body }) => body.data.reverse(),
    { operation: 'GET /contacts', path: 'data[] order' },
  ],
  [
    'whether there is more',
    'GET /contacts',
    ({ body }) => Object.assign(body, { has_more: true }),
    { operation: 'GET /contacts', path: 'has_more', theirs: 'true', ours: 'false' },
  ],
  [
    'a status',
    'POST /emails',
    (answer) => Object.assign(answer, { status: 202 }),
    { operation: 'POST /emails', path: 'status', theirs: '202', ours: '200' },
  ],
  [
    'a refusal',
    'GET /contacts/ada@example.com',
    (answer) =>
      Object.assign(answer, { status: 422, body: { statusCode: 422, message: 'No.', name: 'validation_error' } }),
    { operation: 'GET /contacts/:id', path: 'status', theirs: '422 validation_error No.', ours: '200' },
  ],
  [
    'a header that is not there',
    'GET /contacts',
    (answer) => Object.assign(answer, { headers: {} }),
    { operation: 'GET /contacts', path: 'header content-type', theirs: '(absent)', ours: 'application/json' },
  ],
])('exactly what the upstream does otherwise is shown: %s', async (_what, route, change, expected) => {
  const proxy = await shown((called, answer) => {
    if (called === route) change(answer)
  })

  expect(proxy.differences()).toEqual([expect.objectContaining(expected)])
})

test('what only our side answers is no difference, and is named', async () => {
  const proxy = await shown((called, { body }) => {
    if (called === 'GET /emails/:id') {
      delete body.deliveries
      delete body.events
    }
  })

  expect(proxy.differences()).toEqual([])
  expect(proxy.report.operations['GET /emails/:id']!.extras).toEqual(['deliveries', 'events'])
})

test('what the outside world decides is no difference, and a suppression is one', async () => {
  const world = await shown((called, { body }) => {
    if (called === 'GET /emails/:id') body.last_event = 'bounced'
  })
  const suppressed = await shown((called, { body }) => {
    if (called === 'GET /emails/:id') body.last_event = 'suppressed'
  })

  expect(world.differences()).toEqual([])
  expect(suppressed.differences()).toMatchObject([{ path: 'last_event', theirs: 'suppressed' }])
})

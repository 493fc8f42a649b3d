import { describe, expect, test } from 'vitest'
import type { App, Client } from '../../../test/harness/app.ts'
import { broadcastTo, copiesOf, makeSegment, sendAll } from '../../../test/harness/broadcasts.ts'
import { emptyLedger, startAcme } from '../../../test/harness/emails.ts'
import { DELIVERED, MAILBOX_FULL, NO_SUCH_USER, scriptedTransport } from '../../../test/harness/transport.ts'
import { recordAll } from '../../kernel/outbox/record.ts'
import { recipientRows } from './recipients.ts'

const PEOPLE = ['ada', 'bob', 'cy', 'dan'].map((name) => ({ email: `${name}@example.com` }))

/** A broadcast to four people that was sent. */
async function start() {
  const world = scriptedTransport((recipient) =>
    recipient.startsWith('bob') ? NO_SUCH_USER : recipient.startsWith('cy') ? MAILBOX_FULL : DELIVERED,
  )
  const { app, acme } = await startAcme({}, { transport: world.transport })
  await emptyLedger(app)
  const id = await broadcastTo(acme, await makeSegment(acme, PEOPLE))
  await sendAll(app)
  const recipients = async (query: string) => (await acme.get(`/broadcasts/${id}/recipients?${query}`)).body
  const addresses = async (query: string) =>
    (await recipients(query)).data.map(({ email }: { email: string }) => email.split('@')[0])
  return { app, acme, id, recipients, addresses }
}

/** What tracking writes when somebody opens a copy or follows a link in it. */
async function happen(app: App, acme: Client, id: string, type: 'opened' | 'clicked', name: string, link?: string) {
  const copy = (await copiesOf(app, acme, id)).find(({ to }) => to === `${name}@example.com`)!
  const data = { email_id: copy.id, broadcast_id: id, to: [copy.to], ...(link && { click: { link } }) }
  const event = { team: acme.team, type: `email.${type}` as never, data, about: copy.id }
  await app.db.transaction((trx) => recordAll(trx, [event]))
}

describe('the recipients of a broadcast', () => {
  test('are listed by what became of their copy, the last one first', async () => {
    const { addresses } = await start()

    expect(await addresses('type=sent')).toEqual(['dan', 'cy', 'bob', 'ada'])
    expect(await addresses('type=delivered')).toEqual(['dan', 'ada'])
    expect(await addresses('type=bounced')).toEqual(['cy', 'bob'])
    for (const type of ['opened', 'clicked', 'complained', 'unsubscribed', 'suppressed'])
      expect(await addresses(`type=${type}`)).toEqual([])
  })

  test('are told apart by address and by kind of bounce', async () => {
    const { recipients, addresses } = await start()

    expect((await recipients('type=bounced')).data).toEqual([
      { id: expect.any(String), contact_id: expect.any(String), email: 'cy@example.com', bounce_type: 'transient' },
      { id: expect.any(String), contact_id: expect.any(String), email: 'bob@example.com', bounce_type: 'permanent' },
    ])
    expect(await addresses('type=bounced&bounce_type=permanent')).toEqual(['bob'])
    expect(await addresses('type=sent&email=DA')).toEqual(['dan', 'ada'])
    expect(await addresses('type=sent&email=a_a')).toEqual([])
  })

  test('are looked for by a part of the address where nobody waits behind it', () => {
    const team = '00000000-0000-7000-8000-000000000009'

    expect(recipientRows(team, team, { type: 'sent', email: 'ada' }).isFiltered).toBe(true)
    expect(recipientRows(team, team, { type: 'sent' }).isFiltered).toBe(false)
  })

  test('count opens and clicks, each once in the list', async () => {
    const { app, acme, id, recipients } = await start()
    for (const name of ['ada', 'ada', 'dan']) await happen(app, acme, id, 'opened', name)
    for (const link of ['https://a.dev/', 'https://b.dev/', 'https://b.dev/'])
      await happen(app, acme, id, 'clicked', 'ada', link)

    expect((await recipients('type=opened')).data).toMatchObject([
      { email: 'dan@example.com', count: 1 },
      { email: 'ada@example.com', count: 2 },
    ])
    expect((await recipients('type=clicked')).data).toMatchObject([
      {
        email: 'ada@example.com',
        count: 3,
        clicked_links: [
          { url: 'https://b.dev/', clicks: 2 },
          { url: 'https://a.dev/', clicks: 1 },
        ],
      },
    ])
  })

  test('include those who were left out because they are suppressed, and those whom it met on the way', async () => {
    const { app, acme } = await start()
    await acme.post('/suppressions', { email: 'ada@example.com' })
    const id = await broadcastTo(acme, await makeSegment(acme, PEOPLE))
    await app.runDueJobs()
    await acme.post('/suppressions', { email: 'dan@example.com' })
    await sendAll(app)

    const { body } = await acme.get(`/broadcasts/${id}/recipients?type=suppressed`)

    expect(body.data.map(({ email }: { email: string }) => email)).toEqual([
      'dan@example.com',
      'bob@example.com',
      'ada@example.com',
    ])
  })

  test('stay when their contact is deleted', async () => {
    const { acme, recipients } = await start()

    await acme.delete('/contacts/ada@example.com')

    expect((await recipients('type=sent&email=ada')).data).toMatchObject([
      { contact_id: null, email: 'ada@example.com' },
    ])
  })

  test('are asked for with a type, and a kind of bounce only among bounces', async () => {
    const { recipients } = await start()

    expect(await recipients('')).toMatchObject({ statusCode: 422, message: 'Missing `type` parameter.' })
    expect(await recipients('type=nonsense')).toMatchObject({ statusCode: 422, name: 'invalid_parameter' })
    expect(await recipients('type=sent&bounce_type=permanent')).toMatchObject({
      statusCode: 422,
      name: 'validation_error',
    })
  })
})

test('clicked links come with the most clicked first', async () => {
  const { app, acme, id } = await start()
  for (const [name, link] of [
    ['ada', 'https://a.dev/'],
    ['ada', 'https://b.dev/'],
    ['ada', 'https://b.dev/'],
    ['dan', 'https://b.dev/'],
    ['dan', 'https://c.dev/'],
    ['dan', 'https://c.dev/'],
  ] as const)
    await happen(app, acme, id, 'clicked', name, link)

  const { body } = await acme.get(`/broadcasts/${id}/clicked-links`)
  const next = await acme.get(`/broadcasts/${id}/clicked-links?limit=1&after=${body.data[0].id}`)

  expect(body).toEqual({
    object: 'list',
    has_more: false,
    data: [
      { id: expect.any(String), url: 'https://b.dev/', clicks: 3, unique_clicks: 2 },
      { id: expect.any(String), url: 'https://c.dev/', clicks: 2, unique_clicks: 1 },
      { id: expect.any(String), url: 'https://a.dev/', clicks: 1, unique_clicks: 1 },
    ],
  })
  expect(next.body).toEqual({ object: 'list', has_more: true, data: [body.data[1]] })
})

test('who uses the link in a copy to end such mail is among the unsubscribed, once', async () => {
  const { app, acme } = await startAcme()
  const { body: topic } = await acme.post('/topics', { name: 'News' })
  const html = '<a href="{{{RESEND_UNSUBSCRIBE_URL}}}">Stop</a>'
  const id = await broadcastTo(acme, await makeSegment(acme, PEOPLE), { html, topic_id: topic.id })
  await sendAll(app)
  const [ada] = await copiesOf(app, acme, id)
  const [, url = ''] = /href="(.*?)"/.exec((await acme.get(`/emails/${ada!.id}`)).body.html) ?? []
  const press = (choice: string) =>
    app.server.inject({
      method: 'POST',
      url: new URL(url).pathname,
      payload: choice,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  const unsubscribed = async () => (await acme.get(`/broadcasts/${id}/recipients?type=unsubscribed`)).body.data

  await press('choice=in')
  const before = await unsubscribed()
  await press('List-Unsubscribe=One-Click')
  await press('choice=all')

  expect(before).toEqual([])
  expect(await unsubscribed()).toMatchObject([{ id: ada!.id, email: 'ada@example.com' }])
})

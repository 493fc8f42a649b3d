import { expect, test } from 'vitest'
import { addTo, broadcastTo, makeSegment, sendAll, startBroadcasting } from '../../../test/harness/broadcasts.ts'
import { newId } from '../../../test/harness/ids.ts'
import { DEFERRED, DELIVERED, NO_SUCH_USER } from '../../../test/harness/transport.ts'
import { sql } from '../../kernel/db/sql.ts'
import { progressOf } from './metrics.ts'

const ADDRESSES = ['ada', 'bob', 'cleo', 'dan', 'eve'].map((name) => `${name}@readers.dev`)

async function sendToFive() {
  const { app, acme, world } = await startBroadcasting()
  const segment = await makeSegment(
    acme,
    ADDRESSES.map((email) => ({ email })),
  )
  await addTo(acme, segment, { email: 'gone@readers.dev', unsubscribed: true })
  await acme.post('/suppressions', { email: ADDRESSES[4] })
  world.answer((recipient) =>
    recipient.startsWith('bob') ? NO_SUCH_USER : recipient.startsWith('cleo') ? DEFERRED : DELIVERED,
  )
  const id = await broadcastTo(acme, segment)
  await sendAll(app)
  const click = (recipient: string, link: string) =>
    app.db.query(sql`
      insert into outbox (team_id, id, type, data, about, created_at)
      select e.team_id, ${newId()}, 'email.clicked', json_build_object('broadcast_id', ${id}::text, 'email_id', e.id,
        'click', json_build_object('link', ${link}::text), 'verdict', json_build_object('is_counted', true)), e.id, now()
      from emails e join deliveries d on d.team_id = e.team_id and d.email_id = e.id
      where e.team_id = ${acme.team} and d.recipient = ${recipient}`)
  return { app, acme, id, click }
}

test('a broadcast says how far it has got, and what became of its emails', async () => {
  const { app, acme, id, click } = await sendToFive()
  for (const link of ['https://a.dev/', 'https://a.dev/', 'https://b.dev/']) await click('ada@readers.dev', link)
  await click('dan@readers.dev', 'https://a.dev/')
  app.clock.advance(3_600)

  const { status, body } = await acme.get(`/broadcasts/${id}/metrics`)

  expect(status).toBe(200)
  const share = (total: number, percentage: number) => ({ total, percentage })
  expect(body).toEqual({
    object: 'broadcast_metrics',
    broadcast_id: id,
    status: 'sent',
    ...{ created_at: expect.any(String), scheduled_at: null, sent_at: expect.any(String) },
    ...{ total: 5, sent: 3, remaining: 1 },
    delivered: share(2, 40),
    opened: share(0, 0),
    clicked: share(2, 40),
    unsubscribed: share(0, 0),
    bounced: share(1, 20),
    complained: share(0, 0),
    suppressed: share(1, 20),
    clicked_links: [
      { url: 'https://a.dev/', clicks: 3, unique_clicks: 2, percentage: 75 },
      { url: 'https://b.dev/', clicks: 1, unique_clicks: 1, percentage: 25 },
    ],
  })
})

test('while it is being sent, shares are of what was sent', () => {
  const counts = {
    ...{ audience: 100, emails: 40, unsubscribed: 5, not_subscribed: 5, suppressed: 2, sent: 30, canceled: 0 },
  }
  const counted = {
    ...{ delivered: 20, bounced: 5, bounced_permanent: 5, complained: 1, unsubscribed: 0, suppressed: 0, failed: 1 },
    ...{ unique_opened: 10, unique_clicked: 4 },
  }

  expect(progressOf({ status: 'queued', counts }, counted)).toMatchObject({
    ...{ total: 90, sent: 25, remaining: 62 },
    delivered: { total: 20, percentage: 80 },
    opened: { total: 10, percentage: 40 },
    suppressed: { total: 2, percentage: 2.22 },
  })
})

test('a draft has nothing yet, and a broadcast of another team is not found', async () => {
  const { app, acme } = await startBroadcasting()
  const segment = await makeSegment(acme, [{ email: 'ada@readers.dev' }])
  const id = await broadcastTo(acme, segment, { send: false })

  expect((await acme.get(`/broadcasts/${id}/metrics`)).body).toMatchObject({
    ...{ status: 'draft', total: 0, sent: 0, remaining: 0, clicked_links: [] },
    delivered: { total: 0, percentage: 0 },
  })
  expect((await (await app.as('globex')).get(`/broadcasts/${id}/metrics`)).status).toBe(404)
  expect((await acme.get(`/broadcasts/${newId()}/metrics`)).status).toBe(404)
})

import { expect, test } from 'vitest'
import { readBuffers } from '../../../../test/harness/buffers.ts'
import { addWebhook, happen, startWithReceiver } from '../../../../test/harness/webhooks.ts'
import { raw, sql } from '../../../kernel/db/sql.ts'
import { pageStatement } from '../../../kernel/http/list.ts'
import { eventRows } from './queries.ts'

test('a page of the events of a webhook costs no more with many of them, and with some under way', async () => {
  const { app, acme } = await startWithReceiver()
  const { id } = await addWebhook(acme, 'https://example.com/hook')
  const [under] = await happen(app, acme)
  await app.db.query(sql`
    insert into outbox (team_id, id, type, data, created_at)
    select ${acme.team}, gen_random_uuid(), 'topic.created', '{}', now() from generate_series(1, 20000)`)
  await app.db.query(sql`
    insert into webhook_deliveries (team_id, webhook_id, event_id, state)
    select team_id, ${id}, id, 'success' from outbox where team_id = ${acme.team} and id <> ${under!.slice('msg_'.length)}`)
  await app.db.query(sql`
    insert into webhook_batches (team_id, webhook_id, id, holder, claimed_at, event_ids)
    values (${acme.team}, ${id}, gen_random_uuid(), 1, now(), array[${under!.slice('msg_'.length)}::uuid])`)
  for (const table of ['outbox', 'webhook_deliveries', 'webhook_batches'])
    await app.db.query(raw(`vacuum analyze ${table}`))
  const pages = [null, under!.slice('msg_'.length)].map((cursor) =>
    pageStatement(eventRows(app.db, acme.team, id), { limit: 100, cursor, direction: 'older' }, 100),
  )

  const { body } = await acme.get(`/webhooks/${id}/events?limit=100`)
  const buffers = await Promise.all(pages.map((page) => readBuffers(app.db, page)))

  expect(body.data).toHaveLength(100)
  // An index probe for each of its events; all of them would be twenty thousand.
  expect(Math.max(...buffers)).toBeLessThan(1_000)
})

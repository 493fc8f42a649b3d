import { expect, test } from 'vitest'
import { readBuffers } from '../../../../test/harness/buffers.ts'
import { addWebhook, happen, startWithReceiver } from '../../../../test/harness/webhooks.ts'
import { raw, sql } from '../../../kernel/db/sql.ts'
import { pageStatement } from '../../../kernel/http/list.ts'
import { newId } from '../../../platform/ids.ts'
import { MESSAGE_PREFIX } from '../delivery/message.ts'
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

const DAY_MS = 86_400_000
/** In every piece some, many within a moment, and some of a node whose clock is ahead. */
const AGES = [-3, -0.5, 0, 0.1, 1, 1.9, 2.1, 2.1, 5, 60, 97, 99, 400, ...Array<number>(12).fill(30)]

/** Events of all ages that a webhook was told of: those of a batch as well, which has rows for some of them, and some that are gone. */
async function startWithHistory() {
  const { app, acme } = await startWithReceiver()
  const { id: webhook } = await addWebhook(acme, 'https://example.com/hook')
  const now = app.clock.now().getTime()
  const told = AGES.flatMap((age) => {
    const clock = { now: () => new Date(now - age * DAY_MS) }
    return [newId(clock), newId(clock)].map((id, index) => ({ id, isGone: index === 1 }))
  })
  const ids = told.map(({ id }) => id)
  const there = told.filter(({ isGone }) => !isGone).map(({ id }) => id)
  await app.db.query(sql`
    insert into outbox (team_id, id, type, data, created_at)
    select ${acme.team}, id, 'topic.created', '{}', ${app.clock.now()} from unnest(${there}::uuid[]) as new (id)`)
  await app.db.query(sql`
    insert into webhook_deliveries (team_id, webhook_id, event_id, state)
    select ${acme.team}, ${webhook}, id, 'success' from unnest(${ids.filter((_, at) => at % 3 > 0)}::uuid[]) as new (id)`)
  await app.db.query(sql`
    insert into webhook_batches (team_id, webhook_id, id, holder, claimed_at, event_ids)
    values (${acme.team}, ${webhook}, ${newId(app.clock)}, 1, ${app.clock.now()}, ${ids.filter((_, at) => at % 3 < 2)}::uuid[])`)
  return { acme, webhook, newestFirst: there.toSorted().toReversed() }
}

test.each([1, 4, 20, 100])(
  'pages of %i go through years of events and skip none, nor tell one twice',
  async (limit) => {
    const { acme, webhook, newestFirst } = await startWithHistory()
    const walk = async (parameter: 'after' | 'before', start: string) => {
      const found: string[] = []
      for (let cursor = start; ; cursor = `&${parameter}=${MESSAGE_PREFIX}${found.at(-1)}`) {
        const { body } = await acme.get(`/webhooks/${webhook}/events?limit=${limit}${cursor}`)
        const page = body.data.map(({ id }: { id: string }) => id.slice(MESSAGE_PREFIX.length))
        found.push(...(parameter === 'after' ? page : page.toReversed()))
        if (!body.has_more) return found
      }
    }

    expect(await walk('after', '')).toEqual(newestFirst)
    expect(await walk('before', `&before=${MESSAGE_PREFIX}00000000-0000-7000-8000-000000000000`)).toEqual(
      newestFirst.toReversed(),
    )
  },
)

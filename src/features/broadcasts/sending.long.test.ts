import { describe, expect, test } from 'vitest'
import {
  broadcastTo,
  copiesOf,
  makeManyContacts,
  readBroadcast,
  sendAll,
  startBroadcasting,
  walkOnce,
} from '../../../test/harness/broadcasts.ts'
import { sql } from '../../kernel/db/sql.ts'

describe('a broadcast to many', () => {
  test('is written to more contacts than fit into one batch', async () => {
    const { app, acme, written } = await startBroadcasting()
    const segment = await makeManyContacts(app, acme, 2_345)

    const id = await broadcastTo(acme, segment)
    await sendAll(app)

    expect(new Set(written()).size).toBe(2_345)
    expect(written()).toHaveLength(2_345)
    expect(await readBroadcast(acme, id)).toMatchObject({ status: 'sent', counts: { audience: 2_345, sent: 2_345 } })
  })

  test('whose copies two make at the same time is written once: they take turns', async () => {
    const { app, acme, written } = await startBroadcasting()
    const segment = await makeManyContacts(app, acme, 3_500)
    const id = await broadcastTo(acme, segment)
    await app.db.query(sql`insert into jobs (id, name, payload, run_at, created_at)
      select gen_random_uuid(), name, payload, run_at, created_at from jobs where payload ->> 'broadcastId' = ${id}`)

    await sendAll(app)

    expect(written()).toHaveLength(3_500)
    expect(new Set(written()).size).toBe(3_500)
  })

  test('that is canceled stops what has not left, and nothing more is made', async () => {
    const { app, acme, written } = await startBroadcasting()
    const segment = await makeManyContacts(app, acme, 2_500)
    const id = await broadcastTo(acme, segment)
    await walkOnce(app, acme, id)
    await app.deliverDue()
    await walkOnce(app, acme, id)

    const reply = await acme.post(`/broadcasts/${id}/cancel`)
    await app.deliverDue()
    await sendAll(app)
    app.clock.advance(3_600)
    await sendAll(app)

    expect(reply.body).toEqual({ object: 'broadcast', id })
    expect(written()).toHaveLength(1_000)
    expect(await readBroadcast(acme, id)).toMatchObject({
      status: 'canceled',
      sent_at: null,
      counts: { emails: 2_000, canceled: 1_000 },
    })
    const states = (await copiesOf(app, acme, id)).map(({ state, last_event }) => `${state} ${last_event}`)
    expect(new Set(states.slice(0, 1_000))).toEqual(new Set(['delivered delivered']))
    expect(new Set(states.slice(1_000))).toEqual(new Set(['canceled canceled']))
    expect((await acme.post(`/broadcasts/${id}/cancel`)).status).toBe(422)
  })
})

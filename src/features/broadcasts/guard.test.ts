import { describe, expect, test } from 'vitest'
import type { App, Client } from '../../../test/harness/app.ts'
import {
  addTo,
  broadcastTo,
  makeSegment,
  readBroadcast,
  sendAll,
  startBroadcasting,
} from '../../../test/harness/broadcasts.ts'
import { sql } from '../../kernel/db/sql.ts'
import { NONE } from '../metrics/fold.ts'
import { causeToPause, pauseIfHarmful } from './guard.ts'
import { lockBroadcast } from './queries.ts'

const GUARD = { enabled: true, min_emails: 500, max_bounce_rate: 5, max_complaint_rate: 0.3 }
const NOTHING = { delivered: 0, bounced: 0, bounced_permanent: 0, complained: 0 }

test.each<[string, Partial<typeof NOTHING>, 'bounces' | 'complaints' | null]>([
  ['nothing happened', {}, null],
  ['too few to judge', { delivered: 399, bounced: 100, bounced_permanent: 100 }, null],
  ['as many bounces as may be', { delivered: 475, bounced: 25, bounced_permanent: 25 }, null],
  ['one more', { delivered: 474, bounced: 26, bounced_permanent: 26 }, 'bounces'],
  ['bounces that are not for good', { delivered: 400, bounced: 100 }, null],
  ['as many complaints as may be', { delivered: 1_000, complained: 3 }, null],
  ['one more complaint', { delivered: 1_000, complained: 4 }, 'complaints'],
  ['nobody was reached', { bounced: 500 }, null],
])('%s', (_, counts, cause) => {
  expect(causeToPause({ ...NOTHING, ...counts }, GUARD)?.cause ?? null).toBe(cause)
  expect(causeToPause({ ...NOTHING, ...counts }, { ...GUARD, enabled: false })).toBeNull()
})

/** Writes what the counters will say of the broadcast. */
const count = (app: App, { team }: Client, id: string, { delivered, bounced, complained }: Record<string, number>) =>
  app.db.query(sql`
    insert into metric_counts (team_id, quarter, domain_id, broadcast_id, received, delivered, complained, suppressed, bounced,
      bounced_transient, bounced_permanent, bounced_undetermined, opened, clicked, unsubscribed, delivery_delayed, failed, sent,
      unique_opened, unique_clicked)
    select ${team}, date_bin('15 minutes', ${app.clock.of(team).now()}::timestamptz, 'epoch'), ${NONE}, ${id}, 0, ${delivered ?? 0},
      ${complained ?? 0}, 0, ${bounced ?? 0}, 0, ${bounced ?? 0}, 0, 0, 0, 0, 0, 0, 0, 0, 0`)

/** A broadcast to three contacts, none of which was tried yet, that has bounced too often. */
async function harmful() {
  const world = await startBroadcasting()
  const { app, acme } = world
  const segment = await makeSegment(
    acme,
    ['a', 'b', 'c'].map((name) => ({ email: `${name}@example.com` })),
  )
  const id = await broadcastTo(acme, segment)
  await app.runDueJobs()
  await count(app, acme, id, { delivered: 90, bounced: 10 })
  await acme.patch('/broadcast-guard', { min_emails: 100 })
  app.clock.advance(2)
  await app.runDueJobs()
  const asideOf = async () =>
    (
      await app.db.query(sql`
        select from deliveries where team_id = ${acme.team} and state = 'waiting' and suspended_at is not null and hold_id = ${id}`)
    ).length
  return { ...world, id, asideOf }
}

describe('a broadcast that bounces too often', () => {
  test('is paused with its cause, once, and its mail is set aside', async () => {
    const { app, acme, id, written, asideOf } = await harmful()

    await app.services.teamStates.refresh()
    await app.deliverDue()
    app.clock.advance(60)
    await app.runDueJobs()
    await app.deliverDue()

    expect(await readBroadcast(acme, id)).toMatchObject({
      status: 'queued',
      paused_at: expect.any(String),
      pause: { cause: 'bounces', rate: 10, max_rate: 5, emails: 100 },
    })
    expect(written()).toEqual([])
    expect(await asideOf()).toBe(3)
    const told = await app.db.query(sql`
      select actor_kind, object_id, details from audit_events where team_id = ${acme.team} and action = 'broadcasts.pause'`)
    expect(told).toMatchObject([{ actor_kind: 'system', object_id: id, details: { cause: 'bounces', rate: 10 } }])
    const events = (await acme.events()).filter(({ type }) => type === 'broadcast.paused')
    expect(events).toMatchObject([{ data: { id, pause: { cause: 'bounces', rate: 10 } } }])
  })

  test('goes on when somebody resumes it, to the end, and not twice', async () => {
    const { app, acme, id, written } = await harmful()
    await app.services.teamStates.refresh()
    await app.deliverDue()

    expect((await acme.post(`/broadcasts/${id}/resume`)).body).toEqual({ object: 'broadcast', id })
    const again = await acme.post(`/broadcasts/${id}/resume`)
    await app.services.teamStates.refresh()
    await sendAll(app)

    expect(again.status).toBe(422)
    expect(written().sort()).toEqual(['a@example.com', 'b@example.com', 'c@example.com'])
    expect(await readBroadcast(acme, id)).toMatchObject({ status: 'sent', paused_at: null, pause: null })
  })

  test('is paused by one of two that find it at once', async () => {
    const { app, acme } = await startBroadcasting()
    const id = await broadcastTo(acme, await makeSegment(acme, [{ email: 'a@example.com' }]))
    await app.runDueJobs()
    await count(app, acme, id, { delivered: 1_000, bounced: 100 })
    const judge = () =>
      app.db.transaction(async (trx) => {
        await lockBroadcast(trx, acme.team, id)
        return pauseIfHarmful(trx, acme.team, id)
      })

    expect((await Promise.all([judge(), judge(), judge()])).filter(Boolean)).toHaveLength(1)
  })

  test('is not tried by a process that has not heard of it', async () => {
    const { app, written, asideOf } = await harmful()

    await app.deliverDue()
    const before = await asideOf()
    await app.services.teamStates.refresh()
    app.clock.advance(60)
    await app.deliverDue()

    expect(written()).toEqual([])
    expect([before, await asideOf()]).toEqual([0, 3])
  })

  test('can be canceled, and nothing of it leaves', async () => {
    const { app, acme, id, written, asideOf } = await harmful()
    await app.services.teamStates.refresh()
    await app.deliverDue()

    expect((await acme.post(`/broadcasts/${id}/cancel`)).status).toBe(200)
    await sendAll(app)

    expect(written()).toEqual([])
    expect(await asideOf()).toBe(0)
    expect(await readBroadcast(acme, id)).toMatchObject({
      status: 'canceled',
      paused_at: null,
      counts: { canceled: 3 },
    })
  })

  test('stops being expanded', async () => {
    const { app, acme } = await startBroadcasting()
    const segment = await makeSegment(acme, [{ email: 'a@example.com' }])
    const id = await broadcastTo(acme, segment)
    await app.runDueJobs()
    await addTo(acme, segment, { email: 'late@example.com' })
    await count(app, acme, id, { delivered: 1_000, complained: 5 })
    app.clock.advance(2)
    await app.runDueJobs()

    expect((await readBroadcast(acme, id)).pause).toEqual({
      cause: 'complaints',
      rate: 0.5,
      max_rate: 0.3,
      emails: 1000,
    })
  })
})

describe('when broadcasts are paused', () => {
  test('is a setting of the team, with defaults', async () => {
    const { app, acme } = await startBroadcasting()
    const globex = await app.as('globex')
    const defaults = { object: 'broadcast_guard', ...GUARD }

    expect((await acme.get('/broadcast-guard')).body).toEqual(defaults)
    expect((await acme.patch('/broadcast-guard', { max_bounce_rate: 2.5 })).body).toEqual({
      ...defaults,
      max_bounce_rate: 2.5,
    })
    expect((await acme.patch('/broadcast-guard', { enabled: false })).body).toMatchObject({
      enabled: false,
      max_bounce_rate: 2.5,
    })
    expect((await globex.get('/broadcast-guard')).body).toEqual(defaults)
    for (const wrong of [{ min_emails: 0 }, { max_bounce_rate: -1 }, { max_complaint_rate: 101 }, { enabled: 'yes' }])
      expect((await acme.patch('/broadcast-guard', wrong)).status).toBe(422)
  })

  test('off means never', async () => {
    const { app, acme } = await startBroadcasting()
    await acme.patch('/broadcast-guard', { enabled: false })
    const id = await broadcastTo(acme, await makeSegment(acme, [{ email: 'a@example.com' }]))
    await app.runDueJobs()
    await count(app, acme, id, { delivered: 0, bounced: 1_000 })
    await sendAll(app)

    expect(await readBroadcast(acme, id)).toMatchObject({ status: 'sent', pause: null })
  })
})

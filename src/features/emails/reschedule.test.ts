import { describe, expect, test } from 'vitest'
import type { App, Client } from '../../../test/harness/app.ts'
import { emptyLedger, readEmail, SIMPLE, sendEmail, startAcme } from '../../../test/harness/emails.ts'
import { DELIVERED, scriptedTransport } from '../../../test/harness/transport.ts'
import { sql } from '../../kernel/db/sql.ts'

const HOUR = 3_600

/** Nothing in the ledger, and an outside world that remembers who was written to. */
async function start() {
  const world = scriptedTransport()
  const { app, acme } = await startAcme({}, { transport: world.transport })
  await emptyLedger(app)
  return { app, acme, world }
}

/** Lets time pass, and delivers what is due then. */
async function later(app: App, seconds: number) {
  app.clock.advance(seconds)
  await app.deliverDue()
}

describe('scheduled mail', () => {
  test('waits for its time', async () => {
    const { app, acme, world } = await start()

    const id = await sendEmail(acme, { scheduled_at: 'in 2 hours' })
    const due = app.clock.now().getTime() + 2 * HOUR * 1_000
    await later(app, 2 * HOUR - 1)
    const waiting = await readEmail(acme, id)
    await later(app, 1)
    const sent = await readEmail(acme, id)

    expect(waiting).toMatchObject({ last_event: 'scheduled', timeline: ['scheduled'] })
    expect(Date.parse(waiting.scheduled_at)).toBe(due)
    expect(sent).toMatchObject({ last_event: 'delivered', timeline: ['scheduled', 'sent', 'delivered'] })
    expect(sent.scheduled_at).toBe(waiting.scheduled_at)
    expect(world.sent).toHaveLength(1)
  })

  test('is dated when it was to go out, not when it was written', async () => {
    const dates: string[] = []
    const world = scriptedTransport((_recipient, { email }) => {
      dates.push(email.sentAt.toISOString())
      return DELIVERED
    })
    const { app, acme } = await startAcme({}, { transport: world.transport })
    const now = app.clock.now().getTime()

    await sendEmail(acme, { scheduled_at: 'in 2 hours' })
    await sendEmail(acme)
    await later(app, 0)
    await later(app, 3 * HOUR)

    expect(dates).toEqual([new Date(now).toISOString(), new Date(now + 2 * HOUR * 1_000).toISOString()])
  })

  test('is given up on three days after its time, not after it was written', async () => {
    const { app, acme } = await start()

    const id = await sendEmail(acme, { scheduled_at: 'in 10 days' })
    await acme.patch(`/emails/${id}`, { scheduled_at: 'in 20 days' })

    const [row] = await app.db.query<{ days: number }>(sql`
      select extract(epoch from give_up_at - ${app.clock.now()})::float8 / 86400 as days
      from deliveries where team_id = ${acme.team} and email_id = ${id}`)
    expect(row!.days).toBe(23)
  })

  test('tells what is wrong with a time', async () => {
    const { acme } = await start()

    const replies = await Promise.all(
      ['yesterday', 'in 31 days', 'banana', 5].map((scheduled_at) => acme.post('/emails', { ...SIMPLE, scheduled_at })),
    )

    expect(replies.map(({ status }) => status)).toEqual([422, 422, 422, 422])
    for (const { body } of replies) expect(body.message).toMatch(/^Invalid `scheduled_at` field\. /)
  })

  test('fails when its key was deleted before its time, for every recipient', async () => {
    const { app, acme, world } = await start()
    const { body: key } = await acme.post('/api-keys', { name: 'Short-lived' })
    const many = (field: string) => Array.from({ length: 50 }, (_, n) => `${field}${n}@example.com`)
    const payload = { ...SIMPLE, scheduled_at: 'in 1 hour', to: many('to'), cc: many('cc'), bcc: many('bcc') }
    const { body } = await app.send({ method: 'POST', url: '/emails', payload }, key.token)

    await acme.delete(`/api-keys/${key.id}`)
    await later(app, HOUR)

    const email = await readEmail(acme, body.id)
    expect(email.last_event).toBe('failed')
    expect(new Set(Object.values(email.states))).toEqual(new Set(['failed']))
    expect(new Set(email.timeline)).toEqual(new Set(['scheduled', 'failed']))
    expect(email.events.at(-1).data.failed).toEqual({ reason: 'The API key that scheduled the email was deleted.' })
    expect(world.sent).toEqual([])
  })

  test('goes on when its key is deleted after it was begun, and mail that was not scheduled anyway', async () => {
    const { app, acme, world } = await start()
    const { body: key } = await acme.post('/api-keys', { name: 'Short-lived' })
    const send = async (fields: object) =>
      (await app.send({ method: 'POST', url: '/emails', payload: { ...SIMPLE, ...fields } }, key.token)).body.id
    const [begun, plain] = [await send({ scheduled_at: 'in 1 hour' }), await send({})]
    world.answer(() => ({ kind: 'deferred', reply: '450 Later', isThrottled: false }))
    await later(app, HOUR)

    await acme.delete(`/api-keys/${key.id}`)
    world.answer(() => DELIVERED)
    await later(app, HOUR)

    expect((await readEmail(acme, begun)).last_event).toBe('delivered')
    expect((await readEmail(acme, plain)).last_event).toBe('delivered')
  })
})

describe('rescheduling', () => {
  test('moves all recipients to another time', async () => {
    const { app, acme } = await start()
    const id = await sendEmail(acme, { to: ['a@example.com', 'b@example.com'], scheduled_at: 'in 1 hour' })

    const reply = await acme.patch(`/emails/${id}`, { scheduled_at: 'in 3 hours' })
    await later(app, 2 * HOUR)
    const moved = await readEmail(acme, id)
    await later(app, HOUR)

    expect(reply.body).toEqual({ object: 'email', id })
    expect(moved).toMatchObject({
      last_event: 'scheduled',
      states: { 'a@example.com': 'waiting', 'b@example.com': 'waiting' },
    })
    expect(Date.parse(moved.scheduled_at)).toBe(app.clock.now().getTime())
    expect((await readEmail(acme, id)).last_event).toBe('delivered')
  })

  test('may be to an earlier time', async () => {
    const { app, acme } = await start()
    const id = await sendEmail(acme, { scheduled_at: 'in 20 days' })

    await acme.patch(`/emails/${id}`, { scheduled_at: 'in 1 hour' })
    await later(app, HOUR)

    expect((await readEmail(acme, id)).last_event).toBe('delivered')
  })

  test('needs a time, and a good one', async () => {
    const { acme } = await start()
    const id = await sendEmail(acme, { scheduled_at: 'in 1 hour' })
    const before = await readEmail(acme, id)

    const replies = [
      await acme.patch(`/emails/${id}`, {}),
      await acme.patch(`/emails/${id}`, { scheduled_at: null }),
      await acme.patch(`/emails/${id}`, { scheduled_at: 'in 31 days' }),
      await acme.patch(`/emails/${id}`, { scheduled_at: '2020-01-01' }),
    ]

    expect(replies.map(({ body }) => body.message)).toEqual([
      'Missing `scheduled_at` field.',
      'Missing `scheduled_at` field.',
      'Invalid `scheduled_at` field. It must be at most 30 days ahead.',
      'Invalid `scheduled_at` field. It must be in the future.',
    ])
    expect(await readEmail(acme, id)).toEqual(before)
  })
})

describe('canceling', () => {
  test('is for ever', async () => {
    const { app, acme, world } = await start()
    const id = await sendEmail(acme, { to: ['a@example.com', 'b@example.com'], scheduled_at: 'in 1 hour' })

    const reply = await acme.post(`/emails/${id}/cancel`)
    await later(app, 30 * 24 * HOUR)

    expect(reply.body).toEqual({ object: 'email', id })
    expect(await readEmail(acme, id)).toMatchObject({
      last_event: 'canceled',
      states: { 'a@example.com': 'canceled', 'b@example.com': 'canceled' },
    })
    expect(world.sent).toEqual([])
    expect((await acme.patch(`/emails/${id}`, { scheduled_at: 'in 1 hour' })).body).toEqual({
      statusCode: 422,
      message: 'Only scheduled emails can be rescheduled; this one is canceled.',
      name: 'validation_error',
    })
    expect((await acme.post(`/emails/${id}/cancel`)).body.message).toBe(
      'Only scheduled emails can be canceled; this one is canceled.',
    )
  })

  test('comes too late for mail that was sent, or is being sent', async () => {
    const { app, acme, world } = await start()
    let cancelMeanwhile: Promise<string> | null = null
    const cancel = async (client: Client, id: string) => (await client.post(`/emails/${id}/cancel`)).body.message
    const [plain, scheduled] = [await sendEmail(acme), await sendEmail(acme, { scheduled_at: 'in 1 hour' })]
    const unsent = await cancel(acme, plain)
    world.answer(async (_recipient, { email }) => {
      if (email.id === scheduled) {
        cancelMeanwhile = cancel(acme, scheduled)
        await cancelMeanwhile
      }
      return DELIVERED
    })

    await later(app, HOUR)

    expect(unsent).toBe('Only scheduled emails can be canceled; this one is sent.')
    expect(await cancelMeanwhile).toBe('Only scheduled emails can be canceled; this one is sent.')
    expect(await cancel(acme, scheduled)).toBe('Only scheduled emails can be canceled; this one is delivered.')
  })
})

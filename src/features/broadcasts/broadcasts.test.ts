import { describe, expect, test } from 'vitest'
import { broadcastTo, makeSegment, readBroadcast, sendAll } from '../../../test/harness/broadcasts.ts'
import { addVerifiedDomain, startAcme } from '../../../test/harness/emails.ts'
import { newId } from '../../../test/harness/ids.ts'
import { MAILING, tomorrow } from '../../../test/harness/requests.ts'
import { sql } from '../../kernel/db/sql.ts'

async function start(settings: Record<string, string> = {}) {
  const { app, acme } = await startAcme(settings)
  const segment = await makeSegment(acme, [{ email: 'ada@example.com' }])
  const create = (fields: object = {}) => acme.post('/broadcasts', { ...MAILING, segment_id: segment, ...fields })
  return { app, acme, segment, create }
}

const NOTHING_YET = { audience: 0, emails: 0, unsubscribed: 0, not_subscribed: 0, suppressed: 0, sent: 0, canceled: 0 }

describe('a broadcast', () => {
  test('is created as a draft, shown, listed, changed and deleted', async () => {
    const { acme, segment, create } = await start()
    const { body: topic } = await acme.post('/topics', { name: 'News' })

    const created = await create({ name: 'May', reply_to: 'help@acme.dev', preview_text: 'Psst', topic_id: topic.id })
    const { id } = created.body
    expect(created.body).toEqual({ object: 'broadcast', id: expect.any(String) })
    const item = {
      id,
      name: 'May',
      audience_id: segment,
      segment_id: segment,
      status: 'draft',
      created_at: expect.any(String),
      scheduled_at: null,
      sent_at: null,
      topic_id: topic.id,
    }
    expect(await readBroadcast(acme, id)).toEqual({
      object: 'broadcast',
      ...item,
      ...MAILING,
      reply_to: ['help@acme.dev'],
      preview_text: 'Psst',
      text: null,
      counts: NOTHING_YET,
      paused_at: null,
      pause: null,
    })
    expect((await acme.get('/broadcasts')).body).toEqual({ object: 'list', has_more: false, data: [item] })

    const changes = { name: 'June', subject: 'New', text: 'Hi', html: null, reply_to: null, topic_id: null }
    expect((await acme.patch(`/broadcasts/${id}`, changes)).body).toEqual({ object: 'broadcast', id })
    expect((await acme.patch(`/broadcasts/${id}`, {})).status).toBe(200)
    expect(await readBroadcast(acme, id)).toMatchObject({ ...changes, preview_text: 'Psst', from: MAILING.from })

    expect((await acme.delete(`/broadcasts/${id}`)).body).toEqual({ object: 'broadcast', id, deleted: true })
    expect((await acme.get(`/broadcasts/${id}`)).body).toMatchObject({
      statusCode: 404,
      message: 'Broadcast not found',
    })
  })

  test('without a name is untitled', async () => {
    const { acme, create } = await start()

    const { body } = await create()

    expect((await readBroadcast(acme, body.id)).name).toBe('Untitled')
  })

  test('knows its segment under the name of before', async () => {
    const { acme, segment } = await start()
    const other = await makeSegment(acme, [])

    const { body } = await acme.post('/broadcasts', { ...MAILING, audience_id: segment })
    const before = await readBroadcast(acme, body.id)
    await acme.patch(`/broadcasts/${body.id}`, { audience_id: other })
    const after = await readBroadcast(acme, body.id)

    expect(before).toMatchObject({ segment_id: segment, audience_id: segment })
    expect(after).toMatchObject({ segment_id: other, audience_id: other })
  })

  test('is copied as a draft', async () => {
    const { app, acme, segment } = await start()
    const id = await broadcastTo(acme, segment, { name: 'x'.repeat(69), preview_text: 'Psst', text: 'Hi' })
    await sendAll(app)

    const { status, body } = await acme.post(`/broadcasts/${id}/duplicate`)

    expect([status, body]).toEqual([200, { object: 'broadcast', id: expect.any(String) }])
    expect(await readBroadcast(acme, body.id)).toMatchObject({
      ...MAILING,
      name: `${'x'.repeat(69)} `,
      status: 'draft',
      segment_id: segment,
      preview_text: 'Psst',
      text: 'Hi',
      sent_at: null,
      counts: NOTHING_YET,
      paused_at: null,
      pause: null,
    })
    expect((await acme.post(`/broadcasts/${body.id}/duplicate`)).status).toBe(200)
  })
})

describe('a mistake is told:', () => {
  test.each([
    [{ segment_id: undefined }, 'missing_required_field', 'Missing `segment_id` field.'],
    [{ from: undefined }, 'missing_required_field', 'Missing `from` field.'],
    [{ subject: undefined }, 'missing_required_field', 'Missing `subject` field.'],
    [{ html: undefined }, 'validation_error', 'Missing `html` or `text` field.'],
    [{ from: 'Acme' }, 'validation_error', /^Invalid `from` field\. The email address needs to follow/],
    [{ reply_to: ['help'] }, 'validation_error', /^Invalid `reply_to` field\. The email address needs to follow/],
    [{ subject: 'a\nb' }, 'validation_error', 'Invalid `subject` field. It must be a single line.'],
    [{ scheduled_at: 'in 1 hour' }, 'validation_error', /^Invalid `scheduled_at` field\. It can only be used when/],
    [
      { send: true, scheduled_at: 'yesterday' },
      'validation_error',
      /^Invalid `scheduled_at` field\. It must be in the future/,
    ],
    [{ segment_id: newId() }, 'not_found', 'Segment not found'],
    [{ topic_id: newId() }, 'not_found', 'Topic not found'],
  ])('%j', async (fields, name, message) => {
    const { acme, create } = await start()

    const { body } = await create(fields)

    expect(body).toMatchObject({ name, message: expect.stringMatching(message) })
    expect((await acme.get('/broadcasts')).body.data).toEqual([])
  })

  test('a change that leaves nothing to say', async () => {
    const { acme, create } = await start()
    const { body } = await create()

    expect((await acme.patch(`/broadcasts/${body.id}`, { html: null })).body.message).toBe(
      'Missing `html` or `text` field.',
    )
  })

  test('a sender whose domain is not verified, once it is to be sent', async () => {
    const { app, acme, create } = await start({ POSTWREN_DELIVERY: 'direct' })
    const { body: draft } = await create({ from: 'news@later.acme.dev' })

    const refused = [await create({ send: true }), await acme.post(`/broadcasts/${draft.id}/send`, {})]
    await addVerifiedDomain(app, acme, 'later.acme.dev')
    const accepted = await acme.post(`/broadcasts/${draft.id}/send`, {})

    for (const { body } of refused)
      expect(body).toMatchObject({
        statusCode: 403,
        name: 'validation_error',
        message: expect.stringContaining('domain is not verified'),
      })
    expect(accepted.body).toEqual({ id: draft.id })
  })
})

describe('the life of a broadcast', () => {
  test('goes from draft to queued to sent, and then only its name may change', async () => {
    const { app, acme, create } = await start()
    const { body } = await create()
    const status = async () => (await readBroadcast(acme, body.id)).status

    expect((await acme.post(`/broadcasts/${body.id}/send`, {})).body).toEqual({ id: body.id })
    const queued = await status()
    await sendAll(app)

    expect(queued).toBe('queued')
    expect(await readBroadcast(acme, body.id)).toMatchObject({
      status: 'sent',
      sent_at: expect.any(String),
      counts: { ...NOTHING_YET, audience: 1, emails: 1, sent: 1 },
    })
    expect((await acme.patch(`/broadcasts/${body.id}`, { name: 'Done' })).status).toBe(200)
    expect((await readBroadcast(acme, body.id)).name).toBe('Done')
    const refusals = {
      change: await acme.patch(`/broadcasts/${body.id}`, { name: 'x', html: 'x' }),
      send: await acme.post(`/broadcasts/${body.id}/send`, {}),
      cancel: await acme.post(`/broadcasts/${body.id}/cancel`),
      delete: await acme.delete(`/broadcasts/${body.id}`),
    }
    for (const { status, body } of Object.values(refusals))
      expect([status, body.name]).toEqual([422, 'validation_error'])
    expect(refusals.cancel.body.message).toBe('Only queued or scheduled broadcasts can be canceled')
    expect((await readBroadcast(acme, body.id)).name).toBe('Done')
  })

  test('an empty time is none, as an SDK without absent texts sends it', async () => {
    const { app, acme, segment } = await start()
    const id = await broadcastTo(acme, segment, { scheduled_at: 'in 1 hour' })
    expect(await acme.post(`/broadcasts/${id}/send`, { scheduled_at: '' })).toMatchObject({ status: 200, body: { id } })
    await sendAll(app)
    expect(await readBroadcast(acme, id)).toMatchObject({ status: 'sent', counts: { emails: 1 } })
  })

  test('a scheduled one waits for its time, and is a draft again when it is canceled', async () => {
    const { app, acme, segment } = await start()
    const id = await broadcastTo(acme, segment, { scheduled_at: 'in 1 hour' })
    const counts = async () => (await readBroadcast(acme, id)).counts.emails

    await sendAll(app)
    expect(await readBroadcast(acme, id)).toMatchObject({ status: 'scheduled', scheduled_at: expect.any(String) })
    expect((await acme.post(`/broadcasts/${id}/cancel`)).body).toEqual({ object: 'broadcast', id })
    expect(await readBroadcast(acme, id)).toMatchObject({ status: 'draft', scheduled_at: null })
    app.clock.advance(3_600)
    await sendAll(app)
    expect(await counts()).toBe(0)

    await acme.post(`/broadcasts/${id}/send`, { scheduled_at: tomorrow() })
    await acme.post(`/broadcasts/${id}/send`, { scheduled_at: 'in 2 hours' })
    app.clock.advance(3_600)
    await sendAll(app)
    expect(await counts()).toBe(0)
    app.clock.advance(3_600)
    await sendAll(app)
    expect(await readBroadcast(acme, id)).toMatchObject({ status: 'sent', counts: { emails: 1 } })
    app.clock.advance(86_400)
    await sendAll(app)
    expect(await counts()).toBe(1)
    const { data: began } = (await acme.get('/audit-events?action=broadcasts.start')).body
    expect(began).toMatchObject([{ actor: { type: 'system' }, object_id: id }])
  })

  test('what is changed before its time counts, and it must stay sound', async () => {
    const { app, acme, segment } = await start()
    const id = await broadcastTo(acme, segment, { scheduled_at: 'in 1 hour' })

    expect((await acme.patch(`/broadcasts/${id}`, { subject: 'Changed' })).status).toBe(200)
    expect((await acme.patch(`/broadcasts/${id}`, { html: null })).status).toBe(422)
    app.clock.advance(3_600)
    await sendAll(app)

    expect((await acme.get('/emails')).body.data[0].subject).toBe('Changed')
  })

  test('however often its time is moved it waits once, and not at all when it is canceled or deleted', async () => {
    const { app, acme, segment } = await start()
    const id = await broadcastTo(acme, segment, { scheduled_at: 'in 1 hour' })
    const waiting = async () =>
      (await app.db.query(sql`select from jobs where payload ->> 'broadcastId' = ${id}`)).length

    for (const hours of [2, 3, 4]) await acme.post(`/broadcasts/${id}/send`, { scheduled_at: `in ${hours} hours` })
    expect(await waiting()).toBe(1)
    await acme.post(`/broadcasts/${id}/cancel`)
    expect(await waiting()).toBe(0)
    await acme.post(`/broadcasts/${id}/send`, { scheduled_at: tomorrow() })
    expect(await waiting()).toBe(1)
    await acme.delete(`/broadcasts/${id}`)
    expect(await waiting()).toBe(0)
  })

  test('a scheduled one that is deleted is never sent', async () => {
    const { app, acme, segment } = await start()
    const id = await broadcastTo(acme, segment, { scheduled_at: 'in 1 hour' })

    expect((await acme.delete(`/broadcasts/${id}`)).status).toBe(200)
    app.clock.advance(3_600)
    await sendAll(app)

    expect((await acme.get('/emails')).body.data).toEqual([])
  })

  test('a segment that is gone when it is to be sent is told', async () => {
    const { acme, segment, create } = await start()
    const { body } = await create()

    await acme.delete(`/segments/${segment}`)

    expect((await acme.post(`/broadcasts/${body.id}/send`, {})).body).toMatchObject({ message: 'Segment not found' })
  })
})

import { describe, expect, test } from 'vitest'
import { type App, startApp } from '../../../test/harness/app.ts'
import {
  addTo,
  broadcastTo,
  copiesOf,
  expandOnce,
  leftOut,
  makeManyContacts,
  makeSegment,
  readBroadcast,
  sendAll,
  startBroadcasting,
} from '../../../test/harness/broadcasts.ts'
import { readEmail } from '../../../test/harness/emails.ts'
import { DEFERRED, DELIVERED } from '../../../test/harness/transport.ts'
import { sql } from '../../kernel/db/sql.ts'
import { acceptRecipientEmails } from '../emails/delivery/acceptance/accept-copies.ts'
import { expandBatch } from './expand.ts'
import { updateProgress } from './progress.ts'

describe('a broadcast is written to', () => {
  test('every contact of the segment that wants it, once, and tells why others are left out', async () => {
    const { app, acme, written } = await startBroadcasting()
    const { body: topic } = await acme.post('/topics', { name: 'News' })
    const segment = await makeSegment(acme, [
      { email: 'ada@example.com' },
      { email: 'in@example.com', topics: [{ id: topic.id, subscription: 'opt_in' }] },
      { email: 'out@example.com', topics: [{ id: topic.id, subscription: 'opt_out' }] },
      { email: 'gone@example.com', unsubscribed: true },
      { email: 'Bad@Example.com' },
    ])
    await acme.post('/contacts', { email: 'stranger@example.com' })
    await acme.post('/suppressions', { email: 'bad@example.com' })

    const id = await broadcastTo(acme, segment, { topic_id: topic.id })
    await sendAll(app)

    expect(written()).toEqual(['ada@example.com', 'in@example.com'])
    expect(await leftOut(app, acme, id)).toEqual({
      'out@example.com': 'not_subscribed',
      'gone@example.com': 'unsubscribed',
      'Bad@Example.com': 'suppressed',
    })
    expect((await readBroadcast(acme, id)).counts).toEqual({
      audience: 5,
      emails: 2,
      unsubscribed: 1,
      not_subscribed: 1,
      suppressed: 1,
      sent: 2,
      canceled: 0,
    })
  })

  test('only those who asked for the topic, when it asks for that', async () => {
    const { app, acme, written } = await startBroadcasting()
    const { body: topic } = await acme.post('/topics', { name: 'News', default_subscription: 'opt_out' })
    const segment = await makeSegment(acme, [
      { email: 'ada@example.com' },
      { email: 'in@example.com', topics: [{ id: topic.id, subscription: 'opt_in' }] },
    ])

    await broadcastTo(acme, segment, { topic_id: topic.id })
    await sendAll(app)

    expect(written()).toEqual(['in@example.com'])
  })

  test('nobody, when its topic is gone', async () => {
    const { app, acme, written } = await startBroadcasting()
    const { body: topic } = await acme.post('/topics', { name: 'News' })
    const segment = await makeSegment(acme, [{ email: 'ada@example.com' }])

    const id = await broadcastTo(acme, segment, { topic_id: topic.id })
    await acme.delete(`/topics/${topic.id}`)
    await sendAll(app)

    expect(written()).toEqual([])
    expect(await leftOut(app, acme, id)).toEqual({ 'ada@example.com': 'not_subscribed' })
  })

  test('an empty segment, and is sent', async () => {
    const { app, acme } = await startBroadcasting()

    const id = await broadcastTo(acme, await makeSegment(acme, []))
    await sendAll(app)

    expect(await readBroadcast(acme, id)).toMatchObject({ status: 'sent', counts: { audience: 0, emails: 0 } })
  })
})

describe('each copy', () => {
  test('is an email of its own: personalised, told, and the same at each look', async () => {
    const { app, acme } = await startBroadcasting()
    await acme.post('/contact-properties', { key: 'company', type: 'string', fallback_value: 'your company' })
    await acme.post('/contact-properties', { key: 'seats', type: 'number' })
    const segment = await makeSegment(acme, [
      { email: 'ada@example.com', first_name: '<Ada>', last_name: 'L', properties: { company: 'A & B', seats: 3 } },
      { email: 'bob@example.com', first_name: '' },
    ])
    const html =
      '<p>{{{FIRST_NAME|there}}}/{{{contact.first_name|there}}} {{{LAST_NAME}}} {{{EMAIL}}} {{{company}}} {{{contact.seats|no}}} {{{nothing}}}</p>'

    const id = await broadcastTo(acme, segment, { subject: 'Hi {{{FIRST_NAME|there}}}', html, preview_text: 'Psst' })
    await app.runDueJobs()
    const [ada, bob] = (await copiesOf(app, acme, id)) as unknown as [{ id: string }, { id: string }]
    await acme.patch('/contacts/ada@example.com', { first_name: 'Changed' })
    const copies = [await readEmail(acme, ada.id), await readEmail(acme, bob.id)]

    expect(copies[0]).toMatchObject({ to: ['ada@example.com'], subject: 'Hi <Ada>', text: null, last_event: 'sent' })
    expect(copies[0].html).toMatch(
      /^<div style="display:none.*Psst.*<p>&lt;Ada&gt;\/&lt;Ada&gt; L ada@example.com A &amp; B 3 <\/p>$/,
    )
    expect(copies[1].subject).toBe('Hi there')
    expect(copies[1].html).toContain('<p>there/there  bob@example.com your company no </p>')
    const told = (await acme.events()).filter(({ type }) => type === 'email.sent')
    expect(told.map(({ data }) => data)).toEqual([
      expect.objectContaining({ email_id: ada.id, broadcast_id: id, to: ['ada@example.com'], subject: 'Hi <Ada>' }),
      expect.objectContaining({ email_id: bob.id, broadcast_id: id, to: ['bob@example.com'], subject: 'Hi there' }),
    ])
  })

  test('does not keep what all of them say', async () => {
    const { app, acme } = await startBroadcasting()
    const segment = await makeManyContacts(app, acme, 10)

    await broadcastTo(acme, segment, { html: '<p>The same to all</p>' })
    await app.runDueJobs()

    const [stored] = await app.db.query(sql`
      select (select count(*)::int from email_bodies b where b.team_id = ${acme.team}) as bodies,
        (select count(*)::int from broadcast_recipients r where r.team_id = ${acme.team} and variables is not null) as variables`)
    expect(stored).toEqual({ bodies: 0, variables: 0 })
  })

  test('goes behind what one person waits for', async () => {
    const { app, acme } = await startBroadcasting()
    const segment = await makeManyContacts(app, acme, 3)

    await broadcastTo(acme, segment)
    await app.runDueJobs()

    const rows = await app.db.query(sql`select priority from deliveries where team_id = ${acme.team}`)
    expect(rows).toEqual([{ priority: 1 }, { priority: 1 }, { priority: 1 }])
  })
})

describe('while it is on its way', () => {
  test('who unsubscribes, opts out or is suppressed gets it no more', async () => {
    const { app, acme, written } = await startBroadcasting()
    const { body: topic } = await acme.post('/topics', { name: 'News' })
    const people = ['ada', 'bob', 'cy', 'dan'].map((name) => ({ email: `${name}@example.com` }))
    const segment = await makeSegment(acme, people)

    const id = await broadcastTo(acme, segment, { topic_id: topic.id })
    await app.runDueJobs()
    await acme.patch('/contacts/ada@example.com', { unsubscribed: true })
    await acme.patch('/contacts/bob@example.com/topics', [{ id: topic.id, subscription: 'opt_out' }])
    await acme.post('/suppressions', { email: 'cy@example.com' })
    await sendAll(app)

    expect(written()).toEqual(['dan@example.com'])
    const states = (await copiesOf(app, acme, id)).map(({ state }) => state)
    expect(states).toEqual(['failed', 'failed', 'suppressed', 'delivered'])
    expect((await readBroadcast(acme, id)).status).toBe('sent')
  })

  test('who becomes a contact is not written to, also when it was one before', async () => {
    const { app, acme, written } = await startBroadcasting()
    const segment = await makeManyContacts(app, acme, 1_500)

    const id = await broadcastTo(acme, segment)
    await expandOnce(app, acme, id)
    await acme.delete('/contacts/user0@many.dev')
    await addTo(acme, segment, { email: 'user0@many.dev' })
    await addTo(acme, segment, { email: 'new@many.dev' })
    await sendAll(app)

    expect(written()).toHaveLength(1_500)
    expect(new Set(written()).size).toBe(1_500)
    expect(written()).not.toContain('new@many.dev')
    expect((await readBroadcast(acme, id)).counts).toMatchObject({ audience: 1_500, emails: 1_500 })
  })

  test('who leaves the segment, is deleted or changes before its turn counts as it is then', async () => {
    const { app, acme, written } = await startBroadcasting()
    const segment = await makeManyContacts(app, acme, 1_500)

    const id = await broadcastTo(acme, segment)
    await expandOnce(app, acme, id)
    await acme.delete('/contacts/user1400@many.dev')
    await acme.delete(`/contacts/user1401@many.dev/segments/${segment}`)
    await acme.patch('/contacts/user1402@many.dev', { unsubscribed: true })
    await acme.patch('/contacts/user1403@many.dev', { email: 'moved@many.dev' })
    await sendAll(app)

    const without = [1400, 1401, 1402, 1403].map((n) => `user${n}@many.dev`)
    expect(written().filter((address) => without.includes(address))).toEqual([])
    expect(written()).toContain('moved@many.dev')
    expect(written()).toHaveLength(1_497)
  })

  test('it is sent once every copy was tried, whatever came of it', async () => {
    const { app, acme, world } = await startBroadcasting()
    const segment = await makeSegment(acme, [{ email: 'ada@example.com' }, { email: 'bob@example.com' }])
    world.answer((recipient) => (recipient.startsWith('ada') ? DEFERRED : DELIVERED))

    const id = await broadcastTo(acme, segment)
    await app.runDueJobs()
    const before = await readBroadcast(acme, id)
    await sendAll(app)

    expect(before).toMatchObject({ status: 'queued', counts: { emails: 2, sent: 0 } })
    expect(await readBroadcast(acme, id)).toMatchObject({ status: 'sent', counts: { emails: 2, sent: 2 } })
  })

  test('a second copy to a contact is refused by the database', async () => {
    const { app, acme } = await startBroadcasting()
    const segment = await makeSegment(acme, [{ email: 'ada@example.com' }])
    const id = await broadcastTo(acme, segment)
    await app.runDueJobs()

    const again = app.db.query(sql`
      insert into broadcast_recipients (team_id, broadcast_id, id, contact_id, email)
      select team_id, broadcast_id, gen_random_uuid(), contact_id, email from broadcast_recipients where broadcast_id = ${id}`)

    await expect(again).rejects.toThrow('broadcast_recipients_one_copy')
  })
})

describe('canceling', () => {
  test('leaves alone what a worker has in its hands, and stops what comes back', async () => {
    const { app, acme, world } = await startBroadcasting()
    const segment = await makeSegment(acme, [{ email: 'ada@example.com' }, { email: 'bob@example.com' }])
    const id = await broadcastTo(acme, segment)
    await app.runDueJobs()
    world.answer(async (recipient) => {
      if ((await readBroadcast(acme, id)).status === 'queued') await acme.post(`/broadcasts/${id}/cancel`)
      await app.runDueJobs()
      return recipient.startsWith('ada') ? DELIVERED : DEFERRED
    })

    await app.deliverDue()
    app.clock.advance(5)
    await app.runDueJobs()

    expect((await copiesOf(app, acme, id)).map(({ state }) => state)).toEqual(['delivered', 'canceled'])
    expect((await readBroadcast(acme, id)).counts).toMatchObject({ canceled: 1 })
  })
})

test('what cannot be written is not half written', async () => {
  const { app, acme } = await startBroadcasting()
  const twice = { id: '01932b5c-7d3e-7c46-9a51-6f6f0c1d2e3f', to: 'a@example.com', subject: 'x', variables: {} }
  const original = {
    team: acme.team,
    broadcastId: twice.id,
    from: 'a@acme.dev',
    replyTo: null,
    topicId: null,
    domainId: null,
    domainName: 'acme.dev',
    createdAt: app.clock.now(),
  }

  await expect(
    app.db.transaction((trx) => acceptRecipientEmails(trx, original, { recipientEmails: [twice, twice] })),
  ).rejects.toThrow()

  expect((await acme.get('/emails')).body.data).toEqual([])
})

test('of two nodes that make copies one has a clock that is ahead: the broadcast is sent when all were tried', async () => {
  const { app, acme } = await startBroadcasting()
  const ahead = await startApp()
  ahead.clock.advance(60)
  const segment = await makeSegment(acme, [{ email: 'ada@example.com' }, { email: 'bob@example.com' }])
  const id = await broadcastTo(acme, segment)
  const expandWith = ({ db, clock }: App, most: number) =>
    db.transaction((trx) => expandBatch(trx, acme.team, id, { now: clock.now(), most }))
  const progressOf = ({ db, clock }: App) => db.transaction((trx) => updateProgress(trx, acme.team, id, clock.now()))

  expect(await expandWith(ahead, 1)).toBe('expanding')
  await ahead.deliverDue()
  expect(await progressOf(ahead)).toBe('sending')
  expect(await expandWith(app, 1_000)).toBe('expanded')

  expect(await progressOf(app)).toBe('sending')
  expect((await readBroadcast(acme, id)).status).toBe('queued')
  await app.deliverDue()
  expect(await progressOf(app)).toBe('over')
  expect(await readBroadcast(acme, id)).toMatchObject({ status: 'sent', counts: { emails: 2, sent: 2 } })
})

import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { readEmail, sendEmail } from '../../../test/harness/emails.ts'
import { inboxOf, receive, threadsIn } from '../../../test/harness/filed-mail.ts'
import { grep } from '../../../test/harness/grep.ts'
import { newId } from '../../../test/harness/ids.ts'
import { wrongCounts } from '../../../test/harness/inboxes.ts'
import { DELIVERED, scriptedTransport } from '../../../test/harness/transport.ts'
import { addWebhook, startWithReceiver } from '../../../test/harness/webhooks.ts'
import { sql } from '../../kernel/db/sql.ts'
import { newId as idOf } from '../../platform/ids.ts'
import { readTables, searchedOf } from './tables/catalogue.ts'
import { FREE_OF_ADDRESSES } from './tables/free-of-addresses.ts'

test('a deleted email is gone with everything that is kept of it', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const secret = `secret${idOf(app.clock).slice(-12)}`
  const id = await sendEmail(acme, {
    ...{ text: secret, subject: secret },
    attachments: [{ filename: 'a.txt', content: Buffer.from(secret).toString('base64') }],
  })
  await app.deliverDue()
  await acme.get(`/emails/${id}`)
  await acme.get(`/emails?q=${secret}`)
  const { body: metrics } = await acme.get('/emails/metrics')
  await app.flush()

  const deleted = await acme.delete(`/emails/${id}`)
  await app.runDueJobs()

  expect(deleted.body).toEqual({ object: 'email', id, deleted: true })
  expect((await acme.get(`/emails/${id}`)).body).toMatchObject({ statusCode: 404, message: 'Email not found' })
  expect((await acme.delete(`/emails/${id}`)).body).toMatchObject({ statusCode: 404, name: 'not_found' })
  expect((await acme.get('/emails/metrics')).body).toEqual(metrics)
  expect(await acme.events()).not.toContainEqual(expect.objectContaining({ type: 'email.sent' }))
  expect(await grep(app, secret)).toEqual([])
  const [audited] = await app.db.query(sql`
    select action, object_id from audit_events where team_id = ${acme.team} and action = 'emails.remove'`)
  expect(audited).toEqual({ action: 'emails.remove', object_id: id })
})

test('a received email goes from its thread, too, and the counts are right', async () => {
  const app = await startApp()
  const { client, id: inbox, address } = await inboxOf(app, 'acme')
  const [first, reply] = await receive(
    app,
    address,
    { subject: 'Order', to: address },
    { subject: 'Re: Order', to: address },
  )

  const deleted = await client.delete(`/emails/receiving/${first}`)

  expect(deleted.body).toEqual({ object: 'email', id: first, deleted: true })
  expect((await client.get(`/emails/receiving/${first}`)).body.message).toBe('Email not found')
  expect((await client.get(`/emails/receiving/${reply}`)).status).toBe(200)
  expect(await threadsIn(app, client, inbox)).toMatchObject([{ emails: 1 }])
  expect(await wrongCounts(app, { team: client.team, id: inbox })).toEqual([])
  expect((await client.delete(`/emails/${reply}`)).status).toBe(404)
})

test('a scheduled email that is deleted is not sent', async () => {
  const world = scriptedTransport()
  const app = await startApp({}, { transport: world.transport })
  const acme = await app.as('acme')
  const id = await sendEmail(acme, { scheduled_at: 'in 1 hour' })

  expect((await acme.delete(`/emails/${id}`)).status).toBe(200)
  app.clock.advance(7_200)
  await app.deliverDue()

  expect(world.sent).toEqual([])
})

test('what became of an email in flight is not written down when it was deleted meanwhile', async () => {
  const ids: string[] = []
  const world = scriptedTransport(async (_recipient, { email }) => {
    if (email.id === ids[0]) expect((await acme.delete(`/emails/${email.id}`)).status).toBe(200)
    return DELIVERED
  })
  const app = await startApp({}, { transport: world.transport })
  const acme = await app.as('acme')
  ids.push(await sendEmail(acme))
  const kept = await sendEmail(await app.as('globex'))

  await app.deliverDue()

  expect((await acme.get(`/emails/${ids[0]}`)).status).toBe(404)
  expect(await app.db.query(sql`select from outbox where about = ${ids[0]}`)).toEqual([])
  expect((await readEmail(await app.as('globex'), kept)).last_event).toBe('delivered')
})

test('what an endpoint answers about a deleted email is not written down, at the first attempt and at a later one', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  await addWebhook(acme, receiver.url, ['email.sent'])
  const answers = async () => {
    const id = await sendEmail(acme)
    const kept = await sendEmail(acme)
    await app.deliverDue()
    return { id, kept }
  }
  const deleteWhilePosted = ({ id }: { id: string }, status: number) =>
    receiver.answer(async (response, { event }) => {
      if (event.data.email_id === id) await acme.delete(`/emails/${id}`)
      response.statusCode = status
      response.end(`about ${event.data.email_id}`)
    })
  const written = () =>
    app.db.query<{ response: string }>(sql`
      select response from webhook_deliveries where response is not null union all select response from webhook_attempts`)

  const first = await answers()
  deleteWhilePosted(first, 200)
  await app.deliverWebhooks()
  expect(await written()).toEqual([{ response: `about ${first.kept}` }])
  expect(await app.db.query(sql`select from webhook_batches`)).toEqual([])

  const second = await answers()
  deleteWhilePosted(second, 500)
  await app.deliverWebhooks()
  expect(await written()).toHaveLength(2)

  const third = await answers()
  receiver.answer((response) => void response.writeHead(500).end(''))
  await app.deliverWebhooks()
  app.clock.advance(60)
  deleteWhilePosted(third, 500)
  await app.deliverWebhooks()
  expect((await written()).map(({ response }) => response).sort()).not.toContain(`about ${third.id}`)
  expect(await app.db.query(sql`select from webhook_deliveries where holder is not null`)).toEqual([])
})

test('another team cannot delete it', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  const id = await sendEmail(acme)

  expect((await globex.delete(`/emails/${id}`)).status).toBe(404)
  expect((await acme.delete(`/emails/${newId()}`)).status).toBe(404)
  expect((await acme.get(`/emails/${id}`)).status).toBe(200)
})

test('every column that can hold text is searched, or said to be free of addresses', async () => {
  const { db } = await startApp()
  const tables = await readTables(db)
  const holding = (type: string) =>
    !/^(?:uuid|boolean|smallint|integer|bigint|double precision|date|timestamp|metric|xid8)/.test(type)
  const missing = tables.flatMap((table) => {
    const { columns, key } = searchedOf(table)
    const free = Object.keys(FREE_OF_ADDRESSES[table.name] ?? {})
    const searched = columns.map(({ name }) => name)
    const unsearched = table.columns
      .filter(({ name, type }) => holding(type) && !searched.includes(name) && !free.includes(name))
      .map(({ name, type }) => `${table.name}.${name} ${type}`)
    return [...unsearched, ...(columns.length > 0 && key.length === 0 ? [`${table.name} has no key`] : [])]
  })
  const known = new Map(tables.map(({ name, columns }) => [name, columns.map((column) => column.name)]))
  const stale = Object.entries(FREE_OF_ADDRESSES).flatMap(([table, columns]) =>
    Object.keys(columns).filter((column) => !known.get(table)?.includes(column)),
  )

  expect(missing).toEqual([])
  expect(stale).toEqual([])
})

test('an owner has a person reported, exported and erased', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const owner = await app.ownerOf(acme)
  const address = `ada.${newId().slice(-12)}@person.example`
  await acme.post('/contacts', { email: address, first_name: 'Ada' })
  const ask = async (action: string) => {
    const { status, body } = await owner.post('/personal-data/requests', { address, action })
    expect(status).toBe(202)
    await app.runDueJobs()
    return (await owner.get(`/personal-data/requests/${body.id}`)).body
  }

  const report = await ask('report')
  const exported = await ask('export')
  const { body: data } = await owner.get(`/personal-data/requests/${exported.id}/export`)
  const erased = await ask('erase')

  expect(report).toMatchObject({ status: 'completed', counts: { contacts: { found: 1 } } })
  expect(data.data).toContainEqual({ table: 'contacts', row: expect.objectContaining({ first_name: 'Ada' }) })
  expect(erased).toMatchObject({ status: 'completed', counts: { contacts: { deleted: 1 } } })
  expect(JSON.stringify([report, exported, erased])).not.toContain(address)
  expect((await acme.get(`/contacts/${address}`)).status).toBe(404)
  expect((await acme.post('/personal-data/requests', { address, action: 'erase' })).status).toBe(403)
  const own = await owner.post('/personal-data/requests', { address: owner.email, action: 'erase' })
  expect(own.body).toMatchObject({ statusCode: 422, message: expect.stringContaining('member') })
})

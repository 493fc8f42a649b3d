import { expect, test } from 'vitest'
import { readEmail, sendEmail, startAcme } from '../../../test/harness/emails.ts'
import { newId } from '../../../test/harness/ids.ts'

test('a list tells less than the email itself: no content, no tags', async () => {
  const { acme } = await startAcme()
  const id = await sendEmail(acme, { text: 'Hi', tags: [{ name: 'a', value: 'b' }], reply_to: 'help@acme.dev' })

  const { data } = (await acme.get('/emails')).body
  const email = await readEmail(acme, id)

  expect(Object.keys(data[0])).toEqual([
    'id',
    'message_id',
    'from',
    'to',
    'cc',
    'bcc',
    'reply_to',
    'subject',
    'topic_id',
    'scheduled_at',
    'created_at',
    'last_event',
  ])
  expect(email).toMatchObject({ ...data[0], cc: [], bcc: [], object: 'email', text: 'Hi' })
})

test('nobody in copy is null in a list and an empty list in the email', async () => {
  const { acme } = await startAcme()
  const id = await sendEmail(acme)

  expect((await acme.get('/emails')).body.data[0]).toMatchObject({ cc: null, bcc: null, reply_to: null })
  expect((await acme.get(`/emails/${id}`)).body).toMatchObject({ cc: [], bcc: [], reply_to: [] })
})

test('the newest email is first, twenty when nobody says how many', async () => {
  const { acme } = await startAcme()
  const { body } = await acme.post(
    '/emails/batch',
    Array.from({ length: 25 }, (_, n) => ({ from: 'a@acme.dev', to: 'b@example.com', subject: `${n}`, text: 'Hi' })),
  )
  const ids = body.data.map(({ id }: { id: string }) => id).reverse()

  const first = (await acme.get('/emails')).body
  const second = (await acme.get(`/emails?limit=10&after=${ids[19]}`)).body

  expect(first.has_more).toBe(true)
  expect(first.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 20))
  expect(second.has_more).toBe(false)
  expect(second.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(20))
})

test('an email of another team does not exist', async () => {
  const { app, acme } = await startAcme()
  const globex = await app.as('globex')
  const id = await sendEmail(acme, { scheduled_at: 'in 1 hour' })
  const notFound = { statusCode: 404, message: 'Email not found', name: 'not_found' }

  const replies = [
    await globex.get(`/emails/${id}`),
    await globex.patch(`/emails/${id}`, { scheduled_at: 'in 2 hours' }),
    await globex.post(`/emails/${id}/cancel`),
    await globex.post(`/emails/${id}/share`, {}),
    await globex.get(`/emails/${id}/attachments`),
    await globex.get(`/emails/${id}/attachments/${newId()}`),
    await acme.get(`/emails/${newId()}`),
  ]

  expect(replies.map(({ body }) => body)).toEqual(replies.map(() => notFound))
  expect((await globex.get('/emails')).body.data).toEqual([])
  expect((await readEmail(acme, id)).last_event).toBe('scheduled')
})

test('what is not an id is not looked for', async () => {
  const { acme } = await startAcme()

  const reply = await acme.get('/emails/1')

  expect(reply.body).toEqual({ statusCode: 422, message: 'The `id` must be a valid UUID.', name: 'invalid_parameter' })
})

test('a recipient that waits tells when it is tried next, and what was said so far', async () => {
  const { app, acme } = await startAcme()
  const id = await sendEmail(acme, { scheduled_at: 'in 1 hour' })

  const [waiting] = (await readEmail(acme, id)).deliveries
  app.clock.advance(3_600)
  await app.deliverDue()
  const [settled] = (await readEmail(acme, id)).deliveries

  expect(waiting).toMatchObject({ state: 'waiting', attempts: 0, replies: [] })
  expect(Date.parse(waiting.next_attempt_at)).toBe(app.clock.now().getTime())
  expect(settled).toEqual({
    recipient: 'ada@example.com',
    state: 'delivered',
    attempts: 1,
    next_attempt_at: null,
    replies: [{ at: app.clock.now().toISOString(), reply: '250 2.0.0 kept in the inbox' }],
  })
})

import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'

test('before a broadcast is sent one can ask who gets it, and who is left out and why', async () => {
  const acme = await (await startApp()).as('acme')
  const make = async (path: string, body: object) => (await acme.post(path, body)).body.id as string
  const segment = await make('/segments', { name: 'Readers' })
  const topic = await make('/topics', { name: 'News', default_subscription: 'opt_in' })
  const contact = (email: string, more: object = {}) =>
    make('/contacts', { email, segments: [{ id: segment }], ...more })
  const letter = { segment_id: segment, from: 'news@example.com', subject: 'News', html: '<p>Hi</p>' }
  const toAll = await make('/broadcasts', letter)
  const aboutNews = await make('/broadcasts', { ...letter, topic_id: topic })
  const audienceOf = async (id: string) => (await acme.get(`/broadcasts/${id}/audience`)).body
  const nobody = {
    object: 'broadcast_audience',
    audience: 0,
    recipients: 0,
    unsubscribed: 0,
    not_subscribed: 0,
    suppressed: 0,
  }

  expect(await audienceOf(toAll)).toEqual(nobody)

  await contact('ada@example.com')
  await contact('Bob@example.com')
  await contact('eve@example.com', { unsubscribed: true })
  await contact('mia@example.com', { topics: [{ id: topic, subscription: 'opt_out' }] })
  await make('/contacts', { email: 'elsewhere@example.com' })
  await acme.post('/suppressions', { email: 'bob@example.com' })

  const everybody = { ...nobody, audience: 4, unsubscribed: 1, suppressed: 1 }
  expect(await audienceOf(toAll)).toEqual({ ...everybody, recipients: 2 })
  expect(await audienceOf(aboutNews)).toEqual({ ...everybody, recipients: 1, not_subscribed: 1 })
})

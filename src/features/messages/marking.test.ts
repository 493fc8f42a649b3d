import { expect, test } from 'vitest'
import { sendEmail, startAcme } from '../../../test/harness/emails.ts'

test('all messages that fit are marked in one call, and no others', async () => {
  const { app, acme } = await startAcme()
  const globex = await app.as('globex')
  const [first, second] = [await sendEmail(acme, { subject: 'One' }), await sendEmail(acme, { subject: 'Two' })]
  const theirs = await sendEmail(globex, { subject: 'Two' })

  const labelled = await acme.patch('/messages?subject=two', { labels: ['seen'] })
  const read = await acme.patch('/messages?is_read=false', { is_read: true })
  const again = await acme.patch('/messages?is_read=false', { is_read: true })

  expect(labelled.body).toEqual({ object: 'list', updated: 1, has_more: false })
  expect([read.body.updated, again.body.updated]).toEqual([2, 0])
  expect((await acme.get('/messages')).body.data).toMatchObject([
    { id: second, is_read: true, labels: ['seen'] },
    { id: first, is_read: true, labels: [] },
  ])
  expect((await globex.get(`/messages/${theirs}`)).body).toMatchObject({ is_read: false, labels: [] })
})

test('what nobody can be marked by is refused', async () => {
  const { acme } = await startAcme()

  expect((await acme.patch('/messages', { labels: ['a,b'] })).status).toBe(422)
  expect((await acme.patch('/messages?is_read=maybe', { is_read: true })).status).toBe(422)
})

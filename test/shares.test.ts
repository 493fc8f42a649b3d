import { get } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { MAX_QUEUE_MS } from '../src/kernel/db/team-shares.ts'
import { openBackend } from './harness/backends.ts'
import { signedIn } from './harness/browser-session.ts'
import { startAcme } from './harness/emails.ts'

const EMAIL = { from: 'shop@example.com', to: 'ada@example.com', subject: 'Hi', text: 'Hi' }

test('while one team does its worst, another sends, lists and is delivered', async () => {
  const { app, acme } = await startAcme()
  const globex = await app.as('globex')
  const address = await app.server.listen({ port: 0, host: '127.0.0.1' })
  const { cookie } = await signedIn(app, acme.token)
  const backend = await openBackend()
  await backend.hold('lock table contacts, metric_counts in access exclusive mode')

  const begin = performance.now()
  // Whole lists, metrics and transactions that stand still; batches; streams that are held, and lists that nobody reads.
  const held = Array.from({ length: 30 }, (_, n) => [
    acme.get('/contacts'),
    acme.get('/emails/metrics'),
    acme.post('/contacts', { email: `user${n}@example.com` }),
    acme.post('/emails/batch', Array(20).fill(EMAIL)),
  ]).flat()
  for (let n = 0; n < 60; n++) {
    const path = n % 2 ? '/dashboard/live' : '/contacts'
    const headers = n % 2 ? { cookie } : { authorization: `Bearer ${acme.token}` }
    const request = get(`${address}${path}`, { agent: false, headers }).on('error', () => {})
    onTestFinished(() => void request.destroy())
  }
  await backend.waiters(3)

  for (let n = 0; n < 10; n++) expect((await globex.post('/emails', EMAIL)).status).toBe(200)
  expect((await globex.get('/emails?limit=10')).body.data).toHaveLength(10)
  expect((await globex.get('/emails?q=Hi')).status).toBe(200)
  expect((await globex.post('/topics', { name: 'News' })).status).toBe(201)
  await app.deliverDue()
  const { body } = await globex.get('/emails')
  expect(new Set(body.data.map(({ last_event }: { last_event: string }) => last_event))).toEqual(new Set(['delivered']))
  // All of that while the other team's requests stood where they were.
  expect(await backend.waiters(3)).toHaveLength(3)

  // A busy machine may take longer for it than anybody stands in line.
  const mayHaveLeft = performance.now() - begin > MAX_QUEUE_MS
  await backend.release()
  const statuses = new Set((await Promise.all(held)).map(({ status }) => status))
  expect([...statuses].filter((status) => status >= 400 && !(mayHaveLeft && status === 429))).toEqual([])
})

import { beforeEach, expect, test } from 'vitest'
import { type Client, startApp } from '../../../test/harness/app.ts'
import { holdSteadyTime } from '../../../test/harness/steady-time.ts'
import { RateLimit } from './rate-limit.ts'

let time: ReturnType<typeof holdSteadyTime>
beforeEach(() => {
  time = holdSteadyTime()
})

const crowd = (clients: Client[]) =>
  Promise.all(Array.from({ length: 20 }, (_, n) => clients[n % clients.length]!.get('/topics')))

test('each answer says how many requests are left in this second', async () => {
  const app = await startApp({ POSTWREN_RATE_LIMIT: '1000' })
  const acme = await app.as('acme')

  const first = await acme.get('/topics')
  const refused = await acme.get('/topics?limit=0')

  expect(first.headers).toMatchObject({
    'ratelimit-limit': '1000',
    'ratelimit-remaining': '999',
    'ratelimit-reset': '1',
    'ratelimit-policy': '1000;w=1',
  })
  expect(refused.headers['ratelimit-limit']).toBe('1000')
  expect(first.headers['retry-after']).toBeUndefined()
})

test('more than the limit is refused, and told when to come back', async () => {
  const app = await startApp({ POSTWREN_RATE_LIMIT: '2' })

  const replies = await crowd([await app.as('acme')])

  expect(replies.filter(({ status }) => status === 200)).toHaveLength(2)
  const refused = replies.find(({ status }) => status !== 200)!
  expect(refused.body).toEqual({
    statusCode: 429,
    message: expect.stringContaining('You can only make 2 requests per second.'),
    name: 'rate_limit_exceeded',
  })
  expect(refused.headers).toMatchObject({ 'retry-after': '1', 'ratelimit-remaining': '0' })
})

test('all keys of a team share its limit, and no other team does', async () => {
  const app = await startApp({ POSTWREN_RATE_LIMIT: '10' })
  const [acme, sender, globex] = [await app.as('acme'), await app.as('acme', 'sending_access'), await app.as('globex')]

  const replies = await crowd([acme, sender])
  const theirs = await globex.get('/topics')

  expect(replies.filter(({ status }) => status === 429)).toHaveLength(10)
  expect(theirs.headers['ratelimit-remaining']).toBe('9')
})

test('after the pause that it names, a refused request is welcome again', async () => {
  const app = await startApp({ POSTWREN_RATE_LIMIT: '2' })
  const acme = await app.as('acme')
  await crowd([acme])
  const status = async () => (await acme.get('/topics')).status

  time.advance(999)
  expect(await status()).toBe(429)
  time.advance(1)
  expect(await status()).toBe(200)
})

test('what is refused is not carried out', async () => {
  const app = await startApp({ POSTWREN_RATE_LIMIT: '2' })
  const acme = await app.as('acme')

  const replies = await Promise.all(Array.from({ length: 20 }, () => acme.post('/topics', { name: 'News' })))

  expect(await acme.events()).toHaveLength(replies.filter(({ status }) => status === 201).length)
})

test('a limit of 0 is none', async () => {
  const app = await startApp({ POSTWREN_RATE_LIMIT: '0' })

  const replies = await crowd([await app.as('acme')])

  expect(replies.every(({ status }) => status === 200)).toBe(true)
  expect(replies[0]!.headers['ratelimit-limit']).toBeUndefined()
})

test('processes share the limit, and an answer tells what is left where it came from', () => {
  const processes = { count: 3 }
  const limit = new RateLimit(10, processes)
  const headers = new Map<string, unknown>()
  const take = () => limit.take('acme', (name, value) => headers.set(name, value))

  take()
  expect([headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')]).toEqual([10, 3])
  for (let n = 0; n < 3; n++) take()
  expect(take).toThrow('You can only make 10 requests per second.')
  // One of them is gone: the others notice with the next beat.
  processes.count = 1
  take()
  expect(headers.get('ratelimit-remaining')).toBe(4)
})

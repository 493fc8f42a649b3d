import { expect, test } from 'vitest'
import { type Client, startApp } from './harness/app.ts'
import { newId } from './harness/ids.ts'

// spec.md 4.4 and 4.5, with examples that one can read. Every list, with random ones, is in pagination.test.ts.

const NOBODY = '00000000-0000-0000-0000-000000000000'

/** Topics in the order of their making; their ids. */
async function makeTopics(client: Client, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let made = 1; made <= count; made++) ids.push((await client.post('/topics', { name: `Topic ${made}` })).body.id)
  return ids
}

const idsOf = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id)

test.each([
  ['/api-keys', (n: number) => ({ name: `Key ${n}` })],
  ['/contacts', (n: number) => ({ email: `user${n}@example.com` })],
  ['/segments', (n: number) => ({ name: `Segment ${n}` })],
])('%s without a limit gives everything in a single response (4.1, 4.3, 4.4)', async (path, nth) => {
  const app = await startApp()
  const acme = await app.as('acme')
  const made: string[] = []
  for (let n = 1; n <= 110; n++) made.push((await acme.post(path, nth(n))).body.id)

  const { body } = await acme.get(path)

  expect(body.has_more).toBe(false)
  expect(idsOf(body).slice(0, 110)).toEqual(made.toReversed())
})

test('topics are always paginated, 20 at a time (4.4, 8)', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const made = await makeTopics(acme, 21)

  const { body } = await acme.get('/topics')

  expect(body.has_more).toBe(true)
  expect(idsOf(body)).toEqual(made.toReversed().slice(0, 20))
})

test.each(['1', '100', '020'])('a limit of %s is a limit (4.5)', async (limit) => {
  const app = await startApp()
  const acme = await app.as('acme')
  const made = await makeTopics(acme, 3)

  const { body } = await acme.get(`/topics?limit=${limit}`)

  expect(idsOf(body)).toEqual(made.toReversed().slice(0, Number(limit)))
  expect(body.has_more).toBe(Number(limit) < 3)
})

test.each([
  '0',
  '101',
  '-1',
  '1.5',
  '1e1',
  '0x10',
  'ten',
  '',
  '%205',
  '5%20',
  '%D9%A3',
  '99999999999999999999',
  'null',
])('a limit of %j is refused, and the message says what a limit is (4.5, 7)', async (limit) => {
  const app = await startApp()
  const acme = await app.as('acme')

  const replies = [
    await acme.get(`/topics?limit=${limit}`),
    await acme.get(`/contacts?limit=${limit}`),
    await acme.get(`/contacts?limit=5&limit=${limit}`),
  ]

  for (const { status, body } of replies) {
    expect(status).toBe(422)
    expect(body).toMatchObject({ statusCode: 422, name: 'validation_error' })
    expect(body.message).toContain('must be a number between 1 and 100')
  }
})

test.each(['after', 'before'])('%s must have the form of an id (4.5, 7)', async (parameter) => {
  const app = await startApp()
  const acme = await app.as('acme')
  const malformed = [
    '',
    'abc',
    '1',
    `${newId()}0`,
    newId().slice(1),
    `{${newId()}}`,
    newId().replaceAll('-', ''),
    '%00',
    `${newId()}&${parameter}=${newId()}`,
  ]

  for (const cursor of malformed) {
    const reply = await acme.get(`/topics?${parameter}=${cursor}`)

    expect(reply.body, cursor).toMatchObject({ statusCode: 422, name: 'validation_error' })
  }
})

test('after gives what comes after an item, towards older ones, without the item (4.5)', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const [oldest, older, middle, newer] = await makeTopics(acme, 5)

  const page = await acme.get(`/topics?limit=2&after=${newer}`)
  const next = await acme.get(`/topics?limit=2&after=${page.body.data.at(-1).id}`)

  expect(page.body).toMatchObject({ has_more: true, data: [{ id: middle }, { id: older }] })
  expect(next.body).toMatchObject({ has_more: false, data: [{ id: oldest }] })
})

test('before gives what comes before an item, towards newer ones, without the item (4.5)', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const [, older, middle, newer, newest] = await makeTopics(acme, 5)

  const page = await acme.get(`/topics?limit=2&before=${older}`)
  const previous = await acme.get(`/topics?limit=2&before=${page.body.data[0].id}`)

  expect(page.body).toMatchObject({ has_more: true, data: [{ id: newer }, { id: middle }] })
  expect(previous.body).toMatchObject({ has_more: false, data: [{ id: newest }] })
})

test('a list without a limit is cut at the cursor too (4.1, 4.5)', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const made: string[] = []
  for (const name of ['Ada', 'Bob', 'Cy', 'Dot']) made.push((await acme.post('/segments', { name })).body.id)
  const [ada, bob, cy, dot] = made

  const after = await acme.get(`/segments?after=${cy}`)
  const before = await acme.get(`/segments?before=${bob}`)

  expect(after.body).toMatchObject({ has_more: false, data: [{ id: bob }, { id: ada }] })
  expect(before.body).toMatchObject({ has_more: false, data: [{ id: dot }, { id: cy }] })
})

test.each(['/topics', '/contacts', '/api-keys'])(
  'after and before together are an error on %s (4.5, 7)',
  async (path) => {
    const app = await startApp()
    const acme = await app.as('acme')
    const pairs = [`after=${newId()}&before=${newId()}`, `before=${NOBODY}&after=${NOBODY}&limit=5`, 'after=x&before=']

    for (const pair of pairs) {
      const reply = await acme.get(`${path}?${pair}`)

      expect(reply.body, pair).toMatchObject({ statusCode: 422, name: 'validation_error' })
    }
  },
)

test('what is created or deleted during paging moves nothing else (4.5)', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const [oldest, older, middle, newer, newest] = await makeTopics(acme, 5)

  const first = await acme.get('/topics?limit=2')
  await makeTopics(acme, 2)
  await acme.delete(`/topics/${newer}`)
  await acme.delete(`/topics/${middle}`)
  const second = await acme.get(`/topics?limit=2&after=${newer}`)

  expect(first.body).toMatchObject({ has_more: true, data: [{ id: newest }, { id: newer }] })
  expect(second.body).toMatchObject({ has_more: false, data: [{ id: older }, { id: oldest }] })
})

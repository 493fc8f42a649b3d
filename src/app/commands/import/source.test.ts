import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { OperatorError } from '../command.ts'
import { Source } from './source.ts'

type Answer = (response: ServerResponse, url: URL) => void

/** A source that answers by the script, and a clock that the test lets run. */
async function scripted(...answers: Answer[]) {
  const asked: string[] = []
  const waits: number[] = []
  const server = createServer((request, response) => {
    asked.push(request.url!)
    const answer = answers.length > 1 ? answers.shift()! : answers[0]!
    answer(response, new URL(request.url!, 'http://source'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const baseUrl = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api`)
  const source = new Source({ baseUrl, key: 're_key', wait: async (ms) => void waits.push(ms) })
  return { source, asked, waits }
}

const json =
  (body: object, status = 200, headers = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end(JSON.stringify(body))

const listOf = (ids: string[], has_more: boolean) => json({ object: 'list', has_more, data: ids.map((id) => ({ id })) })

async function idsOf(source: Source, after: string | null = null): Promise<string[]> {
  const ids: string[] = []
  for await (const { items } of source.pages('/things', { after })) ids.push(...items.map(({ id }) => id))
  return ids
}

test('a list is read page by page, from a cursor on', async () => {
  const { source, asked } = await scripted(listOf(['c', 'b'], true), listOf(['a'], false))

  expect(await idsOf(source, 'd')).toEqual(['c', 'b', 'a'])
  expect(asked).toEqual(['/api/things?limit=100&after=d', '/api/things?limit=100&after=b'])
})

test('who is asked to wait does, and keeps to the rate that is named', async () => {
  const limited = { 'retry-after': '7', 'ratelimit-limit': '2', 'ratelimit-policy': '2;w=1' }
  const { source, waits } = await scripted(json({}, 429, limited), json({ a: 1 }, 200, { 'ratelimit-limit': '2' }))

  await source.get('/one')
  await source.get('/two')

  expect(waits[0]).toBe(7_000)
  expect(Math.max(...waits.slice(1))).toBeGreaterThan(500)
})

test.each<[string, Answer]>([
  ['a 502', (response) => response.writeHead(502).end('<html>')],
  [
    'an answer that is cut',
    (response) => response.writeHead(200, { 'content-length': '100' }).write('{', () => response.destroy()),
  ],
  ['no answer', (response) => response.destroy()],
  ['no JSON', (response) => response.end('hello')],
])('after %s it is asked again', async (_name, answer) => {
  const { source, waits } = await scripted(answer, answer, json({ fine: true }))

  expect(await source.get('/thing')).toEqual({ fine: true })
  expect(waits).toEqual([500, 1_000])
})

test('a source that stays away ends the run with one line', async () => {
  const { source } = await scripted((response) => response.writeHead(503).end())

  await expect(source.get('/thing')).rejects.toThrow(
    '/thing: the source answers 503. Run the command again to go on from here.',
  )
})

test('a key that is refused is said at once, and not shown', async () => {
  const { source, asked } = await scripted(json({ message: 'API key is invalid\u001b[2J' }, 403))

  const refused = source.get('/thing')
  await expect(refused).rejects.toBeInstanceOf(OperatorError)
  await expect(refused).rejects.toThrow('The source refuses the API key: API key is invalid [2J. It needs full access.')
  expect(asked).toHaveLength(1)
})

test('the key does not follow a redirection', async () => {
  const { source } = await scripted((response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end())

  await expect(source.get('/thing')).rejects.toThrow('The source refuses a request: status 302.')
})

test('a list goes on when the item of its cursor was deleted', async () => {
  const { source, asked } = await scripted(
    listOf(['d', 'c', 'b'], true),
    json({ message: 'The cursor is unknown' }, 422),
    listOf(['b2', 'a'], false),
  )

  expect(await idsOf(source)).toEqual(['d', 'c', 'b', 'b2', 'a'])
  expect(asked.at(-1)).toBe('/api/things?limit=100&after=c')
})

test('a source that repeats itself does not hold the import for ever', async () => {
  const { source } = await scripted(listOf(['a'], true))

  await expect(idsOf(source)).rejects.toThrow('the source repeats a page')
})

test('null characters do not get into the database', async () => {
  const { source } = await scripted((response) => response.end('{"a":"x\\u0000y","b":"\\\\u0000"}'))

  expect(await source.get('/thing')).toEqual({ a: 'xy', b: '\\u0000' })
})

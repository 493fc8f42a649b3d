import fc from 'fast-check'
import type { InjectOptions } from 'fastify'
import { expect, test } from 'vitest'
import { ENDPOINTS } from '../src/features/index.ts'
import type { Endpoint } from '../src/kernel/http/endpoint.ts'
import { startApp } from './harness/app.ts'
import { callerOf } from './harness/callers.ts'
import { type Operation, openDocument } from './harness/documented.ts'
import { bodyOf, importRequest, pathOf } from './harness/requests.ts'
import { arbitraryOf, type Known, spoiled } from './harness/schema-arbitrary.ts'
import { makeWorld, type World } from './harness/world.ts'

// Requests that are made up from `docs/openapi.json`, good ones and bad ones, to every operation that it has: whatever comes back is
// what the document says of it, with no field more, and never a 5xx. The seed is printed; POSTWREN_TEST_SEED=… repeats a run.

const SEED = Number(process.env.POSTWREN_TEST_SEED ?? Date.now() % 1_000_000)
const TURNS = process.env.POSTWREN_TEST_NIGHT ? 60 : 4

const document = openDocument()
const ID = '01932b5c-7d3e-7c46-9a51-6f6f0c1d2e3f'
const byId = new Map<string, Endpoint>(ENDPOINTS.map((endpoint) => [endpoint.id, endpoint]))

/** Looking comes before changing, and what ends a thing that others need comes last. */
const order = ({ method, path, operationId }: Operation) =>
  [
    path.includes('{'),
    method !== 'GET',
    method === 'DELETE',
    method !== 'GET' && /operator|team|members|account/.test(operationId),
  ].reduce((rank, is, index) => rank + (is ? 2 ** index : 0), 0)

/** Things by the name of a field that names one: `segment_id`, `segments`, `audience_id`. */
const knownIn = (world: World): Known => ({
  resolve: document.resolve,
  idFor: (field) => world[field] ?? world[field.replace(/_?id$/i, '').replace(/y$/, 'ie').concat('s')],
})

const ODD_PARAMETERS = [
  '',
  '0',
  '-1',
  '1e3',
  'true',
  'a,b',
  '%00',
  '%zz',
  '%F0%9F%90%A6',
  "'--",
  'x'.repeat(3_000),
  '..%2F',
]
const ODD_HEADERS: readonly Record<string, string>[] = [
  { 'content-type': 'text/plain' },
  { 'content-type': 'multipart/form-data' },
  { 'content-type': 'application/json; charset=latin1' },
  { 'content-type': ';' },
  { 'idempotency-key': '' },
  { 'idempotency-key': 'k'.repeat(300) },
  { 'x-batch-validation': 'lax' },
  { authorization: 'Bearer re_nobody' },
  { authorization: 'Basic eDp5' },
  { accept: 'text/html', 'accept-encoding': 'br;q=2' },
]

const oneOf = <Item>(items: readonly Item[]) => fc.constantFrom(...items)

/** Some of the query's parameters, those that must be there always; each as its schema has it. */
const goodQuery = ({ parameters }: Operation, known: Known) => {
  const asked = parameters.filter((one) => one.in === 'query')
  const fields = Object.fromEntries(asked.map(({ name, schema }) => [name, arbitraryOf(schema, known, name)]))
  return fc
    .record(fields, { requiredKeys: asked.filter(({ required }) => required).map(({ name }) => name) })
    .map(encoded)
}

const encoded = (query: Record<string, unknown>) =>
  Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}=${encodeURIComponent(String(one).toWellFormed())}`),
  )

const oddQuery = ({ parameters }: Operation) => {
  const names = parameters.filter((one) => one.in === 'query').map(({ name }) => name)
  const pair = fc
    .tuple(oneOf([...names, 'limit', 'unknown']), oneOf(ODD_PARAMETERS))
    .map(([name, value]) => `${name}=${value}`)
  return fc.array(pair, { minLength: 1, maxLength: 3 })
}

/** `pathOf` says that nobody waits for what does not come. */
const asking = (url: string, pairs: readonly string[]) => {
  const query = pairs.filter((one) => !one.startsWith('timeout=')).join('&')
  return query === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${query}`
}

/** The path with one of its ids replaced, if it has any. */
const withOddId = (endpoint: Endpoint, world: World) => {
  const names = Object.keys(endpoint.params?.properties ?? {})
  if (names.length === 0) return fc.constant(pathOf(endpoint, world))
  const odd = fc.oneof(oneOf(ODD_PARAMETERS.filter((text) => text !== '')), fc.uuid())
  return fc.tuple(oneOf(names), odd).map(([name, value]) => pathOf(endpoint, world, { [name]: value }))
}

const JSON_TYPE = { 'content-type': 'application/json' }

async function* requestsFor(operation: Operation, world: World): AsyncGenerator<InjectOptions> {
  const endpoint = byId.get(operation.operationId)!
  const known = knownIn(world)
  const method = operation.method as 'GET'
  const schema = operation.requestBody?.content['application/json']?.schema
  const url = pathOf(endpoint, world)
  const body = schema
    ? fc.oneof(fc.constant(bodyOf(endpoint, world)), arbitraryOf(schema, known))
    : fc.constant(undefined)
  const json = (value: unknown) => (value === undefined ? {} : { payload: JSON.stringify(value), headers: JSON_TYPE })
  const sample = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.sample(arbitrary, { numRuns: TURNS, seed: SEED })

  // Bad ones first: a good one may use the thing up.
  for (const [path, query, value] of sample(fc.tuple(withOddId(endpoint, world), oddQuery(operation), body)))
    yield { method, url: asking(path, query), ...json(value) }
  for (const [headers, value] of sample(fc.tuple(oneOf(ODD_HEADERS), body))) {
    const request = json(value)
    yield { method, url: asking(url, []), ...request, headers: { ...request.headers, ...headers } }
  }
  if (schema) for (const payload of sample(body.chain(spoiled))) yield { method, url, payload, headers: JSON_TYPE }
  if (endpoint.upload) return yield { ...(await importRequest()), url }
  for (const [query, value] of sample(fc.tuple(goodQuery(operation, known), body)))
    yield { method, url: asking(url, query), ...json(value) }
}

const written = ({ method, url, payload, headers }: InjectOptions) =>
  JSON.stringify({ method, url, payload, headers }).slice(0, 600)

test('every answer is one that the document describes', async () => {
  process.stdout.write(`POSTWREN_TEST_SEED=${SEED}\n`)
  const app = await startApp()
  const acme = await app.as('acme')
  const world = await makeWorld(acme, app)
  const mistakes = new Map<string, string>()
  const reached = new Set<string>()
  const operations = [...document.operations].sort((a, b) => order(a) - order(b))

  for (const operation of operations) {
    const caller = await callerOf(app, acme, byId.get(operation.operationId)!)
    for await (const request of requestsFor(operation, world)) {
      const reply = await caller.send(request).catch((error: Error) => error.message)
      const mistake =
        typeof reply === 'string' ? reply : reply.status >= 500 ? reply.text : document.mistakeIn(operation, reply)
      // One of each kind is enough to read.
      if (mistake !== null) mistakes.set(`${operation.operationId}: ${mistake.slice(0, 400)}`, written(request))
      else if (typeof reply === 'object' && reply.status < 300) reached.add(operation.operationId)
    }
  }

  expect(Object.fromEntries(mistakes)).toEqual({})
  // A walk that is refused everywhere would prove nothing.
  const reads = operations.filter(({ method }) => method === 'GET').map(({ operationId }) => operationId)
  expect(reads.filter((id) => !reached.has(id))).toEqual([])
  expect(reached.size).toBeGreaterThan(operations.length * 0.7)
  // Some 40 s of CPU: a busy machine may take its time.
}, 1_200_000)

test('an answer with a field too many, one too few or another status is none that the document describes', () => {
  const operation = document.operations.find(({ operationId }) => operationId === 'topics.remove')!
  const headers = { 'content-type': 'application/json; charset=utf-8', 'x-request-id': ID }
  const mistake = (status: number, body: object, more: object = {}) =>
    document.mistakeIn(operation, { status, body, headers: { ...headers, ...more }, text: '' })
  const done = { object: 'topic', id: ID, deleted: true }
  const missing = { statusCode: 404, message: 'Topic not found', name: 'not_found' }

  expect([mistake(200, done), mistake(404, missing)]).toEqual([null, null])
  expect(mistake(200, { ...done, team_id: ID })).toMatch('additional properties')
  expect(mistake(200, { object: 'topic', id: ID })).toMatch("required property 'deleted'")
  expect(mistake(418, done)).toBe('418 is not documented')
  expect(mistake(200, done, { 'content-type': 'text/html' })).toMatch('text/html')
  expect(mistake(404, { ...missing, name: 'validation_error' })).toMatch('name must be equal')
  expect(mistake(404, { ...missing, stack: '' })).toMatch('additional properties')
  expect(mistake(200, done, { 'x-request-id': 'none' })).toMatch('x-request-id')
})

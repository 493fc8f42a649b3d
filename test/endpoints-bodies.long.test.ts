import { describe, expect, test } from 'vitest'
import { ENDPOINTS } from '../src/features/index.ts'
import type { Endpoint } from '../src/kernel/http/endpoint.ts'
import { type Reply, startApp } from './harness/app.ts'
import { type Caller, callerOf } from './harness/callers.ts'
import { worldsForAll } from './harness/everywhere.ts'
import { answerOf, asking, bodiesOf, bodyOf, call, pathOf } from './harness/requests.ts'
import { variantsOf } from './harness/sample.ts'
import { stateOf } from './harness/state.ts'
import { makeWorld } from './harness/world.ts'

// Bodies, content types and queries that nobody should send, to every endpoint. Whatever comes back is checked by the harness:
// a good answer in the endpoint's own shape, or an error in the one shape of errors, and never a 500.

const JSON_TYPE = { 'content-type': 'application/json' }
const withBody = ENDPOINTS.filter(({ body }) => body !== undefined)

const deep = (open: string, middle: string, close: string) => open.repeat(10_000) + middle + close.repeat(10_000)

/** Each request must leave everything as it was, unless it was carried out. */
async function expectNothingWritten(
  endpoints: readonly Endpoint[],
  send: (client: Caller, endpoint: Endpoint, url: string, bodies: unknown[]) => AsyncIterable<Reply>,
) {
  const app = await startApp()
  const acme = await app.as('acme')
  const world = await makeWorld(acme, app)
  const look = () => stateOf(app.db, acme.team)
  let before = await look()
  for (const endpoint of endpoints) {
    const caller = await callerOf(app, acme, endpoint)
    const replies = () => send(caller, endpoint, pathOf(endpoint, world), bodiesOf(endpoint, world))
    // To look after each request takes longer than the requests do. It is done only where one of them was carried out.
    let isAllRefused = true
    for await (const { status } of replies()) isAllRefused &&= status >= 400
    const end = await look()
    if (isAllRefused) expect(end, endpoint.id).toEqual(before)
    before = end
    if (isAllRefused) continue
    for await (const reply of replies()) {
      const after = await look()
      if (reply.status >= 400) expect(after, `${endpoint.id} ${reply.text}`).toEqual(before)
      before = after
    }
  }
}

const sendText = (client: Caller, { method }: Endpoint, url: string, payload: string) =>
  client.send({ method, url, payload, headers: JSON_TYPE })

test('a body that is not JSON is refused', async () => {
  await expectNothingWritten(withBody, async function* (acme, endpoint, url) {
    for (const payload of ['{', "{'name': 'x'}", 'name=x', '{"name":"x"} {}', '[1,]', 'NaN']) {
      const reply = await sendText(acme, endpoint, url, payload)

      expect([endpoint.id, payload, answerOf(reply)]).toEqual([endpoint.id, payload, '400 validation_error'])
      yield reply
    }
    const latin1 = Buffer.from('{"name":"\xe9"}', 'latin1')
    yield await acme.send({ method: endpoint.method, url, payload: latin1, headers: JSON_TYPE })
  })
})

test('a body of another type is refused', async () => {
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/json',
    'garbage',
  ]
  const takesBody = ENDPOINTS.filter(({ body, upload }) => body || upload)

  await expectNothingWritten(takesBody, async function* (acme, { id, method, upload }, url) {
    for (const contentType of types.filter((type) => !(upload && type.startsWith('multipart')))) {
      const reply = await acme.send({ method, url, payload: '{"name":"x"}', headers: { 'content-type': contentType } })

      expect([id, contentType, answerOf(reply)]).toEqual([id, contentType, '415 validation_error'])
      yield reply
    }
  })
})

test('JSON is understood under its other names, and without a name', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const payload = Buffer.from('{"name":"News"}')

  for (const headers of [
    { 'content-type': 'Application/JSON; charset=utf-8' },
    { 'content-type': 'application/vnd.api+json' },
    {},
  ])
    expect((await acme.send({ method: 'POST', url: '/topics', payload, headers })).status).toBe(201)
})

test('a JSON content type without a body is no body: the SDK sends it always', async () => {
  const worldFor = await worldsForAll()

  for (const endpoint of ENDPOINTS.filter(({ body, upload }) => !body && !upload)) {
    const { client, world } = await worldFor(endpoint)
    const url = pathOf(endpoint, world)
    const reply = await client.send({ method: endpoint.method, url, headers: { ...JSON_TYPE, 'content-length': '0' } })

    expect([endpoint.id, reply.status]).toEqual([endpoint.id, endpoint.status])
  }
})

describe('a body of the wrong kind', () => {
  const BODIES = {
    'an empty list': '[]',
    'a list': '[1, null, {"name": "x"}]',
    'a string': '"name"',
    'a number': '3',
    'a boolean': 'true',
    null: 'null',
    'lists in lists': deep('[', '', ']'),
    'objects in objects': deep('{"name":', '1', '}'),
    'a field that is deep': `{"name":${deep('[', '', ']')},"email":${deep('{"id":', '1', '}')}}`,
  }

  test.each(Object.entries(BODIES))('%s is refused or understood', async (_name, text) => {
    await expectNothingWritten(withBody, async function* (acme, endpoint, url) {
      yield await sendText(acme, endpoint, url, text)
    })
  })
})

describe('every field of every body may hold anything', () => {
  const VALUES = {
    'the character zero': JSON.stringify('a\0b'),
    'half of a character': '"\\ud83d"',
    'the other half, hidden in a long text': `"${'x'.repeat(300)}\\udc26"`,
    'a number beyond all numbers': '1e400',
    'a number with a long fraction': `-0.${'1'.repeat(400)}`,
    null: 'null',
    'an object': '{"id":{}}',
    'a list': '[[]]',
    'a text of 20,000 characters': `"${'ä'.repeat(20_000)}"`,
    'SQL, HTML and names of the language': JSON.stringify(
      `__proto__'; drop table contacts; -- <script>alert("$1")</script> %s \\ \u2028`,
    ),
  }

  test.each(Object.entries(VALUES))('%s', async (_name, value) => {
    await expectNothingWritten(withBody, async function* (acme, endpoint, url, bodies) {
      for (const variant of bodies.flatMap((body) => [...variantsOf(body, 'REPLACE')]))
        yield await sendText(
          acme,
          endpoint,
          url,
          JSON.stringify(variant).replace('"REPLACE"', () => value),
        )
    })
  })
})

/** Who mistypes a field of a rule hears it: a test that checks nothing would be green. */
const STRICT = ['scenario.set']

test('fields that no schema knows are ignored, also those that every object has', async () => {
  const worldFor = await worldsForAll()
  const strangers = '"__proto__":{"name":1},"constructor":1,"toString":{},"hasOwnProperty":null,"id":7,"team_id":"x"'

  for (const endpoint of withBody.filter(({ id }) => !STRICT.includes(id))) {
    const { client, world } = await worldFor(endpoint)
    const body = bodyOf(endpoint, world)
    if (Array.isArray(body)) continue
    const fields = JSON.stringify(body).slice(1, -1)
    const reply = await sendText(
      client,
      endpoint,
      pathOf(endpoint, world),
      `{${[fields, strangers].filter(Boolean).join()}}`,
    )

    expect([endpoint.id, reply.status]).toEqual([endpoint.id, endpoint.status])
  }
})

test('a body beyond one megabyte is refused', async () => {
  const limited = withBody.filter(({ maxBodyBytes }) => maxBodyBytes === undefined)

  await expectNothingWritten(limited, async function* (acme, { id, method }, url, [body]) {
    const payload = JSON.stringify({ ...(body as object), padding: 'x'.repeat(1024 * 1024) })
    for (const headers of [JSON_TYPE, {}]) {
      const reply = await acme.send({ method, url, payload: Buffer.from(payload), headers })

      expect([id, answerOf(reply)]).toEqual([id, '413 validation_error'])
      yield reply
    }
  })
})

test('a query that nobody asked for is ignored', async () => {
  const worldFor = await worldsForAll()

  for (const endpoint of ENDPOINTS) {
    const { client, world } = await worldFor(endpoint)
    const strange = 'unknown=1&unknown=2&__proto__=x&constructor=y&=&&a[b]=c&%zz=%zz'
    const url = asking(pathOf(endpoint, world), strange)
    const reply = await call(client, endpoint, url, bodyOf(endpoint, world))

    expect([endpoint.id, reply.status]).toEqual([endpoint.id, endpoint.status])
  }
})

test('a parameter of a query that is repeated or no text is refused', async () => {
  const withQuery = ENDPOINTS.filter(({ query }) => query !== undefined)

  await expectNothingWritten(withQuery, async function* (acme, { id, method, query }, url) {
    for (const name of Object.keys(query!.properties))
      for (const value of ['1&NAME=2', '%00', '%ED%A0%80', '%zz', 'x'.repeat(10_000)]) {
        const path = asking(url, `${name}=${value.replace('NAME', name)}`)
        const reply = await (method === 'DELETE' ? acme.delete(path) : acme.get(path))

        expect([id, name, value, reply.status]).toEqual([id, name, value, 422])
        yield reply
      }
  })
})

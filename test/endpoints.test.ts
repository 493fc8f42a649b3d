import type { InjectOptions } from 'fastify'
import { describe, expect, test } from 'vitest'
import { ENDPOINTS } from '../src/features/index.ts'
import type { Endpoint } from '../src/kernel/http/endpoint.ts'
import { type Reply, startApp } from './harness/app.ts'
import { auditMistakes } from './harness/audited.ts'
import { callerOf, isForPeople } from './harness/callers.ts'
import { ANY_ID, anywhere, worldsForAll } from './harness/everywhere.ts'
import { answerOf, bodyOf, call, parametersOf, pathOf } from './harness/requests.ts'
import { stateOf } from './harness/state.ts'
import { makeWorld } from './harness/world.ts'

// What holds for every endpoint, asked of every endpoint. The harness checks each answer's shape: errors have exactly
// statusCode, message and name, and 500 is never an answer.

/** `{"topics.get": "404 not_found", …}`: one line for each endpoint, so that a failure names all that differ. */
async function answersOf(
  endpoints: readonly Endpoint[],
  ask: (endpoint: Endpoint) => Promise<Reply>,
): Promise<Record<string, string>> {
  const answers: Record<string, string> = {}
  for (const endpoint of endpoints) answers[endpoint.id] = answerOf(await ask(endpoint))
  return answers
}

const allOf = (endpoints: readonly Endpoint[], answer: string | ((endpoint: Endpoint) => string)) =>
  Object.fromEntries(endpoints.map((one) => [one.id, typeof answer === 'string' ? answer : answer(one)]))

const request = ({ method }: Endpoint, url: string, headers: Record<string, string> = {}): InjectOptions => ({
  method,
  url,
  headers,
})

test('each endpoint has an id and a route of its own', () => {
  const ids = ENDPOINTS.map(({ id }) => id)
  const routes = ENDPOINTS.map(({ method, path }) => `${method} ${path.replace(/:\w+/g, ':')}`)

  expect(ids).toEqual([...new Set(ids)])
  expect(routes).toEqual([...new Set(routes)])
})

test('each endpoint answers a good request in the shape that it promises, and the audit log tells what it changed', async () => {
  const worldFor = await worldsForAll()
  const mistakes: unknown[] = []

  const answers = await answersOf(ENDPOINTS, async (endpoint) => {
    const { app, client, world } = await worldFor(endpoint)
    const path = pathOf(endpoint, world)
    const reply = await call(client, endpoint, path, bodyOf(endpoint, world))
    mistakes.push(...(await auditMistakes(app, endpoint, path, reply)))
    return reply
  })

  expect(answers).toEqual(allOf(ENDPOINTS, ({ status }) => String(status)))
  expect(mistakes).toEqual([])
  // Several seconds of CPU: a busy machine may take its time.
}, 300_000)

test('what changes something is audited, except for what is done all the time', () => {
  const doneAllTheTime = ['emails.send', 'emails.batch', 'events.send', ...MAIL_OF_INBOXES, ...OF_EDITORS, ...OF_TESTS]
  // Asks for a challenge: the passkey that answers it is a change, and audited.
  const changingNothing = ['account.passkeys.options', 'editor.compose', 'editor.import', 'emails.dry-run']
  const unaudited = ENDPOINTS.filter(({ isAudited, method }) => !isAudited && method !== 'GET').map(({ id }) => id)

  expect(unaudited.filter((id) => ![...doneAllTheTime, ...changingNothing].includes(id))).toEqual([])
})

/** What a test does, a hundred times a minute; and what is there for as long as it runs. */
const OF_TESTS = [
  'sandboxes.create',
  'sandboxes.remove',
  'clock.update',
  'scenario.set',
  'messages.update',
  'messages.update-all',
]

/** Every few seconds, while somebody writes. The versions of a document say who did. */
const OF_EDITORS = ['editor.content.update', 'editor.connections.create', 'editor.connections.remove']

/** What people do with their mail all day. */
const MAIL_OF_INBOXES = [
  'inboxes.threads.update',
  'inboxes.threads.batch',
  'inboxes.threads.viewers.announce',
  'inboxes.threads.viewers.remove',
  'inboxes.threads.remove',
  'inboxes.threads.emails.reply',
  'inboxes.threads.emails.forward',
  'inboxes.threads.labels.add',
  'inboxes.threads.labels.set',
  'inboxes.threads.labels.remove',
  'inboxes.drafts.create',
  'inboxes.drafts.update',
  'inboxes.drafts.remove',
  'inboxes.drafts.send',
  'inboxes.drafts.schedule',
  'inboxes.drafts.unschedule',
]

test('each endpoint needs a key', async () => {
  const app = await startApp()

  const answers = await answersOf(ENDPOINTS, (one) => app.send(request(one, pathOf(one, anywhere))))

  expect(answers).toEqual(allOf(ENDPOINTS, '401 missing_api_key'))
})

test('each endpoint refuses a key that is not one', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const wrong = ['re_123', 'x', `${acme.token}x`, acme.token.slice(0, -1), acme.token.toUpperCase()]

  for (const token of wrong) {
    const headers = { authorization: `Bearer ${token}` }
    const answers = await answersOf(ENDPOINTS, async (one) => {
      const reply = await app.send(request(one, pathOf(one, anywhere), headers))
      expect(reply.body.message).toBe('API key is invalid')
      return reply
    })

    expect(answers).toEqual(allOf(ENDPOINTS, '403 invalid_api_key'))
  }
})

test('an id that is none is refused, wherever it stands in the path', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const world = await makeWorld(acme, app)
  const before = await stateOf(app.db, acme.team)

  for (const malformed of [
    '1',
    'not-an-id',
    `${ANY_ID}0`,
    ANY_ID.replaceAll('-', ''),
    '%00',
    'a%20b',
    'x'.repeat(5_000),
  ])
    await eachParameter(ENDPOINTS, async (endpoint, parameter) => {
      const reply = await call(
        await callerOf(app, acme, endpoint),
        endpoint,
        pathOf(endpoint, world, { [parameter]: malformed }),
        bodyOf(endpoint, world),
      )

      // What is no id may be an alias or a name, and then there is none of that name.
      const answers = ['idOrAlias', 'idOrName'].includes(parameter) ? [404, 422] : [422]
      expect(answers, `${endpoint.id} with ${malformed.slice(0, 40)}`).toContain(reply.status)
    })

  expect(await stateOf(app.db, acme.team)).toEqual(before)
})

// They say 200 also when there was nothing to delete: contract 2.8, 2.9.
const ALWAYS_200 = ['segments.remove', 'audiences.remove', 'audiences.contacts.remove']

describe.each(['a key', 'a person'])('%s', (kind) => {
  test.each(['another team', 'nobody'])('gets nothing by an id of %s, and touches nothing', async (owner) => {
    // Where there is none, nobody can release a message, whosever it is.
    const app = await startApp({ POSTWREN_RELAY_URL: 'smtp://127.0.0.1:1' })
    const [acme, globex] = [await app.as('acme'), await app.as('globex')]
    const world = await makeWorld(acme, app)
    const foreign = owner === 'nobody' ? anywhere : await makeWorld(globex, app)
    const caller = kind === 'a key' ? acme : await app.ownerOf(acme)
    const callable = ENDPOINTS.filter((one) => kind === 'a person' || !isForPeople(one))
    // Who operates the installation sees all teams.
    const endpoints = callable.filter(({ access }) => owner === 'nobody' || access !== 'operator')
    const before = [await stateOf(app.db, acme.team), await stateOf(app.db, globex.team)]

    await eachParameter(endpoints, async (endpoint, parameter, word) => {
      const url = pathOf(endpoint, world, { [parameter]: foreign[word]! })
      const reply = await call(caller, endpoint, url, bodyOf(endpoint, world))

      const expected = ALWAYS_200.includes(endpoint.id) ? '200' : '404 not_found'
      expect(answerOf(reply), `${endpoint.id} ${parameter}`).toBe(expected)
    })

    expect([await stateOf(app.db, acme.team), await stateOf(app.db, globex.team)]).toEqual(before)
  })
})

test('a method that a path does not have answers 405 and names those that it has', async () => {
  const app = await startApp()
  const paths = new Set(ENDPOINTS.map(({ path }) => path))

  for (const path of paths) {
    const allowed = ENDPOINTS.filter((one) => one.path === path).map(({ method }) => method as string)
    for (const method of ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'] as const) {
      if (allowed.includes(method)) continue
      const reply = await app.send({ method, url: path.replace(/:\w+/g, ANY_ID) })

      expect([path, method, answerOf(reply)]).toEqual([path, method, '405 method_not_allowed'])
      expect(String(reply.headers.allow).split(', ').sort()).toEqual(allowed.sort())
    }
  }
})

test.each(['/nothing', '/', '/topics/a/b', '/contacts/a@example.com/nothing', '/constructor', '/__proto__', '/.env'])(
  'there is no %s',
  async (path) => {
    const app = await startApp()
    const acme = await app.as('acme')

    const replies = [await acme.get(path), await app.send({ method: 'POST', url: path, payload: { a: 1 } })]

    expect(replies.map(({ status, body }) => [status, body])).toEqual(
      replies.map(() => [
        404,
        { statusCode: 404, message: 'The requested endpoint does not exist.', name: 'not_found' },
      ]),
    )
  },
)

test.each(['%', '%zz', '%e2%28%a1', '%ff', '%ED%A0%80', '%C0%AF', '%u0041'])(
  '%s in a path is no path',
  async (garbage) => {
    const app = await startApp()
    const acme = await app.as('acme')

    for (const path of [`/topics/${garbage}`, `/contacts/${garbage}/topics`, `/${garbage}`])
      expect((await acme.get(path)).body, path).toMatchObject({ statusCode: 400, name: 'validation_error' })
  },
)

test.each(['//topics', '///topics', '/topics/', '/topics?', '/topics#top'])('%s is /topics', async (path) => {
  const app = await startApp()
  const acme = await app.as('acme')

  expect((await acme.get(path)).body.object).toBe('list')
})

async function eachParameter(
  endpoints: readonly Endpoint[],
  check: (endpoint: Endpoint, parameter: string, word: string) => Promise<void>,
) {
  for (const endpoint of endpoints)
    for (const { parameter, word } of parametersOf(endpoint)) await check(endpoint, parameter, word)
}

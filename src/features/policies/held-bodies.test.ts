import { expect, test } from 'vitest'
import { type App, type Client, startApp } from '../../../test/harness/app.ts'
import { startSlowServer } from '../../../test/harness/file-server.ts'
import { MAIL } from '../../../test/harness/guarded.ts'
import { type HeldBody, holdBody } from '../../../test/harness/held-body.ts'
import { callWith, getTokens } from '../../../test/harness/oauth.ts'
import { holdSteadyTime } from '../../../test/harness/steady-time.ts'

// Whoever keeps the body of a request open has no more rights at its end than others have by then.

const ONLY_ADA = { recipients: { addresses: ['ada@example.com'] } }
const TO_EVE = { ...MAIL, to: 'eve@evil.test' }

async function start(kind: 'key' | 'app' = 'key') {
  const app = await startApp()
  const acme = await app.as('acme')
  const { server } = app
  await server.listen({ host: '127.0.0.1', port: 0 })
  const time = holdSteadyTime()
  if (kind === 'app') {
    const ada = await app.person('acme', 'owner')
    const { access_token: token } = await getTokens(app, ada)
    const [{ id }] = (await ada.get('/oauth/grants')).body.data
    return { app, acme, time, id, token, path: `/oauth/grants/${id}` }
  }
  const { id, token } = (await acme.post('/api-keys', { name: 'Agent' })).body
  return { app, acme, time, id, token, path: `/api-keys/${id}` }
}

/** A request whose body lacks its last byte. */
function hold(app: App, token: string, [method, path, body]: [string, string, object]): Promise<HeldBody> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return holdBody(app, { method, path, headers, payload: Buffer.from(JSON.stringify(body)) })
}

const ways = (path: string, approval: string): [string, string, object][] => [
  ['PATCH', path, { policy: null }],
  ['POST', '/api-keys', { name: 'Another' }],
  ['POST', '/approvals/decide', { decision: 'approve', ids: [approval] }],
  ['POST', '/emails', TO_EVE],
  ['POST', '/emails/batch', [TO_EVE]],
  ['POST', '/api/v1/send', { From: { Email: MAIL.from }, To: [{ Email: TO_EVE.to }], Subject: 'Hi', Text: 'Hi' }],
]

test.each(['key', 'app'] as const)(
  'a policy binds the requests of a %s whose bodies were open before it',
  async (kind) => {
    const { app, acme, time, token, path } = await start(kind)
    const held = await acme.post('/api-keys', { name: 'Held', policy: { hold: true } })
    const { body: waiting } = await callWith(app, held.body.token, 'POST', '/emails', MAIL)
    const mailpit = kind === 'key' ? [] : ['/api/v1/send']
    const begun = []
    for (const way of ways(path, waiting.id)) if (!mailpit.includes(way[1])) begun.push(await hold(app, token, way))

    expect((await owner(app, acme, kind).then((one) => one.patch(path, { policy: ONLY_ADA }))).status).toBe(200)
    time.advance(1_000)
    const answers = []
    for (const one of begun) answers.push(await one.finish())

    expect(answers.map(({ status }) => status)).toEqual(begun.map(() => 403))
    expect((await acme.get('/emails')).body.data).toMatchObject([{ id: waiting.id, last_event: 'queued' }])
    expect((await acme.get('/api-keys')).body.data.map(({ name }: { name: string }) => name)).not.toContain('Another')
    expect((await callWith(app, token, 'POST', '/emails', TO_EVE)).body.name).toBe('policy_refused')
  },
)

/** Who changes a grant is a person. */
const owner = async (app: App, acme: Client, kind: 'key' | 'app') =>
  kind === 'key' ? acme : app.person('acme', 'owner')

test('the end of a key ends its requests whose bodies were open before', async () => {
  const { app, acme, time, token, path } = await start()
  const begun = []
  for (const way of ways(path, path.split('/').at(-1)!)) begun.push(await hold(app, token, way))

  await acme.delete(path)
  time.advance(1_000)

  for (const one of begun) expect([401, 403]).toContain((await one.finish()).status)
  expect((await acme.get('/emails')).body.data).toEqual([])
})

test('a body that takes its time is answered as ever, and counted once', async () => {
  const { app, time, token } = await start()
  const begun = await hold(app, token, ['POST', '/emails', TO_EVE])
  time.advance(1_000)

  expect((await begun.finish()).status).toBe(200)
})

test('a policy that comes while attachments are downloaded binds their email', async () => {
  const { app, acme, token, path } = await start()
  const files = await startSlowServer()
  const email = { ...TO_EVE, attachments: [{ filename: 'a.txt', path: `${files.url}/a.txt` }] }
  const sending = callWith(app, token, 'POST', '/emails', email)
  await files.arrived

  await acme.patch(path, { policy: ONLY_ADA })
  files.open()

  expect((await sending).body).toMatchObject({ statusCode: 503, message: expect.stringContaining('Try again') })
  expect((await acme.get('/emails')).body.data).toEqual([])
  expect((await callWith(app, token, 'POST', '/emails', email)).body.name).toBe('policy_refused')
})

import { expect, test } from 'vitest'
import { type App, type Person, startApp } from '../../../test/harness/app.ts'
import { authenticator } from '../../../test/harness/authenticator.ts'
import { cookieOf, FROM_OUR_PAGE } from '../../../test/harness/browser-session.ts'
import { readableLog } from '../../../test/harness/log.ts'
import { sql } from '../../kernel/db/sql.ts'

const INVALID_PASSKEY = { status: 403, body: { name: 'invalid_passkey' } }

const knock = (app: App, url: string, payload: object = {}, more: { cookie?: string; remoteAddress?: string } = {}) =>
  app.send({
    method: 'POST',
    url: `/dashboard/${url}`,
    payload,
    headers: { ...FROM_OUR_PAGE, ...(more.cookie && { cookie: more.cookie }) },
    ...(more.remoteAddress && { remoteAddress: more.remoteAddress }),
  })

const who = async (app: App, cookie: string) =>
  (await app.send({ method: 'GET', url: '/dashboard/session', headers: { ...FROM_OUR_PAGE, cookie } })).body

/** A person, and a device with a passkey of theirs. */
async function withPasskey(person: Person) {
  const device = authenticator()
  const { options } = (await person.post('/account/passkeys/options')).body
  const registration = device.register(options)
  const { status, body } = await person.post('/account/passkeys', { name: 'Laptop', response: registration })
  expect([status, body.object]).toEqual([201, 'passkey'])
  return { device, id: body.id as string, registration }
}

const askFor = async (app: App, url: string, cookie?: string) =>
  (await knock(app, `${url}/options`, {}, cookie ? { cookie } : {})).body.options

test('people sign in with a passkey', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'developer')
  const { device } = await withPasskey(ada)

  const options = await askFor(app, 'sign-in/passkey')
  const reply = await knock(app, 'sign-in/passkey', { response: device.answer(options) })

  expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required' })
  expect(options.allowCredentials).toBeUndefined()
  expect(reply.status).toBe(200)
  expect(await who(app, cookieOf(reply))).toMatchObject({ user: { email: ada.email }, role: 'developer' })
  const events = await app.db.query(sql`
    select actor_name, action, details from audit_events where team_id = ${ada.team} and action = 'account.sign_in'`)
  expect(events).toEqual([{ actor_name: ada.email, action: 'account.sign_in', details: { method: 'passkey' } }])
})

test('no answer of a passkey counts twice', async () => {
  const app = await startApp()
  const { device } = await withPasskey(await app.person('acme', 'owner'))
  const response = device.answer(await askFor(app, 'sign-in/passkey'))

  const replies = await Promise.all([1, 2, 3].map(() => knock(app, 'sign-in/passkey', { response })))

  expect(replies.map(({ status }) => status).sort()).toEqual([200, 403, 403])
})

test('an answer to another question, from another page or without a fingerprint is none', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const { device } = await withPasskey(ada)
  const ask = () => askFor(app, 'sign-in/passkey')
  const late = device.answer(await ask())
  const stranger = authenticator()

  const wrong = {
    'made up': device.answer({ challenge: 'AAAA' }),
    'of a verification': device.answer(await askFor(app, 'verify/passkey', ada.cookie)),
    'of another page': device.answer(await ask(), { origin: 'http://localhost:3000' }),
    'of another host': device.answer(await ask(), { rpId: 'example.com' }),
    'without a person': device.answer(await ask(), { isUnverified: true }),
    'of an unknown device': stranger.answer(await ask()),
    'with another signature': { ...device.answer(await ask()), ...{ response: stranger.answer(await ask()).response } },
  }
  for (const [what, response] of Object.entries(wrong))
    expect(await knock(app, 'sign-in/passkey', { response }), what).toMatchObject(INVALID_PASSKEY)
  app.clock.advance(6 * 60)
  expect(await knock(app, 'sign-in/passkey', { response: late })).toMatchObject(INVALID_PASSKEY)
})

test('whatever strangers send, the answer says what is wrong with it', async () => {
  const app = await startApp()
  const { device } = await withPasskey(await app.person('acme', 'owner'))
  const good = device.answer(await askFor(app, 'sign-in/passkey'))
  const { response } = good
  const bodies: object[] = [
    ...[{}, [], { response: null }, { response: {} }, { response: { ...good, response: {} } }],
    ...[{ response: { ...good, id: '=' } }, { response: { ...good, id: 'A'.repeat(2_000) } }],
    { response: { ...good, response: { ...response, clientDataJSON: 'AAAA' } } },
    { response: { ...good, response: { ...response, clientDataJSON: encoded({ challenge: 5 }) } } },
    { response: { ...good, response: { ...response, clientDataJSON: encoded(null) } } },
    { response: { ...good, response: { ...response, authenticatorData: 'AAAA' } } },
    { response: { ...good, response: { ...response, userHandle: 'AAAA' } } },
  ]

  for (const body of bodies) {
    const { status } = await knock(app, 'sign-in/passkey', body)
    expect([403, 422], JSON.stringify(body).slice(0, 100)).toContain(status)
  }
  for (const body of [{}, { email: 5 }, { email: 'ada' }, { email: `${'a'.repeat(300)}@example.com` }])
    expect((await knock(app, 'sign-in/link', body)).status).toBe(422)
  for (const body of [{}, { token: 5 }, { token: '' }, { token: 'x'.repeat(300) }])
    expect((await knock(app, 'sign-in', body)).status).toBe(422)
  expect(await app.send({ method: 'POST', url: '/dashboard/sign-in/passkey/options' })).toMatchObject({
    ...{ status: 403, body: { name: 'dashboard_only' } },
  })
})

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** What the log has told: in inbox mode nobody can read the mail. */
const tokenIn = (said: Record<string, unknown>[]) =>
  /#(?:sign-in|verify)=([\w-]+)$/.exec(String(said.at(-1)?.link))![1]!

test('people sign in with a link by mail, once', async () => {
  const { log, saying } = readableLog()
  const app = await startApp({}, { log })
  const ada = await app.person('acme', 'viewer')

  const asked = await knock(app, 'sign-in/link', { email: ada.email.toUpperCase() })
  await app.runDueJobs()
  const token = tokenIn(saying('people: Sign in to Postwren'))
  const replies = await Promise.all([1, 2].map(() => knock(app, 'sign-in', { token })))

  expect(asked.status).toBe(200)
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 403])
  const entered = replies.find(({ status }) => status === 200)!
  expect(await who(app, cookieOf(entered))).toMatchObject({ user: { email: ada.email }, role: 'viewer' })
  expect(String(entered.headers['set-cookie'])).toMatch(/HttpOnly; SameSite=Strict/)
})

test('a link is good for a quarter of an hour', async () => {
  const { log, saying } = readableLog()
  const app = await startApp({}, { log })
  const { email } = await app.person('acme', 'viewer')
  await knock(app, 'sign-in/link', { email })
  await app.runDueJobs()

  app.clock.advance(15 * 60)

  expect((await knock(app, 'sign-in', { token: tokenIn(saying('people: Sign in to Postwren')) })).body.message).toBe(
    'This link was already used or has expired.',
  )
})

test('who has no account gets the same answer, and no mail', async () => {
  const { log, text } = readableLog()
  const app = await startApp({}, { log })
  const { email } = await app.person('acme', 'viewer')

  const [known, unknown] = [
    await knock(app, 'sign-in/link', { email }),
    await knock(app, 'sign-in/link', { email: 'nobody@example.com' }),
  ]
  await app.runDueJobs()

  expect({ ...unknown.body, email }).toEqual(known.body)
  expect(text()).toContain(email)
  expect(text()).not.toContain('nobody@example.com')
})

test('an invitation makes an account for who is new, and signs them in', async () => {
  const { log, saying } = readableLog()
  const app = await startApp({}, { log })
  const owner = await app.person('acme', 'owner')
  await owner.post('/invitations', { email: 'bob@example.com', role: 'viewer' })
  const [said] = await app.db.query<{ name: string }>(sql`select name from teams where id = ${owner.team}`)
  const token = String(saying(`people: ${owner.email} invited you to ${said!.name} on Postwren`)[0]!.link).split(
    '#invitation=',
  )[1]!

  const reply = await knock(app, 'sign-in/invitation', { token })

  expect(await who(app, cookieOf(reply))).toMatchObject({
    user: { email: 'bob@example.com' },
    team: { id: owner.team },
    role: 'viewer',
  })
  expect((await knock(app, 'sign-in/invitation', { token })).status).toBe(404)
})

test('an invitation signs nobody in to an account that exists', async () => {
  const { log, saying } = readableLog()
  const app = await startApp({}, { log })
  const [owner, bob] = [await app.person('acme', 'owner'), await app.person('globex', 'owner')]
  await owner.post('/invitations', { email: bob.email, role: 'viewer' })
  const [said] = await app.db.query<{ name: string }>(sql`select name from teams where id = ${owner.team}`)
  const token = String(saying(`people: ${owner.email} invited you to ${said!.name} on Postwren`)[0]!.link).split(
    '#invitation=',
  )[1]!

  const reply = await knock(app, 'sign-in/invitation', { token })

  expect([reply.status, reply.headers['set-cookie']]).toEqual([403, undefined])
  expect(reply.body.message).toMatch(`${bob.email} already has an account.`)
  expect((await bob.post('/invitations/accept', { token })).status).toBe(200)
})

test('signing in again ends the session before', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const { device } = await withPasskey(ada)
  const response = device.answer(await askFor(app, 'sign-in/passkey'))

  await knock(app, 'sign-in/passkey', { response }, { cookie: ada.cookie })

  expect((await ada.get('/topics')).status).toBe(401)
})

test('nobody knocks too often, whoever they ask for', async () => {
  const app = await startApp({ POSTWREN_RATE_LIMIT: '0' })
  const { email } = await app.person('acme', 'viewer')
  const ask = (to: string, remoteAddress: string) =>
    knock(app, 'sign-in/link', { email: to }, { remoteAddress }).then(({ status }) => status)
  const countOf = async (times: number, one: (index: number) => Promise<number>) => {
    const answers = await Promise.all(Array.from({ length: times }, (_, index) => one(index)))
    return answers.filter((status) => status === 200).length
  }

  // To one address from many, known or not; from one address to many.
  expect(await countOf(20, (index) => ask(email, `192.0.2.${index}`))).toBe(5)
  expect(await countOf(20, (index) => ask('nobody@example.com', `192.0.2.${index}`))).toBe(5)
  expect(await countOf(50, (index) => ask(`nobody-${index}@example.com`, '198.51.100.1'))).toBeLessThan(35)
  const guess = () => knock(app, 'sign-in', { token: 'guess' }, { remoteAddress: '198.51.100.2' })
  const guesses = await Promise.all(Array.from({ length: 120 }, guess))
  expect(guesses.filter(({ status }) => status === 403).length).toBeGreaterThanOrEqual(100)
  expect(guesses.at(-1)!.body.name).toBe('rate_limit_exceeded')
})

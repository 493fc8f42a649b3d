import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { arrive, PEER, RICH, receivingTeam } from '../../../test/harness/arriving.ts'
import { openBackend } from '../../../test/harness/backends.ts'
import { domainNamed, freshName } from '../../../test/harness/domains.ts'
import { sendEmail } from '../../../test/harness/emails.ts'
import { makeGate } from '../../../test/harness/gate.ts'
import { limit, operatorOf, suspend, unsuspend } from '../../../test/harness/operators.ts'
import { holdSteadyTime } from '../../../test/harness/steady-time.ts'
import { sql } from '../../kernel/db/sql.ts'
import { setSuspension } from '../teams/index.ts'

test('an operator sees all teams with what they use, and nobody else does', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await sendEmail(acme, { to: ['ada@example.com', 'bob@example.com'], cc: ['cy@example.com'] })
  await acme.post('/contacts', { email: 'ada@example.com' })
  const operator = await operatorOf(app)
  const owner = await app.person('acme', 'owner')

  const { body: all } = await operator.get('/operator/teams?limit=100')
  const { body: one } = await operator.get(`/operator/teams/${acme.team}`)
  const { body: named } = await operator.get(`/operator/teams?name=${encodeURIComponent(one.name.toUpperCase())}`)

  const found = all.data.find(({ id }: { id: string }) => id === acme.team)
  expect(found).toMatchObject({ members: 1, today: { sent: 3, received: 0 }, this_month: { sent: 3, received: 0 } })
  expect(one).toMatchObject({ object: 'operated_team', ...found, contacts: 1, domains: 0, webhooks: 0 })
  expect(Object.values(one.limits)).toEqual(Array(7).fill(null))
  expect(named.data.map(({ id }: { id: string }) => id)).toEqual([acme.team])
  expect((await owner.get('/operator/teams')).body.name).toBe('invalid_permission')
  expect((await acme.get(`/operator/teams/${acme.team}`)).body.name).toBe('invalid_permission')
})

test('limits are changed one by one, and lifted by null', async () => {
  const app = await startApp()
  const { team } = await app.as('acme')
  const operator = await operatorOf(app)

  await limit(app, { team }, { emails_per_day: 100, contacts: 5 })
  await limit(app, { team }, { contacts: null, webhooks: 0 })

  const { body } = await operator.get(`/operator/teams/${team}`)
  expect(body.limits).toMatchObject({ emails_per_day: 100, contacts: null, webhooks: 0, emails_per_month: null })
  for (const wrong of [{ contacts: -1 }, { domains: 1.5 }, { recipients_per_second: 0 }, { emails_per_day: 'many' }])
    expect((await operator.patch(`/operator/teams/${team}/limits`, wrong)).status).toBe(422)
})

test('the team of the installation itself is none that operators see', async () => {
  const app = await startApp()
  const operator = await operatorOf(app)
  const system = await app.services.systemTeam()

  for (const [method, path] of [
    ['get', ''],
    ['patch', '/limits'],
    ['post', '/unsuspend'],
  ] as const)
    expect((await operator[method](`/operator/teams/${system}${path}`, method === 'get' ? undefined : {})).status).toBe(
      404,
    )
})

test('a quota is refused with its name, and told in headers', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const mail = { from: 'a@acme.dev', to: 'ada@example.com', subject: 'Hello', text: 'Hello' }
  const before = await acme.post('/emails', mail)
  await limit(app, acme, { emails_per_day: 3, emails_per_month: 4 })

  const batch = await acme.post('/emails/batch', [mail, mail])
  const over = await acme.post('/emails', mail)
  app.clock.advance(86_400)
  const [next, overMonth] = [await acme.post('/emails', mail), await acme.post('/emails', mail)]

  expect(before.headers).toMatchObject({ 'x-resend-monthly-quota': '1' })
  expect(before.headers['x-resend-daily-quota']).toBeUndefined()
  expect(batch.status).toBe(200)
  expect(batch.headers).toMatchObject({ 'x-resend-daily-quota': '3', 'x-resend-monthly-quota': '3' })
  expect(over.body).toMatchObject({ statusCode: 429, name: 'daily_quota_exceeded' })
  expect(over.headers['x-resend-daily-quota']).toBe('3')
  const isSameMonth = app.clock.now().getUTCDate() !== 1
  if (!isSameMonth) return
  expect(next.status).toBe(200)
  expect(overMonth.body).toMatchObject({ statusCode: 429, name: 'monthly_quota_exceeded' })
})

test('a request that was answered gets its answer again when the quota is used up', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await limit(app, acme, { emails_per_day: 1 })
  const send = (key: string) =>
    acme.post('/emails', { from: 'a@acme.dev', to: 'a@b.dev', subject: 'Hi', text: 'Hi' }, { 'idempotency-key': key })

  const [first, again, other] = [await send('one'), await send('one'), await send('two')]

  expect(again.body).toEqual(first.body)
  expect(other.body.name).toBe('daily_quota_exceeded')
})

test('too many recipients a second are refused, and told when to come back', async () => {
  holdSteadyTime()
  const app = await startApp()
  const acme = await app.as('acme')
  await limit(app, acme, { recipients_per_second: 1 })
  const send = () => acme.post('/emails', { from: 'a@acme.dev', to: ['a@b.dev', 'c@b.dev'], subject: 'Hi', text: 'Hi' })

  const replies = [await send(), await send()]

  expect(replies[0]!.status).toBe(200)
  expect(replies[1]!.body).toMatchObject({ statusCode: 429, name: 'rate_limit_exceeded' })
  expect(Number(replies[1]!.headers['retry-after'])).toBeGreaterThanOrEqual(1)
})

test('no more contacts, domains and webhooks than the limit, however many ask at once', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await limit(app, acme, { contacts: 2, domains: 1, webhooks: 1 })
  const crowd = (path: string, body: (n: number) => object) =>
    Promise.all(Array.from({ length: 6 }, (_, n) => acme.post(path, body(n))))

  const contacts = await crowd('/contacts', (n) => ({ email: `user${n}@example.com` }))
  const domains = await crowd('/domains', () => domainNamed(freshName()))
  const webhooks = await crowd('/webhooks', () => ({ endpoint: 'https://example.com/', events: ['email.sent'] }))

  const made = [contacts, domains, webhooks].map((replies) => replies.filter(({ status }) => status === 201).length)
  expect(made).toEqual([2, 1, 1])
  const refused = [contacts, domains, webhooks].map((replies) => replies.find(({ status }) => status !== 201)!.body)
  expect(refused).toEqual([
    {
      statusCode: 403,
      name: 'validation_error',
      message: 'You have reached your contacts quota: this team can have 2 contacts.',
    },
    {
      statusCode: 403,
      name: 'validation_error',
      message: 'You have reached your domains quota: this team can have 1 domain.',
    },
    {
      statusCode: 403,
      name: 'validation_error',
      message: 'You have reached your webhooks quota: this team can have 1 webhook.',
    },
  ])
  // One that is there can be changed.
  const [{ id }] = (await acme.get('/contacts')).body.data
  expect((await acme.patch(`/contacts/${id}`, { first_name: 'Ada' })).status).toBe(200)
})

test('in a suspended team keys are refused, people look, and nothing is changed', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const owner = await app.person('acme', 'owner')
  await suspend(app, acme, 'Too many complaints.')

  const byKey = [await acme.get('/topics'), await acme.post('/emails', {})]
  const looking = await owner.get('/topics')
  const changing = await owner.post('/topics', { name: 'News' })
  const ofThemselves = await owner.get('/teams')
  await unsuspend(app, acme)

  expect(byKey.map(({ body }) => body)).toEqual(
    byKey.map(() => ({ statusCode: 403, message: 'This API key is suspended', name: 'suspended_api_key' })),
  )
  expect(looking.status).toBe(200)
  expect(changing.body).toMatchObject({ statusCode: 403, message: expect.stringContaining('Too many complaints.') })
  expect(ofThemselves.status).toBe(200)
  expect((await acme.get('/topics')).status).toBe(200)
})

test('the sandboxes of a suspended team are shut, too, and open again with it', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const globex = await app.as('globex')
  const { body: sandbox } = await acme.post('/sandboxes', {})
  const { body: other } = await globex.post('/sandboxes', {})
  const ask = async ({ api_key }: { api_key: string }) =>
    (await app.send({ url: '/topics', headers: { authorization: `Bearer ${api_key}` } })).body.name
  const logIn = () => app.handler.authenticate({ username: 'resend', password: sandbox.api_key }, PEER)

  await suspend(app, acme)
  const [shut, byMail, foreign] = [await ask(sandbox), await logIn(), await ask(other)]
  await unsuspend(app, acme)

  expect(shut).toBe('suspended_api_key')
  expect(byMail).toMatchObject({ code: 535, message: 'This API key is suspended' })
  expect(foreign).toBeUndefined()
  expect(await ask(sandbox)).toBeUndefined()
  expect(await logIn()).toMatchObject({ actor: { team: sandbox.id } })
})

test('a sandbox that is made while its team is being suspended is shut', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const backend = await openBackend()
  const [suspended, lookedAt] = [makeGate(), makeGate()]
  const suspending = app.db.transaction(async (trx) => {
    await setSuspension(trx, acme.team, { reason: 'Spam' })
    suspended.open()
    await lookedAt.opened
  })
  await suspended.opened

  const making = acme.post('/sandboxes', {})
  await backend.waiters()
  lookedAt.open()
  await suspending

  const { id } = (await making).body
  expect(await app.db.query(sql`select suspended_reason from teams where id = ${id}`)).toEqual([
    { suspended_reason: 'Spam' },
  ])
})

test('the sandboxes of a team that is about to be deleted are shut until it is restored', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const owner = await app.person('acme', 'owner')
  const { body: sandbox } = await acme.post('/sandboxes', {})
  const ask = async () =>
    (await app.send({ url: '/topics', headers: { authorization: `Bearer ${sandbox.api_key}` } })).status

  await owner.delete('/team')
  const shut = await ask()
  await owner.post('/team/restore')

  expect([shut, await ask()]).toEqual([403, 200])
})

test('suspending needs a fresh proof of who one is', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const operator = await operatorOf(app)
  app.clock.advance(3_600)

  const reply = await operator.post(`/operator/teams/${acme.team}/suspend`, { reason: 'Spam' })

  expect(reply.body.name).toBe('verification_required')
  expect((await acme.get('/topics')).status).toBe(200)
})

test('a suspended team cannot send by SMTP, and still receives', async () => {
  const app = await startApp()
  const { client: acme, domain } = await receivingTeam(app, 'acme')
  const login = () => app.handler.authenticate({ username: 'resend', password: acme.token }, PEER)
  const before = await login()
  await suspend(app, acme)

  const after = await login()
  const arrived = await arrive(app, RICH, { to: [`desk@${domain}`] })

  expect(before).not.toHaveProperty('code')
  expect(after).toEqual({ code: 535, enhanced: '5.7.8', message: 'This API key is suspended' })
  expect(arrived.kind).toBe('accepted')
})

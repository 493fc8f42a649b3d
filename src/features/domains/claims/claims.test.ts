import { describe, expect, test } from 'vitest'
import type { Client } from '../../../../test/harness/app.ts'
import { freshName, publish, startAppWithDns } from '../../../../test/harness/domains.ts'
import { findSender } from '../actions.ts'

const DAY = 24 * 3_600
const QUICK = { dkim: 'ed25519' }

/** Globex has a verified domain, and acme claims it. */
async function start(options: object = {}) {
  const app = await startAppWithDns()
  const [globex, acme] = [await app.as('globex'), await app.as('acme')]
  const name = freshName()
  const { body: owned } = await globex.post('/domains', { name, ...QUICK })
  publish(app.dns, owned)
  await globex.post(`/domains/${owned.id}/verify`)
  await app.after(60)
  const { status, body: claim } = await acme.post('/domains/claim', { name, ...QUICK, ...options })
  expect(status).toBe(201)
  const path = `/domains/${claim.domain_id}`
  return {
    app,
    globex,
    acme,
    name,
    owned,
    claim,
    path,
    prove: () => app.dns.set(name, { TXT: [[claim.record.value]] }),
    get: async () => (await acme.get(`${path}/claim`)).body,
  }
}

const eventsOf = async (client: Client) => (await client.events()).map(({ type, data }) => [type, data.id])

describe('claiming a domain', () => {
  test('says nothing about what the domain is for', async () => {
    const { acme, path } = await start({ capabilities: { sending: 'disabled', receiving: 'enabled' } })

    expect((await acme.get(path)).body.capabilities).toEqual({ sending: 'enabled', receiving: 'disabled' })
  })

  test('is said of the placeholder, and of no other domain', async () => {
    const { acme, globex, owned, path } = await start()

    expect((await acme.get(path)).body.is_claim).toBe(true)
    expect((await globex.get(`/domains/${owned.id}`)).body).not.toHaveProperty('is_claim')
  })

  test('asks for a proof, and shows a placeholder meanwhile', async () => {
    const { app, acme, globex, name, owned, claim, path } = await start({ region: 'eu-west-1' })

    expect(claim).toEqual({
      object: 'domain_claim',
      id: expect.any(String),
      name,
      status: 'pending',
      domain_id: expect.any(String),
      region: 'eu-west-1',
      record: {
        type: 'TXT',
        name,
        value: expect.stringMatching(/^resend-domain-verification=[0-9a-f]{32}$/),
        ttl: 'Auto',
      },
      blocked_reason: null,
      failure_reason: null,
      created_at: expect.any(String),
      expires_at: expect.any(String),
    })
    expect(Date.parse(claim.expires_at) - Date.parse(claim.created_at)).toBe(7 * DAY * 1_000)
    expect((await acme.get(`${path}/claim`)).body).toEqual(claim)

    const { body: placeholder } = await acme.get(path)
    expect(placeholder).toMatchObject({ name, status: 'not_started' })
    expect(placeholder.records.at(-2).value).not.toBe(owned.records.at(-2).value)
    expect(await findSender(app.db, acme.team, name)).toBeUndefined()
    expect((await acme.post(`${path}/verify`)).body).toMatchObject({ statusCode: 422, name: 'validation_error' })
    expect((await globex.get(`/domains/${owned.id}`)).body.status).toBe('verified')
  })

  test('moves it once the proof is in the DNS', async () => {
    const { app, acme, globex, name, owned, claim, path, prove, get } = await start()
    expect((await acme.post(`${path}/claim/verify`)).body).toEqual(claim)
    await app.after(60)
    expect(await get()).toEqual(claim)

    prove()
    await app.after(120)

    expect(await get()).toEqual({ ...claim, status: 'completed' })
    expect((await globex.get(`/domains/${owned.id}`)).status).toBe(404)
    expect(await findSender(app.db, globex.team, name)).toBeUndefined()
    expect((await eventsOf(globex)).at(-1)).toEqual(['domain.deleted', owned.id])
    expect((await globex.get('/audit-events?limit=1')).body.data).toMatchObject([
      { action: 'domains.lost', object_id: owned.id, details: { name } },
    ])
    expect(await eventsOf(acme)).toEqual([
      ['domain.created', claim.domain_id],
      ['domain.updated', claim.domain_id],
    ])

    const { body: moved } = await acme.get(path)
    expect(moved).toMatchObject({ name, status: 'not_started' })
    publish(app.dns, moved)
    expect((await acme.post(`${path}/verify`)).status).toBe(200)
    await app.after(60)
    expect(await findSender(app.db, acme.team, name)).toMatchObject({ id: claim.domain_id, canSend: true })
  })

  test('ends the keys of the former owner that were bound to it', async () => {
    const { app, acme, globex, owned, path, prove } = await start()
    const { body: key } = await globex.post('/api-keys', {
      name: 'bound',
      permission: 'sending_access',
      domain_id: owned.id,
    })
    prove()

    await acme.post(`${path}/claim/verify`)
    await app.after(60)

    expect((await globex.delete(`/api-keys/${key.id}`)).status).toBe(404)
  })

  test('waits until the owner has no scheduled mail from it', async () => {
    const { app, acme, globex, name, owned, path, prove, get } = await start()
    const { body: email } = await globex.post('/emails', {
      from: `news@${name}`,
      to: 'ada@example.com',
      subject: 'Later',
      html: '<p>Hello</p>',
      scheduled_at: 'in 5 days',
    })
    prove()
    await acme.post(`${path}/claim/verify`)
    await app.after(60)

    expect(await get()).toMatchObject({ status: 'blocked', blocked_reason: 'pending_scheduled_emails' })
    expect((await globex.get(`/domains/${owned.id}`)).status).toBe(200)

    expect((await globex.post(`/emails/${email.id}/cancel`)).status).toBe(200)
    await app.after(DAY)
    expect(await get()).toMatchObject({ status: 'completed', blocked_reason: null })
  })

  test('expires after seven days, and can begin again', async () => {
    const { app, acme, name, claim, path, prove, get } = await start()
    await app.after(6 * DAY)
    expect(await get()).toMatchObject({ status: 'pending' })

    await app.after(DAY + 60)
    prove()
    expect(await get()).toEqual({ ...claim, status: 'expired', domain_id: null })
    expect((await acme.post(`${path}/claim/verify`)).body).toMatchObject({ status: 'expired' })
    await app.after(60)
    expect((await acme.get(path)).status).toBe(404)

    expect((await acme.post('/domains/claim', { name, ...QUICK })).body).toMatchObject({ status: 'pending' })
  })

  test('is given up by deleting the placeholder', async () => {
    const { app, acme, globex, owned, claim, path, prove, get } = await start()
    await acme.delete(path)
    prove()
    await acme.post(`${path}/claim/verify`)
    await app.after(60)

    expect(await get()).toEqual({ ...claim, status: 'canceled', domain_id: null })
    expect((await globex.get(`/domains/${owned.id}`)).status).toBe(200)
  })

  test('twice in the same way is one claim; in another way it takes the place of the first', async () => {
    const { acme, name, claim, get } = await start()

    const again = await acme.post('/domains/claim', { name: name.toUpperCase(), ...QUICK })
    const { body: other } = await acme.post('/domains/claim', { name, custom_return_path: 'bounces', ...QUICK })

    expect([again.status, again.body]).toEqual([200, claim])
    expect(other).toMatchObject({ status: 'pending', name })
    expect(other.id).not.toBe(claim.id)
    expect(other.record.value).not.toBe(claim.record.value)
    expect(await get()).toEqual({ ...claim, status: 'superseded', domain_id: null })
    expect((await acme.get('/domains')).body.data.map(({ id }: { id: string }) => id)).toEqual([other.domain_id])
  })

  test('can be tried by several teams; the one with the proof gets it, from whoever has it', async () => {
    const { app, acme, globex, name, claim, path, prove } = await start()
    const initech = await app.as('initech')
    const { body: second } = await initech.post('/domains/claim', { name, ...QUICK })
    prove()
    await acme.post(`${path}/claim/verify`)
    await initech.post(`/domains/${second.domain_id}/claim/verify`)
    await app.after(60)
    expect(await findSender(app.db, acme.team, name)).toMatchObject({ id: claim.domain_id })

    app.dns.set(name, { TXT: [['unrelated'], [second.record.value]] })
    await app.after(300)

    expect((await initech.get(`/domains/${second.domain_id}/claim`)).body.status).toBe('completed')
    expect(await findSender(app.db, acme.team, name)).toBeUndefined()
    expect(await findSender(app.db, globex.team, name)).toBeUndefined()
    expect(await findSender(app.db, initech.team, name)).toMatchObject({ id: second.domain_id })
  })

  test('that its owner has deleted meanwhile still needs the proof', async () => {
    const { app, acme, globex, name, owned, claim, path, prove } = await start()
    await globex.delete(`/domains/${owned.id}`)
    await acme.post(`${path}/claim/verify`)
    await app.after(60)
    expect(await findSender(app.db, acme.team, name)).toBeUndefined()

    prove()
    await app.after(120)

    expect(await findSender(app.db, acme.team, name)).toMatchObject({ id: claim.domain_id })
  })

  test('is refused for one that nobody has, for one that is ours, and for what is no domain', async () => {
    const { globex, name } = await start()

    const replies = await Promise.all(
      [freshName(), name, 'nonsense'].map((one) => globex.post('/domains/claim', { name: one, ...QUICK })),
    )

    expect(replies.map(({ body }) => [body.statusCode, body.name])).toEqual(Array(3).fill([422, 'validation_error']))
  })

  test('is nobody else’s business', async () => {
    const { globex, path, get } = await start()

    expect((await globex.get(`${path}/claim`)).body).toMatchObject({
      statusCode: 404,
      message: 'Domain claim not found',
    })
    expect((await globex.post(`${path}/claim/verify`)).status).toBe(404)
    expect((await globex.delete(path)).status).toBe(404)
    expect(await get()).toMatchObject({ status: 'pending' })
  })
})

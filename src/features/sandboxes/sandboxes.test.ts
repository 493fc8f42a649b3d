import { describe, expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { SIMPLE, sendEmail } from '../../../test/harness/emails.ts'
import { newId } from '../../../test/harness/ids.ts'
import { ACTORS } from '../../../test/harness/roles.ts'
import { sweep } from '../../../test/harness/sandboxes.ts'
import { sql } from '../../kernel/db/sql.ts'
import { MOST_OPEN } from './actions.ts'

const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400]

describe('creating a sandbox', () => {
  test('makes a team of its own, with a key, a verified domain and an end', async () => {
    const app = await startApp()
    const acme = await app.as('acme')

    const { status, body } = await acme.post('/sandboxes', { name: 'sign-up', seed: 7 })

    expect(status).toBe(201)
    expect(body).toEqual({
      object: 'sandbox',
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8/),
      name: 'sign-up',
      seed: '7',
      domain: `${body.id}.sandbox.test`,
      now: app.clock.now().toISOString(),
      created_at: app.clock.now().toISOString(),
      expires_at: new Date(app.clock.now().getTime() + HOUR * 1_000).toISOString(),
      api_key: expect.stringMatching(/^re_/),
      smtp: { host: '127.0.0.1', port: app.config.SMTP_PORT, user: 'resend', password: body.api_key },
    })
    const { api_key: _key, smtp: _smtp, ...shown } = body
    expect((await acme.get(`/sandboxes/${body.id}`)).body).toEqual(shown)
    const { object: _object, ...item } = shown
    expect((await acme.get('/sandboxes')).body.data).toEqual([item])
  })

  test('gives it a domain that sends, receives and tracks', async () => {
    const app = await startApp()
    const sandbox = await app.sandboxOf(await app.as('acme'))

    const { data } = (await sandbox.get('/domains')).body
    expect(data).toMatchObject([
      { name: sandbox.domain, status: 'verified', open_tracking: true, click_tracking: true },
    ])
    const { body: domain } = await sandbox.get(`/domains/${data[0].id}`)
    expect(new Set(domain.records.map(({ status }: { status: string }) => status))).toEqual(new Set(['verified']))
    expect(domain.capabilities).toEqual({ sending: 'enabled', receiving: 'enabled' })
    expect(await sendEmail(sandbox, { from: `hello@${sandbox.domain}` })).toBeTruthy()
  })

  test('lets it last as long as somebody says, up to seven days', async () => {
    const app = await startApp()
    const acme = await app.as('acme')
    const lasting = async (expires_in: unknown) => {
      const { body } = await acme.post('/sandboxes', { expires_in })
      return (Date.parse(body.expires_at) - Date.parse(body.created_at)) / 1_000
    }

    expect(await lasting(90)).toBe(90)
    expect(await lasting('2 hours and 30 minutes')).toBe(2.5 * HOUR)
    expect(await lasting('7 days')).toBe(7 * DAY)
    for (const bad of [0, -1, 1.5, 7 * DAY + 1, '8 days', '0 seconds', 'soon', '', '1 fortnight', true, [60], {}])
      expect([bad, (await acme.post('/sandboxes', { expires_in: bad })).body]).toEqual([
        bad,
        { statusCode: 422, name: 'validation_error', message: expect.stringContaining('`expires_in`') },
      ])
  })

  test.each([{ name: '' }, { name: 'x'.repeat(101) }, { name: 7 }, { seed: 1.5 }, { seed: '' }, { seed: {} }, []])(
    'refuses %j',
    async (body) => {
      const app = await startApp()

      expect((await (await app.as('acme')).post('/sandboxes', body)).status).toBe(422)
    },
  )

  test('is for teams, not for sandboxes, and for keys that may do everything', async () => {
    const app = await startApp()
    const [acme, sender] = [await app.as('acme'), await app.as('acme', 'sending_access')]
    const sandbox = await app.sandboxOf(acme)

    const refusal = { name: 'invalid_permission', message: expect.stringContaining('A sandbox cannot make sandboxes.') }
    expect((await sandbox.post('/sandboxes')).body).toMatchObject(refusal)
    expect((await acme.post(`/sandboxes/${sandbox.team}/sandboxes`)).body).toMatchObject(refusal)
    expect((await sender.post('/sandboxes')).body.name).toBe('restricted_api_key')
  })

  test('is for where nothing leaves, unless a setting says otherwise', async () => {
    const relay = { POSTWREN_DELIVERY: 'relay', POSTWREN_RELAY_URL: 'smtp://127.0.0.1:1' }
    const create = async (settings: Record<string, string>) =>
      (await (await (await startApp(settings)).as('acme')).post('/sandboxes')).body

    const refusal = { statusCode: 404, message: expect.stringContaining('POSTWREN_SANDBOXES') }
    expect(await create(relay)).toMatchObject(refusal)
    expect(await create({ POSTWREN_SANDBOXES: 'off' })).toMatchObject(refusal)
    expect(await create({ ...relay, POSTWREN_SANDBOXES: 'on' })).toMatchObject({ object: 'sandbox' })
  })

  test('has a limit for each team', async () => {
    const app = await startApp()
    const [acme, globex] = [await app.as('acme'), await app.as('globex')]
    const own = await app.sandboxOf(acme)
    await app.db.query(sql`
      with made as (
        insert into teams (id, name, is_sandbox, created_at)
        select gen_random_uuid(), 'filler ' || ${acme.team}::text || number, true, ${app.clock.now()}
        from generate_series(2, ${MOST_OPEN}::int) number returning id)
      insert into sandboxes (team_id, id, seed, created_at, expires_at)
      select ${acme.team}, id, 'x', ${app.clock.now()}, ${new Date(app.clock.now().getTime() + HOUR * 1_000)} from made`)

    expect((await acme.post('/sandboxes')).body).toMatchObject({
      statusCode: 403,
      message: expect.stringContaining('A team can have 2000 sandboxes at a time.'),
    })
    expect((await globex.post('/sandboxes')).status).toBe(201)
    await acme.delete(`/sandboxes/${own.team}`)
    expect((await acme.post('/sandboxes')).status).toBe(201)
  })
})

describe('a sandbox', () => {
  test('is seen by those who made it and by itself, without its secrets', async () => {
    const app = await startApp()
    const [acme, globex] = [await app.as('acme'), await app.as('globex')]
    const [sandbox, other] = [await app.sandboxOf(acme), await app.sandboxOf(acme)]
    const path = `/sandboxes/${sandbox.team}`

    expect((await acme.get('/sandboxes')).body.data.map(({ id }: { id: string }) => id)).toEqual([
      other.team,
      sandbox.team,
    ])
    expect((await sandbox.get('/sandboxes')).body.data).toMatchObject([{ id: sandbox.team }])
    expect((await sandbox.get(path)).body.id).toBe(sandbox.team)
    expect((await acme.get(path)).text).not.toContain('re_')
    for (const stranger of [globex, other])
      for (const reply of [await stranger.get(path), await stranger.delete(path)]) expect(reply.status).toBe(404)
    expect((await acme.delete(`/sandboxes/${acme.team}`)).status).toBe(404)
    expect((await sandbox.delete(path)).body).toEqual({ object: 'sandbox', id: sandbox.team, deleted: true })
    expect((await acme.get(path)).status).toBe(404)
  })

  test('ends at once when it is deleted: nobody acts in it any more', async () => {
    const app = await startApp()
    const acme = await app.as('acme')
    const sandbox = await app.sandboxOf(acme)
    await sendEmail(sandbox)

    await acme.delete(`/sandboxes/${sandbox.team}`)

    expect((await sandbox.get('/emails')).body.name).toBe('invalid_api_key')
    expect((await acme.get(`/sandboxes/${sandbox.team}/emails`)).body.message).toBe('Sandbox not found')
    expect((await acme.get('/sandboxes')).body.data).toEqual([])
  })

  test('ends when its time is over', async () => {
    const app = await startApp()
    const acme = await app.as('acme')
    const sandbox = await app.sandboxOf(acme, { expires_in: '10 minutes' })

    app.clock.advance(10 * MINUTE - 6)
    await sweep(app)
    expect((await sandbox.get('/emails')).status).toBe(200)
    app.clock.advance(1)
    expect((await acme.get('/sandboxes')).body.data).toEqual([])
    expect((await acme.get(`/sandboxes/${sandbox.team}/emails`)).status).toBe(404)
    await sweep(app)

    // Whoever was let in a moment ago is known for less than a second.
    await expect.poll(async () => (await sandbox.get('/emails')).body.name).toBe('invalid_api_key')
  })

  test('is no team for those who look at teams', async () => {
    const app = await startApp()
    const acme = await app.as('acme')
    const sandbox = await app.sandboxOf(acme)
    const owner = await app.ownerOf(acme)

    const { body } = await owner.get('/operator/teams?limit=100')
    expect(body.data.map(({ id }: { id: string }) => id)).toContain(acme.team)
    expect(body.data.map(({ id }: { id: string }) => id)).not.toContain(sandbox.team)
    expect((await owner.get(`/operator/teams/${sandbox.team}`)).status).toBe(404)
  })
})

describe('below the path of a sandbox', () => {
  test('is the whole API, for the key of its team and for its own', async () => {
    const app = await startApp()
    const acme = await app.as('acme')
    const sandbox = await app.sandboxOf(acme)
    const at = `/sandboxes/${sandbox.team}`

    const { body: sent } = await acme.post(`${at}/emails`, SIMPLE)
    const { body: topic } = await sandbox.post(`${at}/topics`, { name: 'News' })

    expect((await sandbox.get(`/emails/${sent.id}`)).body.id).toBe(sent.id)
    expect((await acme.get(`${at}/topics/${topic.id}`)).body.name).toBe('News')
    expect(
      (await acme.get(`${at.toUpperCase().replace('/SANDBOXES', '/sandboxes')}/emails?limit=1`)).body.data,
    ).toHaveLength(1)
    expect((await acme.get('/emails')).body.data).toEqual([])
    expect((await acme.get('/topics')).body.data).toEqual([])
  })

  test('a request is in the log of the sandbox, under the path of its endpoint', async () => {
    const app = await startApp()
    const acme = await app.as('acme')
    const sandbox = await app.sandboxOf(acme)
    await acme.post(`/sandboxes/${sandbox.team}/emails`, SIMPLE)
    await app.flush()

    expect((await sandbox.get('/logs')).body.data).toMatchObject([{ endpoint: '/emails', method: 'POST' }])
    const logged = (await acme.get('/logs')).body.data.map(({ endpoint }: { endpoint: string }) => endpoint)
    expect(logged).toEqual(['/sandboxes'])
    const [creation] = (await acme.get('/logs')).body.data
    expect((await acme.get(`/logs/${creation.id}`)).text).not.toContain(sandbox.token)
  })

  test('others find nothing, and nothing else is there', async () => {
    const app = await startApp()
    const [acme, globex] = [await app.as('acme'), await app.as('globex')]
    const [sandbox, other] = [await app.sandboxOf(acme), await app.sandboxOf(globex)]
    const at = `/sandboxes/${sandbox.team}`

    for (const stranger of [globex, other])
      expect((await stranger.get(`${at}/emails`)).body).toMatchObject({ statusCode: 404, message: 'Sandbox not found' })
    for (const id of [acme.team, newId(), newId().replace(/^(.{14})7/, '$18')])
      expect((await acme.get(`/sandboxes/${id}/emails`)).body.message).toBe('Sandbox not found')
    expect((await app.send({ url: `${at}/emails` })).body.name).toBe('missing_api_key')
    for (const path of [
      `${at}/nothing`,
      `${at}${at}/emails`,
      `/sandboxes/${encodeURIComponent(`${sandbox.team}/`)}emails`,
      `${at}%2Femails`,
      `${at}/health`,
      `${at}/dashboard/session`,
      `${at}/.well-known/oauth-authorization-server`,
      `/sandboxes/${sandbox.team.slice(1)}/emails`,
      `/sandboxes/${'x'.repeat(3_000)}/emails`,
      `/sandboxes//emails`,
    ])
      expect([path, (await acme.get(path)).status]).toEqual([path, path.includes('%2F') ? 422 : 404])
    expect((await acme.get(`${at}//emails`)).status).toBe(200)
    expect((await acme.get(`${at}/?limit=1`)).body.id).toBe(sandbox.team)
    expect((await acme.post(`${at}/emails/x`)).status).toBe(405)
  })

  test('nobody may more than at home', async () => {
    const app = await startApp()
    const [acme, sender] = [await app.as('acme'), await app.as('acme', 'sending_access')]
    const sandbox = await app.sandboxOf(acme)
    const [viewer, owner] = [await app.person('acme', 'viewer'), await app.person('acme', 'owner')]
    const at = `/sandboxes/${sandbox.team}`
    const { body: domain } = await acme.post('/domains', { name: `${newId()}.example`, dkim: 'ed25519' })
    const bound = { name: 'bound', permission: 'sending_access', domain_id: domain.id }
    const { body: key } = await acme.post('/api-keys', bound)

    expect((await sender.post(`${at}/emails`, SIMPLE)).status).toBe(200)
    expect((await sender.get(`${at}/emails`)).body.name).toBe('restricted_api_key')
    const withBoundKey = { headers: { authorization: `Bearer ${key.token}` } }
    expect(
      (await app.send({ ...withBoundKey, method: 'POST', url: `${at}/emails`, payload: SIMPLE })).body,
    ).toMatchObject({
      name: 'restricted_api_key',
      message: expect.stringContaining('bound to a domain'),
    })
    expect((await viewer.get(`${at}/emails`)).status).toBe(200)
    expect((await viewer.post(`${at}/topics`, { name: 'News' })).body.name).toBe('invalid_permission')
    expect((await viewer.post('/sandboxes')).body.name).toBe('invalid_permission')
    expect((await owner.post(`${at}/topics`, { name: 'News' })).status).toBe(201)
  })

  test('a program that somebody has let in acts in a sandbox within its scope', async () => {
    const app = await startApp()
    const open = async (actor: string) => {
      const caller = await ACTORS[actor]!(app)
      const made = await caller.send({ method: 'POST', url: '/sandboxes' })
      if (made.status !== 201) return made.body.name
      return (await caller.send({ method: 'GET', url: `/sandboxes/${made.body.id}/emails` })).status
    }

    expect(await open('program of an owner')).toBe(200)
    expect(await open('program of an owner for sending')).toBe('invalid_permission')
    expect(await open('program of a viewer')).toBe('invalid_permission')
  })

  test('whoever looks for sandboxes of others is counted, as for everything else', async () => {
    const app = await startApp({ POSTWREN_RATE_LIMIT: '5' })
    const acme = await app.as('acme')
    const unknown = newId().replace(/^(.{14})7/, '$18')

    const replies = await Promise.all(Array.from({ length: 12 }, () => acme.get(`/sandboxes/${unknown}/emails`)))

    expect(replies.map(({ status }) => status)).toContain(429)
  })

  test('people stay at home: a sandbox has no members, and is no team to delete', async () => {
    const app = await startApp()
    const acme = await app.as('acme')
    const sandbox = await app.sandboxOf(acme)
    const owner = await app.ownerOf(acme)
    const at = `/sandboxes/${sandbox.team}`

    for (const reply of [
      await owner.post(`${at}/invitations`, { email: 'grace@example.org', role: 'owner' }),
      await owner.delete(`${at}/team`),
      await owner.patch(`${at}/team`, { name: 'Mine' }),
      await owner.get(`${at}/operator/teams`),
    ])
      expect(reply.body.name).toBe('invalid_permission')
  })

  test('what the key of its team has scheduled is sent, although the key is not of the sandbox', async () => {
    const app = await startApp()
    const acme = await app.as('acme')
    const sandbox = await app.sandboxOf(acme, { expires_in: '1 day' })
    const { body } = await acme.post(`/sandboxes/${sandbox.team}/emails`, { ...SIMPLE, scheduled_at: 'in 1 min' })

    app.clock.advance(2 * MINUTE)
    await app.deliverDue()

    expect((await sandbox.get(`/emails/${body.id}`)).body.last_event).toBe('delivered')
  })
})

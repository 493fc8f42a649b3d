import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { sql } from '../../../kernel/db/sql.ts'

const MINUTE = 60

test('everybody sees who is in the team, and as what', async () => {
  const app = await startApp()
  const [owner, viewer] = [await app.person('acme', 'owner'), await app.person('acme', 'viewer')]
  await app.person('globex', 'owner')

  const { data } = (await viewer.get('/members')).body

  expect(data).toMatchObject([
    { id: viewer.userId, email: viewer.email, name: '', role: 'viewer' },
    { id: owner.userId, email: owner.email, role: 'owner' },
  ])
})

test('a role counts from the next request on', async () => {
  const app = await startApp()
  const [admin, viewer] = [await app.person('acme', 'admin'), await app.person('acme', 'viewer')]
  expect((await viewer.post('/topics', { name: 'News' })).status).toBe(403)

  expect((await admin.patch(`/members/${viewer.userId}`, { role: 'developer' })).status).toBe(200)

  expect((await viewer.post('/topics', { name: 'News' })).status).toBe(201)
  expect((await viewer.patch(`/members/${admin.userId}`, { role: 'viewer' })).body.name).toBe('invalid_permission')
  expect((await admin.patch(`/members/${viewer.userId}`, { role: 'king' })).status).toBe(422)
})

test('admins leave owners alone, and make none', async () => {
  const app = await startApp()
  const [owner, admin] = [await app.person('acme', 'owner'), await app.person('acme', 'admin')]

  for (const reply of [
    await admin.patch(`/members/${owner.userId}`, { role: 'viewer' }),
    await admin.patch(`/members/${admin.userId}`, { role: 'owner' }),
    await admin.delete(`/members/${owner.userId}`),
  ])
    expect(reply.body.name).toBe('invalid_permission')
})

test('who changes who owns the team has proven a moment ago who they are', async () => {
  const app = await startApp()
  const [owner, admin] = [await app.person('acme', 'owner'), await app.person('acme', 'admin')]
  app.clock.advance(11 * MINUTE)

  expect((await owner.patch(`/members/${admin.userId}`, { role: 'owner' })).body.name).toBe('verification_required')
  expect((await owner.patch(`/members/${admin.userId}`, { role: 'developer' })).status).toBe(200)
})

test('the last owner stays, also when two remove each other at once', async () => {
  const app = await startApp()
  const [ada, bob] = [await app.person('acme', 'owner'), await app.person('acme', 'owner')]

  const both = await Promise.all([
    ada.patch(`/members/${bob.userId}`, { role: 'admin' }),
    bob.delete(`/members/${ada.userId}`),
  ])
  const { data } = (await (await app.as('acme')).get('/members')).body

  expect(data.filter(({ role }: { role: string }) => role === 'owner')).toHaveLength(1)
  expect(both.filter(({ status }) => status === 200)).toHaveLength(1)
  const last = both[0]!.status === 200 ? ada : bob
  expect((await last.post(`/teams/${last.team}/leave`)).body.message).toMatch(/^A team needs an owner/)
  expect((await last.patch(`/members/${last.userId}`, { role: 'viewer' })).status).toBe(422)
})

test('who is removed is out of the team and stays signed in', async () => {
  const app = await startApp()
  const [admin, viewer] = [await app.person('acme', 'admin'), await app.person('acme', 'viewer')]
  expect((await viewer.get('/topics')).status).toBe(200)
  await app.db.query(sql`
    insert into oauth_grants (team_id, id, user_id, client_id, client_name, scopes, created_at)
    values (${viewer.team}, gen_random_uuid(), ${viewer.userId}, 'cli', 'CLI', '{full_access}', now())`)

  expect((await admin.delete(`/members/${viewer.userId}`)).body).toMatchObject({ object: 'member', deleted: true })

  expect((await viewer.get('/topics')).body.message).toBe('You are not a member of this team.')
  expect((await viewer.get('/dashboard/session')).body).toMatchObject({ team: null, teams: [], access: ['person'] })
  expect((await admin.delete(`/members/${viewer.userId}`)).status).toBe(404)
  expect(
    await app.db.query(sql`select revoked_reason as reason from oauth_grants where user_id = ${viewer.userId}`),
  ).toEqual([{ reason: 'membership_ended' }])
})

test('the next page begins with the team that was chosen last', async () => {
  const app = await startApp()
  const [ada, globex] = [await app.person('acme', 'viewer'), await app.as('globex')]
  const { id } = (await ada.post('/teams', { name: `Ada's ${ada.userId}` })).body

  const shown = async () => (await ada.get('/dashboard/session', { 'x-postwren-team': '' })).body.team.id
  expect(await shown()).toBe(ada.team)
  expect((await ada.patch('/dashboard/session', { team: globex.team })).status).toBe(403)
  expect((await ada.patch('/dashboard/session', { team: 'x' })).status).toBe(422)
  expect((await ada.patch('/dashboard/session', { team: id })).status).toBe(200)

  await expect.poll(shown).toBe(id)
})

test('anybody may go by themselves', async () => {
  const app = await startApp()
  const viewer = await app.person('acme', 'viewer')

  const leave = () => viewer.post(`/teams/${viewer.team}/leave`, {}, { 'x-postwren-team': '' })
  expect((await leave()).body).toEqual({ object: 'member', id: viewer.userId, deleted: true })
  expect((await leave()).body.message).toBe('Team not found')
})

test('members of other teams are out of reach', async () => {
  const app = await startApp()
  const [ada, stranger] = [await app.person('acme', 'owner'), await app.person('globex', 'viewer')]

  expect((await ada.patch(`/members/${stranger.userId}`, { role: 'admin' })).status).toBe(404)
  expect((await ada.delete(`/members/${stranger.userId}`)).status).toBe(404)
})

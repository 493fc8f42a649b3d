import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'

const unique = (name: string) => `${name} ${Math.random().toString(36).slice(2)}`

test('whoever makes a team owns it, and goes on in it', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'viewer')
  const name = unique('Globex')

  const { status, body } = await ada.post('/teams', { name })

  expect([status, body.object]).toEqual([201, 'team'])
  expect((await ada.get('/teams')).body.data).toMatchObject([
    { id: body.id, name, role: 'owner', delete_at: null },
    { id: ada.team, role: 'viewer' },
  ])
  const inside = { 'x-postwren-team': body.id }
  expect((await ada.get('/team', inside)).body).toMatchObject({ object: 'team', name, hides_content: false })
  expect((await ada.post('/topics', { name: 'News' }, inside)).status).toBe(201)
  expect((await ada.get('/topics')).body.data).toEqual([])
})

test('no two teams have one name, and every name can be read', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const name = unique('Globex')
  await ada.post('/teams', { name })

  const taken = { name: 'validation_error', message: `There is a team with the name “${name}” already.` }
  expect((await ada.post('/teams', { name })).body).toMatchObject(taken)
  expect((await ada.patch('/team', { name })).body).toMatchObject(taken)
  for (const bad of ['', ' ', ' a', 'a ', 'a\nb', 'a\u0001', '\u0085', 'x'.repeat(101)])
    expect([bad, (await ada.post('/teams', { name: bad })).status]).toEqual([bad, 422])
  expect((await ada.post('/teams', { name: unique('Gl 🐦 öbex') })).status).toBe(201)
})

test('one person owns twenty teams at most, however fast they make them', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'viewer')

  const made = await Promise.all(Array.from({ length: 23 }, () => ada.post('/teams', { name: unique('T') })))

  expect(made.filter(({ status }) => status === 201)).toHaveLength(20)
  expect(made.find(({ status }) => status !== 201)!.body.message).toBe('You can own up to 20 teams.')
})

test('a team is renamed, and hides messages from viewers', async () => {
  const app = await startApp()
  const [admin, viewer] = [await app.person('acme', 'admin'), await app.person('acme', 'viewer')]
  const name = unique('Acme')

  expect((await viewer.get('/dashboard/session')).body.access).toContain('content')
  expect((await admin.patch('/team', { name, hides_content: true })).body).toEqual({ object: 'team', id: admin.team })

  expect((await viewer.get('/team')).body).toMatchObject({ name, hides_content: true })
  expect((await viewer.get('/dashboard/session')).body.access).not.toContain('content')
  expect((await viewer.patch('/team', { hides_content: false })).body.name).toBe('invalid_permission')
})

test('teams are of people: a key reads its own and makes none', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  expect((await acme.get('/team')).body.id).toBe(acme.team)
  for (const reply of [await acme.get('/teams'), await acme.post('/teams', { name: 'x' }), await acme.delete('/team')])
    expect(reply.body).toMatchObject({ name: 'invalid_permission', message: expect.stringContaining('Only people') })
})

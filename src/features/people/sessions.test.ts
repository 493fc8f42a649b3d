import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { sql } from '../../kernel/db/sql.ts'

test('people do in a team what their role allows', async () => {
  const app = await startApp()
  const [developer, viewer] = [await app.person('acme', 'developer'), await app.person('acme', 'viewer')]

  expect((await developer.post('/topics', { name: 'News' })).status).toBe(201)
  expect((await viewer.get('/topics')).body.data).toHaveLength(1)
  expect((await viewer.post('/topics', { name: 'News' })).body).toEqual({
    statusCode: 403,
    message: 'Your role in this team does not allow this.',
    name: 'invalid_permission',
  })
})

test('viewers read messages unless the team says otherwise', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body: email } = await acme.post('/emails', {
    from: 'me@example.com',
    to: 'ada@example.org',
    subject: 'Hello',
    text: 'Hello',
  })
  const [before, developer] = [await app.person('acme', 'viewer'), await app.person('acme', 'developer')]
  expect((await before.get(`/emails/${email.id}`)).status).toBe(200)

  await app.db.query(sql`update teams set hides_content = true where id = ${acme.team}`)
  const after = await app.person('acme', 'viewer')

  expect((await after.get(`/emails/${email.id}`)).body.name).toBe('invalid_permission')
  expect((await developer.get(`/emails/${email.id}`)).status).toBe(200)
})

test('a person acts in the team that the page names, if it is theirs', async () => {
  const app = await startApp()
  const [ada, globex] = [await app.person('acme', 'owner'), await app.as('globex')]

  const foreign = await ada.get('/topics', { 'x-postwren-team': globex.team })

  expect(foreign.body).toMatchObject({ name: 'invalid_permission', message: 'You are not a member of this team.' })
})

test('the page learns who is signed in, and what they may do', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'viewer')

  const { body } = await ada.get('/dashboard/session')

  expect(body).toMatchObject({ user: { email: ada.email }, key: null, role: 'viewer', team: { id: ada.team } })
  expect(body.access.sort()).toEqual(['content', 'person', 'read'])
})

test('a session ends where it is ended', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'viewer')

  await ada.delete('/dashboard/session')

  expect((await ada.get('/topics')).status).toBe(401)
})

import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { addThread, makeInbox } from '../../../../test/harness/inboxes.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { sweepViewers } from './endpoints.ts'

async function startWithThread() {
  const app = await startApp()
  const acme = await app.as('acme')
  const inbox = await makeInbox(acme)
  const { id } = await addThread(app, inbox)
  const [ada, bob] = [await app.person('acme', 'developer'), await app.person('acme', 'viewer')]
  return { app, acme, ada, bob, inbox, path: `${inbox.path}/threads/${id}/viewers` }
}

test('viewers of a thread see who else views it and who replies', async () => {
  const { acme, ada, bob, path } = await startWithThread()

  await ada.post(path, { state: 'viewing' })
  const { body } = await bob.post(path, { state: 'replying' })

  const both = [
    { email: ada.email, name: expect.anything(), state: 'viewing' },
    { email: bob.email, name: expect.anything(), state: 'replying' },
  ].sort((one, other) => (one.email < other.email ? -1 : 1))
  expect(body.data).toMatchObject(both.map(({ email, state }) => ({ email, state })))
  expect((await acme.get(path)).body.data).toHaveLength(2)
})

test('a viewer who leaves is removed at once, and one without renewals expires', async () => {
  const { app, ada, bob, path } = await startWithThread()
  await ada.post(path, { state: 'replying' })
  await bob.post(path, { state: 'viewing' })

  await bob.delete(path)
  expect((await ada.get(path)).body.data).toMatchObject([{ email: ada.email, state: 'replying' }])
  app.clock.advance(20)
  // Another tab of the same person only looks.
  await ada.post(path, { state: 'viewing' })
  expect((await bob.get(path)).body.data).toMatchObject([{ email: ada.email, state: 'replying' }])
  app.clock.advance(20)
  expect((await bob.get(path)).body.data).toMatchObject([{ email: ada.email, state: 'viewing' }])
  app.clock.advance(11)
  expect((await bob.get(path)).body.data).toEqual([])

  await sweepViewers.sweepTeam(app.services, ada.team)
  expect(await app.db.query(sql`select from inbox_viewers where team_id = ${ada.team}`)).toEqual([])
})

test('an API key is not a viewer, and former members are not shown', async () => {
  const { app, acme, ada, path } = await startWithThread()

  expect((await acme.post(path, { state: 'viewing' })).body.data).toEqual([])
  await ada.post(path, { state: 'viewing' })
  await app.db.query(sql`delete from memberships where team_id = ${acme.team} and user_id = ${ada.userId}`)
  expect((await acme.get(path)).body.data).toEqual([])
  const globex = await app.as('globex')
  expect((await globex.get(path)).status).toBe(404)
})

test('renewals are not in the request log: an open dashboard sends them all the time', async () => {
  const { app, acme, ada, path } = await startWithThread()

  await ada.post(path, { state: 'viewing' })
  await app.flush()

  const { body } = await acme.get('/logs')
  expect(body.data.filter(({ endpoint }: { endpoint: string }) => endpoint.endsWith('/viewers'))).toEqual([])
})

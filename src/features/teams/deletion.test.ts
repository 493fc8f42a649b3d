import { expect, test } from 'vitest'
import { type App, startApp } from '../../../test/harness/app.ts'
import { sweep } from '../../../test/harness/sandboxes.ts'
import { rowsOf } from '../../../test/harness/team-rows.ts'
import { makeWorld } from '../../../test/harness/world.ts'
import { sql } from '../../kernel/db/sql.ts'
import { insertInvitation } from '../people/invitations.ts'
import { scheduleDeletion } from './actions.ts'
import { beginDeletion, deleteSlice } from './deletion.ts'

const [MINUTE, DAY] = [60, 86_400]

/** A team that has something in all the tables that a client can reach. */
async function fullTeam(app: App) {
  const acme = await app.as('acme')
  await makeWorld(acme, app)
  const owner = await app.person('acme', 'owner')
  await app.db.transaction((trx) =>
    insertInvitation(trx, acme.team, { email: 'grace@example.org', role: 'viewer', invitedBy: owner.userId }),
  )
  await app.deliverDue()
  await app.deliverWebhooks()
  await app.runAutomations()
  return acme
}

test('everything of a team goes and nothing of another, wherever it is interrupted', async () => {
  const app = await startApp()
  const [acme, globex] = [await fullTeam(app), await app.as('globex')]
  await globex.post('/topics', { name: 'News' })
  await app.flush()
  const [before, others] = [await rowsOf(app, acme.team), await rowsOf(app, globex.team)]
  expect(Object.keys(before).length).toBeGreaterThan(35)
  const [{ blob } = {}] = await app.db.query<{ blob: string }>(
    sql`select blob from email_attachments where team_id = ${acme.team}`,
  )

  await scheduleDeletion(app.db, acme.team, 0)
  expect(await beginDeletion(app.db, acme.team)).toBe(true)
  // A row at a time: at no cut is there a reference to what is gone.
  for (let slices = 0; slices < 60; slices++) expect(await deleteSlice(app.db, [acme.team], 1)).toBeGreaterThan(0)
  // Other jobs of the team run beside it: they fail for what is gone, or it for what they wrote, and come again.
  for (const seconds of [0, 1, 5, 30]) {
    app.clock.advance(seconds)
    await app.runDueJobs()
  }

  expect(await app.db.query(sql`select id from teams where id = ${acme.team}`)).toEqual([])
  expect(await rowsOf(app, acme.team)).toEqual({})
  expect(await rowsOf(app, globex.team)).toEqual(others)
  expect(await app.db.query(sql`select key from loose_blobs where key = ${blob}`)).toHaveLength(1)
  expect(await app.db.query(sql`select id from jobs where payload ->> 'team' = ${acme.team}`)).toEqual([])
  expect((await acme.get('/topics')).body.name).toBe('invalid_api_key')
})

test('a team that its owner deletes is there for a week, and can be had back', async () => {
  const app = await startApp()
  const owner = await app.person('acme', 'owner')
  await owner.post('/topics', { name: 'News' })

  const acme = await app.as('acme')
  const { body } = await owner.delete('/team')
  expect(body).toMatchObject({ object: 'team', id: owner.team })
  expect((await owner.get('/team')).body.delete_at).toBe(body.delete_at)
  expect((await acme.get('/topics')).body.name).toBe('suspended_api_key')
  expect((await owner.post('/topics', { name: 'More' })).body.message).toMatch(/^This team is scheduled for deletion:/)
  app.clock.advance(7 * DAY - 1)
  await app.runDueJobs()
  expect((await owner.post('/team/restore')).body).toEqual({ object: 'team', id: owner.team })

  app.clock.advance(DAY)
  await app.runDueJobs()
  expect((await owner.get('/team')).body.delete_at).toBeNull()
  expect((await acme.get('/topics')).body.data).toHaveLength(1)
})

test('after a week it is gone, and its people stay without it', async () => {
  const app = await startApp()
  const owner = await app.person('acme', 'owner')
  await owner.delete('/team')

  app.clock.advance(7 * DAY)
  await app.runDueJobs()

  expect((await owner.get('/dashboard/session')).body).toMatchObject({ team: null, teams: [] })
  expect((await owner.get('/teams', { 'x-postwren-team': '' })).body.data).toEqual([])
})

test('what has begun cannot be undone', async () => {
  const app = await startApp()
  const owner = await app.person('acme', 'owner')
  await owner.delete('/team')
  await scheduleDeletion(app.db, owner.team, 0)

  expect(await beginDeletion(app.db, owner.team)).toBe(true)

  expect((await owner.post('/team/restore')).body.message).toBe('This team is already being deleted.')
})

test('only an owner deletes a team, who has proven a moment ago who they are', async () => {
  const app = await startApp()
  const [owner, admin] = [await app.person('acme', 'owner'), await app.person('acme', 'admin')]

  expect((await admin.delete('/team')).body.name).toBe('invalid_permission')
  expect((await admin.post('/team/restore')).body.name).toBe('invalid_permission')
  app.clock.advance(11 * MINUTE)
  expect((await owner.delete('/team')).body.name).toBe('verification_required')
  expect((await owner.get('/team')).body.delete_at).toBeNull()
})

test('nobody joins a team that is about to be deleted', async () => {
  const app = await startApp()
  const [owner, other] = [await app.person('acme', 'owner'), await app.person('globex', 'owner')]
  const invitation = { email: 'grace@example.org', role: 'viewer', invitedBy: owner.userId } as const
  const { token } = await app.db.transaction((trx) => insertInvitation(trx, owner.team, invitation))
  await owner.delete('/team')

  expect((await other.post('/invitations/accept', { token })).status).toBe(404)
})

test('the sandboxes of a team go with it', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const [one, two] = [await app.sandboxOf(acme), await app.sandboxOf(await app.as('globex'))]
  await scheduleDeletion(app.db, acme.team, 0)

  await app.runDueJobs()
  expect(await app.db.query(sql`select id from teams where id = ${acme.team}`)).toEqual([])
  await sweep(app)

  expect(await rowsOf(app, one.team)).toEqual({})
  expect((await two.get('/emails')).status).toBe(200)
})

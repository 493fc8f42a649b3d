import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type App, startApp } from '../../../test/harness/app.ts'
import {
  runForJson as json,
  commandSettings as settings,
  teamNameOf,
  runCommand as told,
} from '../../../test/harness/commands.ts'
import { findFirstTeam } from '../../features/teams/reads.ts'
import { sql } from '../../kernel/db/sql.ts'
import { ensureFirstKey } from './first-key.ts'
import { keyPolicy } from './key-policy.ts'
import { createKey, listKeys, revokeKey } from './keys.ts'
import { createTeam, deleteTeam, listTeamsCommand } from './teams.ts'

const topicsWith = (app: App, token: string) =>
  app.send({ url: '/topics', headers: { authorization: `Bearer ${token}` } })

test('a key is made, listed and revoked, and the audit log tells of it', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const team = await teamNameOf(app, acme)

  const made = await json(createKey, ['Deploys'], { team, sending: true, expires: 'in 90 days' })
  const listed = await json(listKeys, [], { team })
  const shown = await told(listKeys, [], { team })
  const ofId = await json(listKeys, [], { team: acme.team })
  const revoked = await told(revokeKey, ['Deploys'], { team })

  expect(made).toMatchObject({ object: 'api_key', name: 'Deploys', permission: 'sending_access' })
  expect(listed.data[0]).toMatchObject({ id: made.id, team, token_end: made.token.slice(-4), created_by: null })
  expect(shown).toMatch(/^ID +TEAM +NAME +TOKEN +MAY +POLICY +LAST USED +EXPIRES +MADE BY$/m)
  expect(shown).not.toContain(made.token)
  expect(ofId).toEqual(listed)
  expect(revoked).toBe(`Deleted the API key Deploys (re_…${made.token.slice(-4)}) of team ${team}.`)
  expect((await topicsWith(app, made.token)).body.name).toBe('invalid_api_key')
  const audited = await app.db.query(sql`
    select action, actor_kind, object_id from audit_events where team_id = ${acme.team} order by id`)
  expect(audited).toEqual([
    { action: 'api-keys.create', actor_kind: 'system', object_id: made.id },
    { action: 'api-keys.remove', actor_kind: 'system', object_id: made.id },
  ])
})

test('a key is made with a policy, which is shown, changed and removed', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const team = await teamNameOf(app, acme)
  const folder = mkdtempSync(join(tmpdir(), 'postwren-policy-'))
  const file = join(folder, 'policy.json')
  writeFileSync(file, '{"recipients": {"domains": ["acme.dev"]}, "no_bcc": true}')

  const made = await json(createKey, ['Agent'], { team, policy: '{"max_emails_per_day": 5}' })
  const changed = await told(keyPolicy, ['Agent'], { team, set: file })
  const shown = await told(keyPolicy, ['Agent'], { team })
  const refused = (await app.send({ method: 'POST', url: '/topics', payload: { name: 'T' } }, made.token)).body
  const listed = await told(listKeys, [], { team })
  const removed = await json(keyPolicy, [made.id], { remove: true })
  rmSync(folder, { recursive: true })

  expect(made.policy).toEqual({ max_emails_per_day: 5 })
  expect(changed).toBe(`Set the policy of the API key Agent of team ${team}.`)
  expect(JSON.parse(shown)).toEqual({ recipients: { domains: ['acme.dev'] }, no_bcc: true })
  expect(refused.name).toBe('policy_refused')
  expect(listed).toContain('recipients')
  expect(removed).toEqual({ object: 'api_key', id: made.id, name: 'Agent', policy: null })
  const [last] = await app.db.query(sql`
    select details from audit_events where team_id = ${acme.team} and action = 'api-keys.update' order by id limit 1`)
  expect(last).toEqual({ details: { name: 'Agent', policy: { recipients: { domains: 1 }, no_bcc: true } } })
})

test('a policy that lets mail wait of which nobody is told says so', async () => {
  const app = await startApp()
  const team = await teamNameOf(app, await app.as('acme'))

  const made = await json(createKey, ['Agent'], { team, policy: '{"hold": true}' })
  const changed = await json(keyPolicy, ['Agent'], { team, set: '{"hold": {"notify": ["boss@example.com"]}}' })

  expect(made.hint).toContain('Nobody is emailed about mail that waits for approval')
  expect(changed.hint).toBeUndefined()
})

test.each([
  ['{"max_emails_per_day": -1}', 'Invalid `policy.max_emails_per_day` field.'],
  ['{"max_emails_a_day": 1}', 'there is no `max_emails_a_day`'],
  ['{"senders": []}', 'Invalid `policy.senders` field.'],
  ['{', 'The policy is not valid JSON.'],
  ['/nowhere/policy.json', 'The policy file /nowhere/policy.json cannot be read.'],
])('a policy that cannot be read is one line: %s', async (policy, message) => {
  const app = await startApp()
  const team = await teamNameOf(app, await app.as('acme'))

  await expect(told(createKey, ['x'], { team, policy })).rejects.toThrow(message)
  expect((await json(listKeys, [], { team })).data).toHaveLength(1)
})

test('of keys with the same name the id says which one is meant', async () => {
  const app = await startApp()
  const team = await teamNameOf(app, await app.as('acme'))
  const [first, second] = [await json(createKey, ['Twin'], { team }), await json(createKey, ['Twin'], { team })]

  await expect(told(revokeKey, ['Twin'], { team })).rejects.toThrow(/^2 API keys are named Twin\. Use an id: /)
  expect(await json(revokeKey, [first.id])).toEqual({ object: 'api_key', id: first.id, deleted: true })
  expect(await json(revokeKey, ['Twin'], { team })).toMatchObject({ id: second.id })
  await expect(told(revokeKey, ['Twin'])).rejects.toThrow('API key Twin not found. See: postwren key list')
})

test('what cannot be is one line', async () => {
  await startApp()

  await expect(told(createKey, ['x'], { team: 'No where' })).rejects.toThrow(
    "Team No where not found. Create it: postwren team create 'No where'",
  )
  await expect(told(createKey, ['x'], { expires: 'yesterday' })).rejects.toThrow(/^--expires must be a date/)
  await expect(told(deleteTeam, ['Nowhere'])).rejects.toThrow(/^Team Nowhere not found/)
})

test('teams are made, listed and deleted', async () => {
  const app = await startApp()
  const name = `Globex ${app.clock.now().getTime()}`

  const made = await json(createTeam, [name])
  await expect(told(createTeam, [name])).rejects.toThrow(`A team with the name ${name} already exists.`)
  const before = (await json(listTeamsCommand)).data.find(({ id }: { id: string }) => id === made.id)
  const { delete_at } = await json(deleteTeam, [name])
  const listed = await told(listTeamsCommand)

  expect(before).toMatchObject({ name, members: 0, api_keys: 0, delete_at: null })
  expect(new Date(delete_at).getTime() - Date.now()).toBeGreaterThan(6 * 86_400_000)
  expect(listed).toMatch(new RegExp(`^${made.id}  ${name} .* to be deleted ${delete_at.slice(0, 10)}$`, 'm'))
})

test('with --now a team is gone as soon as the jobs run', async () => {
  const app = await startApp()
  const { id } = await json(createTeam, ['Initech'])

  expect(await told(deleteTeam, ['Initech'], { now: true })).toMatch(/^Team Initech is being deleted, /)
  app.clock.advance(60)
  await app.runDueJobs()

  expect(await app.db.query(sql`select 1 from teams where id = ${id}`)).toEqual([])
})

test('a changed POSTWREN_API_KEY retires the key that it replaces, and no other', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const start = async (key: string) => ensureFirstKey(app.db, await settings({ POSTWREN_API_KEY: key }))
  const [old, fresh] = ['re_old_key_of_the_operator', 're_new_key_of_the_operator']

  await start(old)
  await start(old)
  expect((await topicsWith(app, old)).status).toBe(200)
  await start(fresh)

  await expect.poll(async () => (await topicsWith(app, old)).body.name).toBe('invalid_api_key')
  expect((await topicsWith(app, fresh)).status).toBe(200)
  expect((await acme.get('/topics')).status).toBe(200)
})

test('the first team may have another name by now: no other is made for the key of the settings', async () => {
  const app = await startApp()
  await app.as('acme')
  const first = await findFirstTeam(app.db)
  const count = async () => (await app.db.query(sql`select 1 from teams`)).length
  const before = await count()

  await ensureFirstKey(app.db, await settings({ POSTWREN_API_KEY: 're_another_key_of_the_operator' }))

  const [key] = await app.db.query(sql`select team_id from api_keys where is_from_settings`)
  expect([await count(), key]).toEqual([before, { team_id: first }])
})

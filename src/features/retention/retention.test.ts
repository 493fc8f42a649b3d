import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { runCommand, runForJson, teamNameOf } from '../../../test/harness/commands.ts'
import { teamRetentionCommand } from '../../app/commands/team-retention.ts'

async function start(settings: Record<string, string> = {}) {
  const app = await startApp(settings)
  const acme = await app.as('acme')
  return { app, acme, owner: await app.person('acme', 'owner'), name: await teamNameOf(app, acme) }
}

test('a team keeps what the installation keeps, and its owners may choose less', async () => {
  const { acme, owner } = await start({ POSTWREN_RETENTION_LOGS: '12h' })

  const before = (await acme.get('/team/retention')).body
  const changed = (await owner.patch('/team/retention', { emails: '90d', events: '7d' })).body
  const back = (await owner.patch('/team/retention', { events: null })).body

  expect(before).toMatchObject({
    object: 'team_retention',
    emails: { period: 'forever', own: null, max: 'forever' },
    logs: { period: '12h', own: null, max: '12h' },
    audit: { period: '365d' },
  })
  expect(changed).toMatchObject({ emails: { period: '90d', own: '90d', max: 'forever' }, events: { period: '7d' } })
  expect(back).toMatchObject({ emails: { period: '90d' }, events: { period: '30d', own: null } })
})

test('owners cannot choose more, and others cannot choose', async () => {
  const { app, acme, owner } = await start()
  const admin = await app.person('acme', 'admin')

  expect((await owner.patch('/team/retention', { events: '31d' })).body).toMatchObject({
    statusCode: 422,
    message: 'The `events` can be at most `30d`.',
  })
  for (const wrong of ['30', '0d', 'forever', '5h', '', 7])
    expect((await owner.patch('/team/retention', { emails: wrong })).status).toBe(422)
  expect((await admin.patch('/team/retention', { emails: '1d' })).status).toBe(403)
  expect((await acme.get('/team/retention')).body.emails).toMatchObject({ period: 'forever' })
})

test('an operator sets what they like for a team, and the audit log says so', async () => {
  const { app, acme, owner, name } = await start()
  await owner.patch('/team/retention', { emails: '20d' })

  const set = await runForJson(teamRetentionCommand, [name], { emails: 'forever', events: '400d', logs: '1h' })
  const text = await runCommand(teamRetentionCommand, [name])
  const longer = (await owner.patch('/team/retention', { events: '300d' })).body
  const cleared = await runForJson(teamRetentionCommand, [name], { clear: true })

  expect(set).toMatchObject({
    emails: { period: '20d', max: 'forever' },
    events: { period: '400d' },
    logs: { period: '1h' },
  })
  expect(text).toMatch(/^events +400d +- +400d$/m)
  expect(longer.events).toMatchObject({ period: '300d', max: '400d' })
  expect(cleared).toMatchObject({
    emails: { period: '20d' },
    events: { period: '30d', own: '300d' },
    logs: { period: '30d' },
  })
  await expect(runCommand(teamRetentionCommand, [name], { emails: 'soon' })).rejects.toThrow(
    '--emails must be a number with a unit, like `12h` or `30d`, or `forever`, or `default`, not `soon`.',
  )
  app.clock.catchUp()
  const { data } = (await acme.get('/audit-events?limit=100')).body
  expect(data.map(({ action }: { action: string }) => action)).toContain('operator.teams.retention')
  expect(data.find(({ action }: { action: string }) => action === 'team.retention.update').details).toEqual({
    events: '300d',
  })
})

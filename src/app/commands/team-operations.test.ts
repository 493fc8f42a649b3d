import { expect, test } from 'vitest'
import { type Client, startApp } from '../../../test/harness/app.ts'
import { runCommand, runForJson, teamNameOf } from '../../../test/harness/commands.ts'
import { readEmail, sendEmail } from '../../../test/harness/emails.ts'
import { sql } from '../../kernel/db/sql.ts'
import { suspendTeamCommand, teamLimitsCommand, unsuspendTeamCommand } from './team-operations.ts'

async function start() {
  const app = await startApp()
  const acme = await app.as('acme')
  return { app, acme, name: await teamNameOf(app, acme) }
}

const auditOf = async (client: Client) =>
  (await client.get('/audit-events?limit=100')).body.data
    .filter(({ actor }: { actor: { name: string } }) => actor.name === 'postwren command')
    .map(({ action, object_id, details }: Record<string, unknown>) => [action, object_id, details])

test('a team that is suspended by command is refused, its mail waits, and leaves when it is lifted', async () => {
  const { app, acme, name } = await start()
  const id = await sendEmail(acme)

  expect(await runCommand(suspendTeamCommand, [name], { reason: 'Too many complaints.' })).toContain('is suspended')
  await app.services.teamStates.refresh()
  const refused = await acme.get('/topics')
  await app.deliverDue()
  const [row] = await app.db.query(sql`select state, attempts from deliveries where email_id = ${id}`)
  expect(await runCommand(unsuspendTeamCommand, [name], { reason: 'List cleaned.' })).toContain('is not suspended')
  await app.services.teamStates.refresh()
  // The command has the time of the machine.
  app.clock.catchUp()
  await app.runDueJobs()
  await app.deliverDue()

  expect([refused.status, refused.body.message]).toEqual([403, 'This API key is suspended'])
  expect(row).toEqual({ state: 'waiting', attempts: 0 })
  expect((await readEmail(acme, id)).timeline).toEqual(['sent', 'delivered'])
  expect(await auditOf(acme)).toEqual([
    ['operator.teams.unsuspend', acme.team, { reason: 'List cleaned.' }],
    ['operator.teams.suspend', acme.team, { reason: 'Too many complaints.' }],
  ])
})

test('limits are shown, changed and lifted, and the audit log says why', async () => {
  const { acme, name } = await start()
  await acme.post('/contacts', { email: 'ada@example.com' })

  const changed = await runForJson(teamLimitsCommand, [name], {
    ...{ 'emails-per-day': '100', contacts: '5', reason: 'Trial' },
  })
  const text = await runCommand(teamLimitsCommand, [name])
  const lifted = await runForJson(teamLimitsCommand, [name], { contacts: 'none' })

  expect(changed).toMatchObject({ id: acme.team, limits: { emails_per_day: 100, contacts: 5, domains: null } })
  expect(text).toMatch(/^emails-per-day +100 \(0 used\)$/m)
  expect(text).toMatch(/^contacts +5 \(1 used\)$/m)
  expect(text).toMatch(/^webhooks +none \(0 used\)$/m)
  expect(lifted.limits).toMatchObject({ emails_per_day: 100, contacts: null })
  expect(await auditOf(acme)).toEqual([
    ['operator.teams.limits', acme.team, { contacts: null }],
    ['operator.teams.limits', acme.team, { emails_per_day: 100, contacts: 5, reason: 'Trial' }],
  ])
})

test('what cannot be is one line', async () => {
  const { acme, name } = await start()

  await expect(runCommand(suspendTeamCommand, [name])).rejects.toThrow(/^Say why, .*--reason/)
  await expect(runCommand(suspendTeamCommand, ['Nobody'], { reason: 'x' })).rejects.toThrow('There is no team Nobody.')
  await expect(runCommand(suspendTeamCommand, [name], { reason: 'x'.repeat(501) })).rejects.toThrow('500 characters')
  await expect(runCommand(teamLimitsCommand, [name], { contacts: 'many' })).rejects.toThrow(/^--contacts must be /)
  await expect(runCommand(teamLimitsCommand, [name], { 'recipients-per-second': '0' })).rejects.toThrow(
    /^--recipients-per-second must be /,
  )
  expect(await auditOf(acme)).toEqual([])
})

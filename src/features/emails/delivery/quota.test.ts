import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { newEmail } from '../../../../test/harness/new-email.ts'
import { limit } from '../../../../test/harness/operators.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { OverQuota } from '../../limits/quota.ts'
import { readUsed } from '../../limits/usage.ts'
import { Acceptance } from './accept.ts'

const emailOf = (team: string, createdAt: Date, recipients: readonly string[]) =>
  newEmail(team, { createdAt, to: [...recipients], recipients, apiKeyId: null })

// Two of them share nothing but the database, as those of two processes do.
test('two processes that accept at once do not give away the same room', async () => {
  const app = await startApp()
  const { team } = await app.as('acme')
  await limit(app, { team }, { emails_per_day: 50 })
  const { teamStates } = app.services
  const processes = [new Acceptance(app.db, teamStates), new Acceptance(app.db, teamStates)]
  const sizes = Array.from({ length: 80 }, (_, n) => 1 + (n % 3))

  const answers = await Promise.all(
    sizes.map((size, n) => {
      const recipients = Array.from({ length: size }, (_, one) => `user${one}@example.com`)
      const submission = { emails: [emailOf(team, app.clock.now(), recipients)], idempotency: null }
      return processes[n % 2]!.accept(submission).catch((error: unknown) => error)
    }),
  )

  const accepted = sizes.filter((_, n) => answers[n] === true).reduce((sum, size) => sum + size, 0)
  const [ledger] = await app.db.query<{ count: number }>(sql`
    select count(*)::int as count from deliveries where team_id = ${team}`)
  const [used] = await readUsed(app.db, [{ team, day: app.clock.now().toISOString().slice(0, 10) }])
  expect(accepted).toBe(50)
  expect(ledger!.count).toBe(50)
  expect(used!.daily).toEqual({ sent: 50, received: 0 })
  expect(answers.filter((answer) => answer !== true).every((answer) => answer instanceof OverQuota)).toBe(true)
})

test('what many write at once is counted to the recipient', async () => {
  const app = await startApp()
  const teams = [(await app.as('acme')).team, (await app.as('globex')).team]
  const processes = Array.from({ length: 3 }, () => new Acceptance(app.db, app.services.teamStates))

  await Promise.all(
    Array.from({ length: 300 }, (_, n) => {
      const email = emailOf(teams[n % 2]!, app.clock.now(), ['ada@example.com', 'bob@example.com'])
      return processes[n % 3]!.accept({ emails: [email], idempotency: null })
    }),
  )

  const day = app.clock.now().toISOString().slice(0, 10)
  const used = await readUsed(
    app.db,
    teams.map((team) => ({ team, day })),
  )
  expect(used.map(({ daily, monthly }) => [daily.sent, monthly.sent])).toEqual([
    [300, 300],
    [300, 300],
  ])
})

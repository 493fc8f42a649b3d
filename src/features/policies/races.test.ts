import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { clientOf, guardedKey, MAIL, startGuarded } from '../../../test/harness/guarded.ts'
import { newEmail } from '../../../test/harness/new-email.ts'
import { limit } from '../../../test/harness/operators.ts'
import { sql } from '../../kernel/db/sql.ts'
import { Acceptance } from '../emails/delivery/acceptance/accept.ts'
import { PolicyRefused } from './refused.ts'

test('a thousand requests at once in two processes: as many are accepted as the cap allows', async () => {
  const { app, acme, agent } = await startGuarded({ max_emails_per_hour: 10 })
  const processes = [1, 2].map(() => new Acceptance(app.db, app.services.teamStates))

  const answers = await Promise.all(
    Array.from({ length: 1_000 }, (_, n) => {
      const email = newEmail(acme.team, { createdAt: app.clock.now(), apiKeyId: agent.id, policyId: agent.id })
      return processes[n % 2]!.accept({ emails: [email], idempotency: null }).catch((error: unknown) => error)
    }),
  )

  expect(answers.filter((answer) => answer === true)).toHaveLength(10)
  expect(answers.filter((answer) => answer instanceof PolicyRefused)).toHaveLength(990)
  expect((await acme.get('/emails?limit=100')).body.data).toHaveLength(10)
  const { body } = await acme.get(`/api-keys/${agent.id}/activity`)
  expect(body.used).toEqual({ emails_last_hour: 10, emails_last_day: 10 })
})

test('a person is written to as often as the cap allows, by whatever spellings and in whatever processes', async () => {
  const { app, acme, agent } = await startGuarded({ max_emails_per_recipient_per_day: 3 })
  const agents = [agent, clientOf(await startApp(), agent)]

  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) => agents[n % 2]!.post('/emails', { ...MAIL, to: `A.da+${n}@googlemail.com` })),
  )

  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(3).fill(200), ...Array(37).fill(403)])
  expect((await acme.get('/emails')).body.data).toHaveLength(3)
  await app.flush()
})

test('a request that comes again is neither refused nor counted twice', async () => {
  const { acme, agent } = await startGuarded({ max_emails_per_day: 1 })
  const elsewhere = clientOf(await startApp(), agent)
  const send = (client: typeof agent) => client.post('/emails', MAIL, { 'idempotency-key': 'once' })

  const [one, other] = await Promise.all([send(agent), send(elsewhere)])
  const again = await send(elsewhere)

  // One that runs at the same time may be told so.
  expect([one.status, other.status].filter((status) => status !== 409)).not.toContain(403)
  expect(again.status).toBe(200)
  expect([one.body.id, other.body.id]).toContain(again.body.id)
  expect((await acme.get('/emails')).body.data).toHaveLength(1)
  expect((await agent.post('/emails', MAIL)).status).toBe(403)
})

test('a policy that becomes stricter while requests run lets nothing pass afterwards', async () => {
  const { acme, agent } = await startGuarded({ max_emails_per_day: 1_000 })
  const sending = Array.from({ length: 60 }, () => agent.post('/emails', MAIL))

  await acme.patch(`/api-keys/${agent.id}`, { policy: { recipients: { domains: ['acme.dev'] } } })
  const before = (await acme.get('/emails?limit=100')).body.data.length
  const answers = await Promise.all(sending)

  const accepted = answers.filter(({ status }) => status === 200).length
  expect((await acme.get('/emails?limit=100')).body.data).toHaveLength(accepted)
  expect((await agent.post('/emails', MAIL)).status).toBe(403)
  expect(before).toBe(accepted)
})

test('what the quota of the team refuses is not counted, and the other way round', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await limit(app, acme, { emails_per_day: 2 })
  const agent = await guardedKey(app, acme, { max_emails_per_day: 3, recipients: { domains: ['acme.dev'] } })
  const send = async (...to: string[]) => (await agent.post('/emails', { ...MAIL, to })).status

  expect(await send('x@example.com')).toBe(403)
  expect(await send('a@acme.dev', 'b@acme.dev', 'c@acme.dev')).toBe(429)
  expect(await send('a@acme.dev', 'b@acme.dev')).toBe(200)
  expect(await send('a@acme.dev')).toBe(429)
  expect((await acme.get(`/api-keys/${agent.id}/activity`)).body.used.emails_last_day).toBe(2)
})

test('a transaction that is rolled back counts nothing', async () => {
  const { app, acme, agent } = await startGuarded({ max_emails_per_day: 1 })
  const acceptance = new Acceptance(app.db, app.services.teamStates)
  const submission = { emails: [newEmail(acme.team, { policyId: agent.id })], idempotency: null }

  const rolledBack = app.db.transaction(async (trx) => {
    await acceptance.acceptWithin(trx, submission)
    throw new Error('the process ends here')
  })

  await expect(rolledBack).rejects.toThrow('ends here')
  expect(await app.db.query(sql`select from policy_uses where team_id = ${acme.team}`)).toEqual([])
  expect((await agent.post('/emails', MAIL)).status).toBe(200)
})

test('nothing is sent without a policy that was to be sent under one', async () => {
  const { app, acme, agent } = await startGuarded({ max_emails_per_day: 1 })
  await acme.delete(`/api-keys/${agent.id}`)
  const acceptance = new Acceptance(app.db, app.services.teamStates)

  const accepting = acceptance.accept({ emails: [newEmail(acme.team, { policyId: agent.id })], idempotency: null })

  await expect(accepting).rejects.toMatchObject({ kind: 'service_unavailable' })
  expect((await acme.get('/emails')).body.data).toEqual([])
})

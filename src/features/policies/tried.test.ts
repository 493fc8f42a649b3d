import { expect, test } from 'vitest'
import { MAIL, startGuarded } from '../../../test/harness/guarded.ts'

// The owner sees what somebody tried who has a guarded key, all of it.

test('calls that a policy leaves no room for are recorded, with what was called', async () => {
  const { acme, agent } = await startGuarded({ max_emails_per_day: 9 })
  const { body: segment } = await acme.post('/segments', { name: 'All' })
  const mailing = { segment_id: segment.id, from: MAIL.from, subject: 'News', html: '<p>Hi</p>' }
  const { body: broadcast } = await acme.post('/broadcasts', mailing)

  const refused = [
    await agent.patch(`/api-keys/${agent.id}`, { policy: null }),
    await agent.post('/api-keys', { name: 'Another' }),
    await agent.post(`/broadcasts/${broadcast.id}/send`, {}),
    await agent.post('/api-keys', { name: 'Another' }),
    await agent.delete('/api/v1/messages', {}),
  ]

  expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403))
  const { refusals, data } = (await acme.get(`/api-keys/${agent.id}/activity`)).body
  expect(refusals).toMatchObject([{ rule: 'operation', emails: 5, from: '', recipients: [], is_dry_run: false }])
  expect(refusals[0].samples.map(({ subject }: { subject: string }) => subject).sort()).toEqual([
    'DELETE /api/v1/messages',
    'PATCH /api-keys/:id',
    'POST /api-keys',
    'POST /broadcasts/:id/send',
  ])
  expect(data.at(-1)).toMatchObject({ emails: 0, refusals: 5 })
})

test('every rule is recorded that refuses an email, and emails that differ are kept apart', async () => {
  const { acme, agent } = await startGuarded({ recipients: { domains: ['acme.dev'] }, senders: ['support@acme.dev'] })
  const attempts = Array.from({ length: 25 }, (_, n) => ({ ...MAIL, from: 'eve@acme.dev', to: `u${n}@evil.test` }))

  for (const one of attempts.slice(0, 2)) await agent.post('/emails', one)
  await agent.post('/emails', attempts[0])
  await Promise.all(attempts.slice(2).map((one) => agent.post('/emails', one)))

  const { refusals } = (await acme.get(`/api-keys/${agent.id}/activity`)).body
  expect(refusals.map(({ rule, emails }: { rule: string; emails: number }) => [rule, emails]).sort()).toEqual([
    ['recipients', 26],
    ['senders', 26],
  ])
  for (const { samples } of refusals) {
    expect(samples).toHaveLength(20)
    expect(samples[0]).toEqual({ from: 'eve@acme.dev', recipients: ['u0@evil.test'], subject: 'Hello' })
    expect(new Set(samples.map(({ recipients }: { recipients: string[] }) => recipients[0])).size).toBe(20)
  }
})

test('all emails of a batch are recorded', async () => {
  const { acme, agent } = await startGuarded({ recipients: { domains: ['acme.dev'] } })

  await agent.post('/emails/batch', [MAIL, { ...MAIL, to: 'bob@example.com' }, { ...MAIL, to: 'bob@acme.dev' }])

  const { refusals } = (await acme.get(`/api-keys/${agent.id}/activity`)).body
  expect(refusals).toMatchObject([
    {
      rule: 'recipients',
      emails: 2,
      samples: [{ recipients: ['ada@example.com'] }, { recipients: ['bob@example.com'] }],
    },
  ])
})

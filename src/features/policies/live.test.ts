import { expect, test } from 'vitest'
import { signedIn } from '../../../test/harness/browser-session.ts'
import { MAIL, startGuarded } from '../../../test/harness/guarded.ts'
import { listen } from '../../../test/harness/live-feed.ts'
import { sql } from '../../kernel/db/sql.ts'

test('an open dashboard hears of refusals, and of a flood of them once', async () => {
  const { app, acme, agent } = await startGuarded({ recipients: { domains: ['acme.dev'] } })
  const { next } = await listen(app, (await signedIn(app, acme.token)).cookie)
  const refuse = () => agent.post('/emails', { ...MAIL, to: 'eve@evil.test' })

  await Promise.all(Array.from({ length: 100 }, refuse))
  for (let one = 0; one < 20; one++) await refuse()
  app.clock.advance(1)
  await app.runDueJobs()

  expect((await next())!.events).toEqual([{ type: 'policy.refused', about: agent.id }])
  const [told] = await app.db.query(sql`
    select count(*)::int as events from outbox where team_id = ${acme.team} and type = 'policy.refused'`)
  expect(told).toEqual({ events: 1 })
  expect((await acme.get(`/api-keys/${agent.id}/activity`)).body.data.at(-1).refusals).toBe(120)
})

test('what is refused while dashboards are told is told again', async () => {
  const { app, acme, agent } = await startGuarded({ recipients: { domains: ['acme.dev'] } })
  const { next } = await listen(app, (await signedIn(app, acme.token)).cookie)

  for (let round = 0; round < 2; round++) {
    await agent.post('/emails', { ...MAIL, to: 'eve@evil.test' })
    app.clock.advance(1)
    await app.runDueJobs()
    expect((await next())!.events).toEqual([{ type: 'policy.refused', about: agent.id }])
  }
})

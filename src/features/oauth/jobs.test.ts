import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { expect, test } from 'vitest'
import { type App, startApp } from '../../../test/harness/app.ts'
import { getCode, getTokens, refresh, register } from '../../../test/harness/oauth.ts'
import { sql } from '../../kernel/db/sql.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { ensureRecurring } from '../../kernel/jobs/queries.ts'
import type { Services } from '../services.ts'
import { renewSigningKeys, sweepOAuthClients, sweepOAuthCodes, sweepOAuthTokens } from './jobs.ts'
import { AccessTokens } from './tokens.ts'

const DAY = 86_400

async function run(app: App, ...jobs: Job<object, Services>[]) {
  await app.db.query(sql`delete from jobs`)
  await ensureRecurring(app.db, jobs)
  await app.runDueJobs()
}

test('keys are renewed after 90 days, and the old one verifies while tokens of it live', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const published = async () => (await app.send({ method: 'GET', url: '/.well-known/jwks.json' })).body
  const first = await getTokens(app, ada)
  const { keys: before } = await published()
  expect(before).toEqual([
    {
      kty: 'EC',
      crv: 'P-256',
      alg: 'ES256',
      use: 'sig',
      kid: expect.any(String),
      x: expect.any(String),
      y: expect.any(String),
    },
  ])

  app.clock.advance(90 * 86_400)
  await run(app, renewSigningKeys)
  const [row] = await app.db.query<{ sealed: Buffer }>(sql`select private_key as sealed from oauth_keys limit 1`)
  expect(row!.sealed.toString()).not.toContain('"d"')
  expect(await app.db.query(sql`select id from oauth_keys`)).toHaveLength(2)
  const other = otherProcess(app.services)
  const token = await other.issue()
  const set = createLocalJWKSet({ keys: [...(await other.keys.published())] })
  expect(decodeProtectedHeader(token).kid).not.toBe(before[0].kid)
  expect(decodeProtectedHeader(first.access_token).kid).toBe(before[0].kid)
  await jwtVerify(token, set, { currentDate: app.clock.now() })

  app.clock.advance(86_400 + 1)
  await run(app, renewSigningKeys)
  expect(await app.db.query(sql`select id from oauth_keys`)).toHaveLength(1)
})

/** Another process, which has read no keys yet. */
function otherProcess(services: ConstructorParameters<typeof AccessTokens>[0]) {
  const tokens = new AccessTokens(services)
  const [team, grantId, userId] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
  const subject = { team, grantId, userId, clientId: 'x', resource: null }
  return { keys: tokens.keys, issue: () => tokens.issue(subject, ['emails:send']) }
}

test('what is over is deleted, and a grant that nobody can use any more is shown as expired', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const { refresh_token } = await getTokens(app, ada)
  await getCode(app, ada)
  const statesOf = async (cookie = ada.cookie) =>
    (await ada.get('/oauth/grants', { cookie })).body.data.map(
      (grant: { revoked_reason: string }) => grant.revoked_reason,
    )
  const counts = async () => {
    const [row] = await app.db.query<{ codes: number; tokens: number }>(sql`
      select (select count(*)::int from oauth_codes where team_id = ${ada.team}) as codes,
        (select count(*)::int from oauth_refresh_tokens where team_id = ${ada.team}) as tokens`)
    return row
  }

  await run(app, sweepOAuthCodes, sweepOAuthTokens)
  expect(await statesOf()).toEqual([null, null])
  app.clock.advance(2 * DAY)
  await run(app, sweepOAuthCodes, sweepOAuthTokens)
  // The code of the newer one was never used.
  expect(await statesOf()).toEqual(['expired', null])
  expect((await refresh(app, refresh_token)).status).toBe(200)
  expect(await counts()).toEqual({ codes: 0, tokens: 2 })
  app.clock.advance(61 * DAY)
  await run(app, sweepOAuthCodes, sweepOAuthTokens)

  // Nobody stays signed in for that long.
  const { userId, team } = ada
  const session = { userId, team, method: 'link', ipAddress: null, userAgent: null } as const
  const [cookie] = (await app.services.sessions.openFor(session)).split(';', 1)
  expect(await statesOf(cookie)).toEqual(['expired', 'expired'])
  expect(await counts()).toEqual({ codes: 0, tokens: 0 })
})

test('clients that nobody has let in for a month are forgotten', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const [used, unused] = [(await register(app)).body.client_id, (await register(app)).body.client_id]
  await getTokens(app, ada, { client_id: used })

  app.clock.advance(30 * DAY + 1)
  await run(app, sweepOAuthClients)

  const left = await app.db.query<{ id: string }>(sql`select id from oauth_clients where id in (${used}, ${unused})`)
  expect(left).toEqual([{ id: used }])
})

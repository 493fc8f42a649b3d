import type { Role } from '../../src/features/people/roles.ts'
import { makeOperator } from '../../src/features/people/users.ts'
import type { Policy } from '../../src/features/policies/schema.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import type { App } from './app.ts'
import type { Caller } from './callers.ts'
import { guardedKey } from './guarded.ts'
import { getTokens } from './oauth.ts'

async function withoutTeam(app: App) {
  const person = await app.person('left', 'owner')
  await app.db.query(sql`delete from memberships where user_id = ${person.userId}`)
  const send: Caller['send'] = (request) => person.send({ ...request, headers: { 'x-postwren-team': '' } })
  return { ...person, send }
}

/** What a person has let in: it may do what its scope names, and never more than the person. */
async function programOf(app: App, role: Role, scope: string, policy?: Policy): Promise<Caller> {
  const person = await app.person(`${policy ? 'guarded ' : ''}${scope} of ${role}`, role)
  const { access_token } = await getTokens(app, person, { scope }, policy)
  const send: Caller['send'] = (request) =>
    app.send({ ...request, headers: { ...request.headers, authorization: `Bearer ${access_token}` } })
  return { ...person, send }
}

const POLICY: Policy = { max_emails_per_day: 10 }

/** Everybody who can call the API, each in a team of their own: what one of them does takes nothing from another. */
export const ACTORS: Record<string, (app: App) => Promise<Caller>> = {
  owner: (app) => app.person('owned', 'owner'),
  admin: (app) => app.person('administered', 'admin'),
  developer: (app) => app.person('developed', 'developer'),
  viewer: (app) => app.person('viewed', 'viewer'),
  'viewer without content': async (app) => {
    const viewer = await app.person('hidden', 'viewer')
    await app.db.query(sql`update teams set hides_content = true where id = ${viewer.team}`)
    return viewer
  },
  'person without a team': withoutTeam,
  'operator without a team': async (app) => {
    const person = await withoutTeam(app)
    await makeOperator(app.db, person.userId)
    return person
  },
  'key with full access': (app) => app.as('full'),
  'key for sending': (app) => app.as('sending', 'sending_access'),
  'program of an owner': (app) => programOf(app, 'owner', 'full_access'),
  'program of a viewer': (app) => programOf(app, 'viewer', 'full_access'),
  'program of an owner for sending': (app) => programOf(app, 'owner', 'emails:send'),
  'key with a policy': async (app) => guardedKey(app, await app.as('guarded'), POLICY),
  'key for sending with a policy': async (app) =>
    guardedKey(app, await app.as('guarded'), POLICY, { permission: 'sending_access' }),
  'program of an owner with a policy': (app) => programOf(app, 'owner', 'full_access', POLICY),
}

import { recordAudit } from '../../../kernel/audit/record.ts'
import type { Transaction } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { Problem } from '../../../kernel/http/problem.ts'
import type { OidcProvider } from '../../../platform/settings/oidc-setting.ts'
import { findLastingTeam } from '../../teams/reads.ts'
import type { Role } from '../roles.ts'
import { type Origin, signIn } from '../sign-in.ts'
import { addMember, ensureUser, findUser } from '../users.ts'
import { mayJoin, type OidcIdentity } from './claims.ts'

interface Arrival {
  readonly identity: OidcIdentity
  readonly origin: Origin
}

/**
 * Signs somebody in whom a provider has named: who was here before with this identity, who is known by their address, and who may join.
 * The address counts the first time only; later it may be another one, or somebody else's.
 */
export async function admit(trx: Transaction, provider: OidcProvider, { identity, origin }: Arrival): Promise<string> {
  const known = await findIdentity(trx, identity)
  const userId = known ?? (await admitNew(trx, provider, { identity, origin }))
  return signIn(trx, { userId, team: null, method: 'oidc', ...origin })
}

async function admitNew(trx: Transaction, provider: OidcProvider, { identity, origin }: Arrival) {
  const { email, issuer, subject } = identity
  if (email === null)
    throw new Problem(
      'invalid_permission',
      `${provider.name} has not verified your email address. Verify it there, or sign in another way.`,
    )
  const isJoining = mayJoin(provider, identity)
  const userId = isJoining ? (await ensureUser(trx, email)).id : await findUser(trx, email)
  if (userId === undefined)
    throw new Problem(
      'invalid_permission',
      'You have no account here. Ask an administrator of your team to invite you.',
    )
  await trx.query(sql.write`
    insert into oidc_identities (issuer, subject, user_id, created_at)
    values (${issuer}, ${subject}, ${userId}, ${trx.clock.now()}) on conflict do nothing`)
  // Of two browsers that are here at the same time, one was first.
  const own = (await findIdentity(trx, identity))!
  await fillName(trx, own, identity.name)
  if (isJoining) await join(trx, { provider, userId: own, email, origin })
  return own
}

/** Once, with the identity: whoever is removed from the team later does not come back by signing in again. */
async function join(
  trx: Transaction,
  { provider, userId, email, origin }: { provider: OidcProvider; userId: string; email: string; origin: Origin },
) {
  const team = await findLastingTeam(trx, provider.team)
  if (!team)
    throw new Problem(
      'service_unavailable',
      `The team configured for ${provider.name} does not exist. Contact the operator of this installation.`,
    )
  const role = provider.role as Role
  if (!(await addMember(trx, team, userId, role))) return
  await recordAudit(trx, {
    team,
    actor: { kind: 'user', id: userId, name: email },
    action: 'members.join',
    objectId: userId,
    details: { email, role, provider: provider.id },
    ...origin,
  })
}

async function findIdentity(trx: Transaction, { issuer, subject }: OidcIdentity): Promise<string | undefined> {
  const [row] = await trx.query<{ userId: string }>(sql`
    select user_id as "userId" from oidc_identities where issuer = ${issuer} and subject = ${subject}`)
  return row?.userId
}

const fillName = (trx: Transaction, userId: string, name: string) =>
  trx.query(sql.write`update users set name = ${name} where id = ${userId} and name = '' and ${name} <> ''`)

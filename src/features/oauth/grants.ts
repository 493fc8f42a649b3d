import type { Queryable, Transaction } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { newId } from '../../platform/ids.ts'
import { MEMBERSHIPS } from '../people/reads.ts'
import type { Role } from '../people/roles.ts'
import { deletePolicies } from '../policies/queries.ts'
import { hasPolicy } from '../policies/reads.ts'
import { TEAM_PRIVACY } from '../teams/reads.ts'
import type { OAuthClient } from './client.ts'
import type { Scope } from './scopes.ts'

/** Why a grant is no longer good, as its list shows it. */
export type RevokedReason =
  /** By `DELETE /oauth/grants/:id`, or in the dashboard. */
  | 'revoked_from_api'
  /** By the person who had let it in. */
  | 'revoked_by_user'
  /** By the program itself, at `POST /oauth/revoke`. */
  | 'revoked_by_client'
  /** A code was used twice. */
  | 'code_replayed'
  /** A refresh token was used again, long after another one took its place. */
  | 'refresh_token_replayed'
  /** The person is no longer in the team. */
  | 'membership_ended'
  /** Nobody has used it for as long as its last token lasted. */
  | 'expired'

/** Ends what programs may do for this person in this team. In the transaction of what ends it: a membership, for instance. */
export async function revokeGrantsOf(
  trx: Transaction,
  team: string,
  userId: string,
  reason: RevokedReason,
): Promise<string[]> {
  const revoked = await trx.query<{ id: string }>(sql.write`
    update oauth_grants set revoked_at = ${trx.clock.of(team).now()}, revoked_reason = ${reason}
    where team_id = ${team} and user_id = ${userId} and revoked_at is null returning id`)
  const ids = revoked.map(({ id }) => id)
  await deletePolicies(
    trx,
    ids.map((policyId) => ({ team, policyId })),
  )
  return ids
}

/** When it was revoked; undefined: there is none that is good. Its policy goes with it. */
export async function revokeGrant(
  trx: Transaction,
  team: string,
  id: string,
  reason: RevokedReason,
): Promise<Date | undefined> {
  const [grant] = await trx.query<{ revokedAt: Date }>(sql.write`
    update oauth_grants set revoked_at = ${trx.clock.of(team).now()}, revoked_reason = ${reason}
    where team_id = ${team} and id = ${id} and revoked_at is null returning revoked_at as "revokedAt"`)
  if (grant) await deletePolicies(trx, [{ team, policyId: id }])
  return grant?.revokedAt
}

/** Whether there is or was such a grant. */
export async function grantExists(db: Queryable, team: string, id: string): Promise<boolean> {
  const rows = await db.query(sql`select id from oauth_grants where team_id = ${team} and id = ${id}`)
  return rows.length > 0
}

/** Whether a grant is good. Nobody revokes it until the transaction ends. */
export async function lockGrant(trx: Transaction, team: string, id: string): Promise<boolean> {
  const rows = await trx.query(sql`
    select id from oauth_grants where team_id = ${team} and id = ${id} and revoked_at is null for update`)
  return rows.length > 0
}

export interface GrantState {
  readonly userId: string
  readonly clientId: string
  readonly clientName: string
  readonly role: Role
  readonly hidesContent: boolean
  /** Whether it has a policy. */
  readonly isGuarded: boolean
}

/** Whose a grant is, and what that person is in the team now. Undefined: it was revoked, or they are no longer a member. */
export async function findStanding(db: Queryable, team: string, id: string): Promise<GrantState | undefined> {
  const [standing] = await db.query<GrantState>(sql`
    select g.user_id as "userId", g.client_id as "clientId", g.client_name as "clientName", m.role, t.hides_content as "hidesContent",
      ${hasPolicy(sql`g.team_id`, sql`g.id`)} as "isGuarded"
    from oauth_grants g
    join ${MEMBERSHIPS} m on m.team_id = g.team_id and m.user_id = g.user_id
    join ${TEAM_PRIVACY} t on t.id = g.team_id
    where g.team_id = ${team} and g.id = ${id} and g.revoked_at is null`)
  return standing
}

const CODE_MS = 10 * 60_000

interface NewGrant {
  readonly team: string
  readonly userId: string
  readonly client: Pick<OAuthClient, 'id' | 'name' | 'logoUri'>
  readonly scopes: readonly Scope[]
  readonly resource: string | null
  readonly redirectUri: string
  readonly codeChallenge: string
  readonly codeSha256: Buffer
}

/** A grant of its own for each time that somebody says yes: what ends one of them ends no other. Returns its id. */
export async function insertGrant(trx: Queryable, grant: NewGrant): Promise<string> {
  const { team, userId, client, scopes, resource, redirectUri, codeChallenge, codeSha256 } = grant
  const clock = trx.clock.of(team)
  const id = newId(clock)
  await trx.query(sql.write`
    insert into oauth_grants (team_id, id, user_id, client_id, client_name, client_logo_uri, scopes, resource, created_at)
    values (${team}, ${id}, ${userId}, ${client.id}, ${client.name}, ${client.logoUri}, ${scopes}, ${resource}, ${clock.now()})`)
  await trx.query(sql.write`
    insert into oauth_codes (code_sha256, team_id, grant_id, client_id, redirect_uri, code_challenge, scopes, expires_at)
    values (${codeSha256}, ${team}, ${id}, ${client.id}, ${redirectUri}, ${codeChallenge}, ${scopes},
      ${new Date(trx.clock.now().getTime() + CODE_MS)})`)
  return id
}

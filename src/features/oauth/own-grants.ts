import { recordAudit } from '../../kernel/audit/record.ts'
import type { Database, Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { policyOf } from '../policies/reads.ts'
import type { Policy } from '../policies/schema.ts'
import { TEAM_NAMES } from '../teams/reads.ts'
import { revokeGrant } from './grants.ts'

export interface OwnGrant {
  readonly id: string
  readonly client: string
  readonly team: string
  readonly scopes: readonly string[]
  readonly policy: Policy | null
  readonly created_at: string
}

/** More than anybody has let in; the newest are the ones that somebody looks for. */
const MAX_GRANTS = 100

/** What somebody lets act for them, in all of their teams. Theirs to end, whatever their role is. */
export const listOwnGrants = (db: Queryable, userId: string) =>
  db.query<OwnGrant>(sql`
    select g.id, g.client_name as client, t.name as team, g.scopes, ${policyOf(sql`g.team_id`, sql`g.id`)} as policy,
      wire_time(g.created_at) as created_at
    from oauth_grants g join ${TEAM_NAMES} t on t.id = g.team_id
    where g.user_id = ${userId} and g.revoked_at is null order by g.created_at desc limit ${MAX_GRANTS}`)

interface Revocation {
  readonly id: string
  readonly user: { readonly id: string; readonly email: string | null }
  readonly ipAddress: string
  readonly userAgent: string | null
}

export function revokeOwnGrant(db: Database, { id, user, ipAddress, userAgent }: Revocation): Promise<void> {
  return db.transaction(async (trx) => {
    const [grant] = await trx.query<{ team: string }>(sql`
      select team_id as team from oauth_grants where id = ${id} and user_id = ${user.id}`)
    const reason = 'revoked_by_user'
    if (!grant || !(await revokeGrant(trx, grant.team, id, reason)))
      throw new Problem('not_found', 'OAuth grant not found. Perhaps it was already revoked?')
    await recordAudit(trx, {
      team: grant.team,
      actor: { kind: 'user', id: user.id, name: user.email },
      action: 'oauth.grants.revoke',
      objectId: id,
      details: { reason },
      ipAddress,
      userAgent,
    })
  })
}

import type { Queryable } from '../platform/db/database.ts'
import { sql } from '../platform/db/sql.ts'

/** Why a grant is no longer good, as its list shows it. */
export type RevokedReason =
  /** By `DELETE /oauth/grants/:id`, or in the dashboard. */
  | 'revoked_from_api'
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
  trx: Queryable,
  team: string,
  userId: string,
  reason: RevokedReason,
): Promise<string[]> {
  const revoked = await trx.query<{ id: string }>(sql`
    update oauth_grants set revoked_at = ${trx.clock.of(team).now()}, revoked_reason = ${reason}
    where team_id = ${team} and user_id = ${userId} and revoked_at is null returning id`)
  return revoked.map(({ id }) => id)
}

/** When it was revoked; undefined: there is none that is good. */
export async function revokeGrant(
  db: Queryable,
  team: string,
  id: string,
  reason: RevokedReason,
): Promise<Date | undefined> {
  const [grant] = await db.query<{ revokedAt: Date }>(sql`
    update oauth_grants set revoked_at = ${db.clock.of(team).now()}, revoked_reason = ${reason}
    where team_id = ${team} and id = ${id} and revoked_at is null returning revoked_at as "revokedAt"`)
  return grant?.revokedAt
}

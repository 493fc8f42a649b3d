import type { Database, Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { hours, job, minutes } from '../../kernel/jobs/job.ts'
import { type Expired, retention } from '../../kernel/jobs/retention.ts'
import type { Sealer } from '../../kernel/secrets.ts'
import { approvalsOf } from '../emails/reads.ts'
import { deletePolicies } from '../policies/queries.ts'
import { deleteUnusedClients } from './clients.ts'
import { renewKeys } from './signing-keys.ts'

/** Makes another key when the one that signs is 90 days old. Running twice finds it made. */
export const renewSigningKeys = job<object, { readonly db: Database; readonly sealer: Sealer }>({
  name: 'oauth.renew_keys',
  everySeconds: hours(6),
  retryAfterSeconds: [minutes(1), minutes(10)],
  async run(_payload, parts) {
    await renewKeys(parts)
  },
})

/** A used code is kept for a while: whoever brings it again is told apart from somebody who guesses. */
export const sweepOAuthCodes = retention({
  name: 'oauth.sweep_codes',
  keepSeconds: () => hours(24),
  deleteBefore: deleteCodesBefore,
})

async function deleteCodesBefore(db: Queryable, { moment, limit }: Expired): Promise<boolean> {
  const rows = await db.query(sql.write`
    delete from oauth_codes where code_sha256 in (
      select code_sha256 from oauth_codes where expires_at < ${moment} limit ${limit})
    returning grant_id`)
  return rows.length === limit
}

/** Grants that nobody can use any more are shown as such: their last token is over, or their code was never used. */
export const sweepOAuthTokens = retention({
  name: 'oauth.sweep_tokens',
  keepSeconds: () => 0,
  async deleteBefore(db, expired) {
    const isMore = await deleteTokensBefore(db, expired)
    return (await expireGrants(db, expired)) || isMore
  },
})

async function deleteTokensBefore(db: Queryable, { moment, limit }: Expired): Promise<boolean> {
  const rows = await db.query(sql.write`
    delete from oauth_refresh_tokens where token_sha256 in (
      select token_sha256 from oauth_refresh_tokens where expires_at < ${moment} limit ${limit})
    returning grant_id`)
  return rows.length === limit
}

/** An access token of a client without refresh tokens is good for a quarter of an hour, and a code for less. */
const MIN_GRANT_MS = 30 * 60_000

/** One whose mail waits for approval is left as it is until somebody has decided: nobody wanted it to end. */
async function expireGrants(db: Queryable, { moment, limit }: Expired): Promise<boolean> {
  const rows = await db.query<{ team: string; policyId: string }>(sql.write`
    update oauth_grants set revoked_at = ${moment}, revoked_reason = 'expired' where id in (
      select g.id from oauth_grants g
      where g.revoked_at is null and g.created_at < ${new Date(moment.getTime() - MIN_GRANT_MS)}
        and not exists (
          select from oauth_refresh_tokens r
          where r.team_id = g.team_id and r.grant_id = g.id and r.rotated_at is null and r.expires_at > ${moment})
        and not exists (select from ${approvalsOf(sql`g.team_id`)} and a.policy_id = g.id and a.status = 'waiting')
      limit ${limit})
    returning team_id as team, id as "policyId"`)
  await deletePolicies(db, rows)
  return rows.length === limit
}

/** Anybody can register a client, or have a document fetched; most are tried once. */
export const sweepOAuthClients = retention({
  name: 'oauth.sweep_clients',
  keepSeconds: () => 30 * hours(24),
  deleteBefore: deleteUnusedClients,
})

import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import { policyPage } from '../../kernel/http/policy-page.ts'
import { nameOfSegment } from '../segments/reads.ts'
import type { Policy } from './schema.ts'
import { policyWords } from './words.ts'

/** The policy of a key, a grant or an inbox's agent in sentences. Null: there is none. */
export async function describePolicy(db: Queryable, team: string, id: string): Promise<string[] | null> {
  const [row] = await db.query<{ policy: Policy; segment: string | null }>(sql`
    select p.policy, ${nameOfSegment(sql`p.team_id`, sql`(p.policy -> 'recipients' ->> 'segment_id')::uuid`)} as segment
    from policies p where p.team_id = ${team} and p.id = ${id}`)
  return row ? policyWords(row.policy, row) : null
}

/** The same of whoever calls the API, with where people change it. */
export async function describePolicyOf(
  db: Queryable,
  { team, policyId, identity }: Pick<Actor, 'team' | 'policyId' | 'identity'>,
  publicUrl: string,
): Promise<{ sentences: readonly string[]; page: string } | null> {
  const sentences = policyId && (await describePolicy(db, team, policyId))
  if (!sentences) return null
  return { sentences, page: policyPage(publicUrl, identity.kind === 'token' ? 'oauth_grant' : 'api_key', policyId) }
}

import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { isSandbox } from '../../platform/ids.ts'
import { hasApprovers } from '../people/reads.ts'
import { requiresApproval } from './rules.ts'
import type { Policy } from './schema.ts'

const NO_APPROVERS =
  'Nobody is emailed about mail that waits for approval: the team has no members who can approve, and the policy names nobody to ask (hold.notify).'

/** What whoever sets a policy should know about it. Null: nothing. A sandbox mails nobody, as it says. */
export async function hintFor(db: Queryable, team: string, policy: Policy | null | undefined): Promise<string | null> {
  if (!policy || !requiresApproval(policy) || isSandbox(team)) return null
  if (typeof policy.hold === 'object' && policy.hold.notify?.length) return null
  const [row] = await db.query<{ hasApprovers: boolean }>(sql`select ${hasApprovers(team)} as "hasApprovers"`)
  return row!.hasApprovers ? null : NO_APPROVERS
}

/** The same as a part of an answer. */
export async function hintIn(
  db: Queryable,
  team: string,
  policy: Policy | null | undefined,
): Promise<{ readonly hint?: string }> {
  const hint = await hintFor(db, team, policy)
  return hint === null ? {} : { hint }
}

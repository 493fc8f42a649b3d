import type { Queryable } from '../../kernel/db/database.ts'
import { raw, sql } from '../../kernel/db/sql.ts'
import { MEMBERSHIPS, USERS } from '../people/reads.ts'
import { rolesWith } from '../people/roles.ts'
import { notifiedBy } from '../policies/reads.ts'

/** Somebody who may decide. */
export interface Approver {
  readonly email: string
  /** The policies of which mail is for them to decide about; null: those of all. */
  readonly policies: ReadonlySet<string> | null
}

/** Of a team with more of them those who decide most get mail; all see the dashboard. */
const MAX_MEMBERS = 50
const MAX_APPROVERS = 100

const MAY_APPROVE = rolesWith('write')
const POLICY = raw('given.id')

/** Who is asked about mail of these policies: members who may change things, owners first, and those whom the policies name. Each address once. */
export async function findApprovers(db: Queryable, team: string, policies: readonly string[]): Promise<Approver[]> {
  const members = await db.query<{ email: string }>(sql`
    select u.email from ${MEMBERSHIPS} m join ${USERS} u on u.id = m.user_id
    where m.team_id = ${team} and m.role = any (${MAY_APPROVE}::text[])
    order by array_position(${MAY_APPROVE}::text[], m.role), u.id limit ${MAX_MEMBERS}`)
  const named = await db.query<{ policyId: string; email: string }>(sql`
    select given.id as "policyId", notified.email from unnest(${policies}::uuid[]) given (id)
    cross join lateral ${notifiedBy(team, POLICY)} order by given.id, notified.email`)
  const approvers = new Map<string, Approver>(members.map(({ email }) => [keyOf(email), { email, policies: null }]))
  for (const { policyId, email } of named) {
    const known = approvers.get(keyOf(email))
    if (known?.policies === null || (!known && approvers.size >= MAX_APPROVERS)) continue
    approvers.set(keyOf(email), { email, policies: new Set([...(known?.policies ?? []), policyId]) })
  }
  return [...approvers.values()]
}

const keyOf = (email: string) => email.toLowerCase()

/** Somebody who was asked, as long as they may still decide. */
export interface StillApprover extends Approver {
  /** The person, if they are one of the team. */
  readonly userId: string | null
}

/** Whether somebody who was asked may still decide, about mail of which policies. Undefined: about none. */
export async function findApprover(
  db: Queryable,
  team: string,
  { email, policies }: { readonly email: string; readonly policies: readonly string[] },
): Promise<StillApprover | undefined> {
  const [member] = await db.query<{ id: string }>(sql`
    select u.id from ${MEMBERSHIPS} m join ${USERS} u on u.id = m.user_id
    where m.team_id = ${team} and lower(u.email) = lower(${email}) and m.role = any (${MAY_APPROVE}::text[])`)
  if (member) return { email, policies: null, userId: member.id }
  const named = await db.query<{ id: string }>(sql`
    select given.id from unnest(${policies}::uuid[]) given (id)
    where exists (select from ${notifiedBy(team, POLICY)} where lower(notified.email) = lower(${email}))`)
  return named.length > 0 ? { email, policies: new Set(named.map(({ id }) => id)), userId: null } : undefined
}

/** Those of some emails that are for them. */
export const ownOf = <Item extends { readonly policyId: string }>(
  { policies }: Approver,
  items: readonly Item[],
): readonly Item[] => (policies === null ? items : items.filter(({ policyId }) => policies.has(policyId)))

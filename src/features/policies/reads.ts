import { type Sql, sql } from '../../kernel/db/sql.ts'
import { isPending } from '../../kernel/jobs/queries.ts'
import { JUDGE_SCHEDULED } from './changes.ts'

// What others read of policies, as a part of their statements. The id is that of the key, the grant or the inbox.

/** The policy as JSON, or null. */
export const policyOf = (team: Sql, id: Sql): Sql =>
  sql`(select p.policy from policies p where p.team_id = ${team} and p.id = ${id})`

export const hasPolicy = (team: Sql, id: Sql): Sql =>
  sql`exists (select from policies p where p.team_id = ${team} and p.id = ${id})`

/** Whether an email was accepted under a policy, or scheduled by whoever has got it since. */
export const isSentUnder = (team: Sql, id: Sql, email: Sql): Sql =>
  sql`exists (select from policy_emails p where p.team_id = ${team} and p.policy_id = ${id} and p.email_id = ${email})`

/** Whether a policy has counted it. */
export const isCountedUnder = (team: Sql, id: Sql, email: Sql): Sql =>
  sql`exists (select from policy_emails p where p.team_id = ${team} and p.policy_id = ${id} and p.email_id = ${email} and p.recipients > 0)`

/** The minute in which an email counts under a policy; null: in none. */
export const countedAt = (team: Sql, id: Sql, email: Sql): Sql =>
  sql`(select p.counted_at from policy_emails p where p.team_id = ${team} and p.policy_id = ${id} and p.email_id = ${email})`

/** Whether a policy that is new, or another one, has still to be asked about an email that is scheduled: until then it does not leave. */
export const isToBeJudged = ({ team, email, key }: { team: Sql; email: Sql; key: Sql }): Sql => sql`(
  ${isPending(JUDGE_SCHEDULED, sql`${key}::text`)} or exists (
    select from policy_emails p where p.team_id = ${team} and p.email_id = ${email} and ${isPending(JUDGE_SCHEDULED, sql`p.policy_id::text`)}))`

/** The addresses that a policy names to be asked about mail that waits, as rows of `notified (email)`. */
export const notifiedBy = (team: string, id: Sql): Sql => sql`(
  select named.email from policies p, jsonb_array_elements_text(
    case when jsonb_typeof(p.policy -> 'hold' -> 'notify') = 'array' then p.policy -> 'hold' -> 'notify' else '[]' end) named (email)
  where p.team_id = ${team} and p.id = ${id}) notified`

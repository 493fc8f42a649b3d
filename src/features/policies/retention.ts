import { join, sql } from '../../kernel/db/sql.ts'
import { hours } from '../../kernel/jobs/job.ts'
import { madeBefore, ofTeam, retention } from '../../kernel/jobs/retention.ts'

/** What a key did, and what was refused, can be looked at for so long. */
const ACTIVITY_SECONDS = 90 * hours(24)

/** The longest window that is counted, and the minute in which it begins. */
const sweepUses = retention({
  name: 'policies.uses.sweep',
  keepSeconds: () => hours(25),
  async deleteBefore(db, { moment, limit, team }) {
    const rows = await db.query(sql.write`
      delete from policy_uses where (team_id, policy_id, recipient, minute) in (
        select team_id, policy_id, recipient, minute from policy_uses where minute < ${moment} ${ofTeam(team)} limit ${limit})
      returning emails`)
    return rows.length === limit
  },
})

const sweepRefusals = retention({
  name: 'policies.refusals.sweep',
  keepSeconds: () => ACTIVITY_SECONDS,
  async deleteBefore(db, { moment, limit, team }) {
    const rows = await db.query(sql.write`
      delete from policy_refusals where (team_id, policy_id, rule, minute, is_dry_run) in (
        select team_id, policy_id, rule, minute, is_dry_run from policy_refusals
        where minute < ${moment} ${ofTeam(team)} limit ${limit})
      returning rule`)
    return rows.length === limit
  },
})

const sweepEmails = retention({
  name: 'policies.emails.sweep',
  keepSeconds: () => ACTIVITY_SECONDS,
  async deleteBefore(db, { moment, limit, team }) {
    const old = join(madeBefore(sql`email_id`, moment), ' or ')
    const rows = await db.query(sql.write`
      delete from policy_emails where (team_id, policy_id, email_id) in (
        select team_id, policy_id, email_id from policy_emails where (${old}) ${ofTeam(team)} limit ${limit})
      returning email_id`)
    return rows.length === limit
  },
})

export const policyRetention = [sweepUses, sweepRefusals, sweepEmails]

import type { Transaction } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { minutes } from '../../kernel/jobs/job.ts'
import { enqueue } from '../../kernel/jobs/queries.ts'
import { isSandbox, newId } from '../../platform/ids.ts'
import { job } from '../definitions.ts'
import { APPROVAL_JOBS, NOTICE_INTERVAL_MS } from '../emails/delivery/approvals/approval.ts'
import {
  findNoticed,
  insertNotice,
  lastNoticeAt,
  lockNotices,
  MAX_UNNOTIFIED,
  type NoticedApproval,
  takeUnnotified,
} from '../emails/delivery/approvals/queries.ts'
import { sendSystemMail } from '../people/mail.ts'
import { TEAM_NAMES, TEAM_STATES } from '../teams/reads.ts'
import { type Approver, findApprovers, ownOf } from './approvers.ts'
import { approvalUrl, newSecret } from './links.ts'
import { noticeMail } from './notice-mail.ts'
import { MAX_DECIDED } from './schema.ts'
import type { ApprovalsServices } from './services.ts'

const SUSPENDED_RECHECK_MS = minutes(60) * 1_000

/**
 * Mails approvers about what waits and nobody was told of yet: one mail for each of them, however much it is. The mail is accepted in the transaction that says that they were told, and
 * rounds of a team take turns: run twice, at once or after a crash, it mails once.
 */
export const notifyApprovers = job<{ readonly team: string }>({
  name: APPROVAL_JOBS.notify,
  retryAfterSeconds: [5, 30, minutes(5), minutes(30)],
  async run({ team }, services) {
    const { db } = services
    // No mail of a sandbox leaves, and this would.
    if (isSandbox(team)) return
    const now = db.clock.now()
    await db.transaction(async (trx) => {
      // Two rounds at once would both find that the last mail is long ago, and each tell what the other does not see yet.
      await lockNotices(trx, team)
      if (await isStopped(trx, team)) return again(trx, team, new Date(now.getTime() + SUSPENDED_RECHECK_MS))
      const last = await lastNoticeAt(trx, team)
      const next = last && new Date(last.getTime() + NOTICE_INTERVAL_MS)
      if (next && next > now) return again(trx, team, next)
      const count = await tell(services, trx, team)
      if (count === MAX_UNNOTIFIED) await again(trx, team, new Date(now.getTime() + NOTICE_INTERVAL_MS))
    })
  },
})

const again = (trx: Transaction, team: string, runAt: Date): Promise<void> =>
  enqueue(trx, notifyApprovers, { team }, { key: team, runAt })

/** Nothing of it can be decided about while it is suspended. */
async function isStopped(trx: Transaction, team: string): Promise<boolean> {
  const [state] = await trx.query<{ isStopped: boolean }>(
    sql`select t.is_stopped as "isStopped" from ${TEAM_STATES} t where t.id = ${team}`,
  )
  return state?.isStopped ?? false
}

/** Gives how many there were. */
async function tell(services: ApprovalsServices, trx: Transaction, team: string): Promise<number> {
  const untold = await takeUnnotified(trx, team)
  if (untold.length === 0) return 0
  const approvers = await findApprovers(trx, team, [...new Set(untold.map(({ policyId }) => policyId))])
  const listed = approvers.map((approver) => {
    const own = ownOf(approver, untold)
    return { approver, ids: own.slice(0, MAX_DECIDED).map(({ id }) => id), count: own.length }
  })
  const shown = await findNoticed(trx, team, [...new Set(listed.flatMap(({ ids }) => ids))])
  const byId = new Map(shown.map((one) => [one.id, one]))
  const name = await nameOf(trx, team)
  for (const { approver, ids, count } of listed) {
    const mail = ids.map((id) => byId.get(id)).filter((one) => one !== undefined)
    if (mail.length > 0) await mailTo(services, trx, { team, name, approver, mail, count })
  }
  return untold.length
}

interface NoticeTo {
  readonly team: string
  readonly name: string
  readonly approver: Approver
  readonly mail: readonly NoticedApproval[]
  readonly count: number
}

/**
 * It is mail of the installation, and never of the team, whose keys could read the links in it and decide about mail of their own: not on a laptop either, where the
 * log tells the link.
 */
async function mailTo(services: ApprovalsServices, trx: Transaction, { team, name, approver, mail, count }: NoticeTo) {
  const { email: to } = approver
  const own = trx.clock.of(team)
  const last = new Date(Math.max(...mail.map(({ expiresAt }) => expiresAt.getTime())))
  const { secret, secretDigest } = newSecret()
  const notice = {
    id: newId(trx.clock),
    secretDigest,
    approver: to,
    emails: mail.map(({ id }) => id),
    expiresAt: own.toReal(last),
  }
  await insertNotice(trx, team, notice)
  const url = approvalUrl(services, { team, secret, ...notice })
  const [approveUrl, refuseUrl] = [`${url}&decision=approve`, `${url}&decision=refuse`]
  const dashboardUrl = `${services.publicUrl()}/dashboard`
  const content = noticeMail({ team: name, mail, count, approveUrl, refuseUrl, dashboardUrl })
  await sendSystemMail(services, { to, link: approveUrl, about: null, ...content }, trx)
}

async function nameOf(trx: Transaction, team: string): Promise<string> {
  const [row] = await trx.query<{ name: string }>(sql`select t.name from ${TEAM_NAMES} t where t.id = ${team}`)
  return row?.name ?? ''
}

import type { Database, Transaction } from '../../../../kernel/db/database.ts'
import { rowsOf } from '../../../../kernel/db/rows.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import { hours, type Job, job, minutes } from '../../../../kernel/jobs/job.ts'
import { recordAll } from '../../../../kernel/outbox/record.ts'
import { relayHeadersIn } from '../../../../mail/relay-headers.ts'
import { isSandbox } from '../../../../platform/ids.ts'
import { type Config, keepsMail } from '../../../../platform/settings/config.ts'
import { enqueueJudging, JUDGE_SCHEDULED, type JudgingScheduled } from '../../../policies/changes.ts'
import { followRefusals } from '../../../policies/jobs.ts'
import { lockAndJudge } from '../../../policies/judging.ts'
import { type StoredPolicy, writePolicyEmails } from '../../../policies/queries.ts'
import { isCountedUnder, isSentUnder } from '../../../policies/reads.ts'
import { insertRefusals } from '../../../policies/refusals.ts'
import type { RefusedEmail } from '../../../policies/refused.ts'
import { heldUntil, requiresApproval } from '../../../policies/rules.ts'
import { MAX_DAYS_AHEAD } from '../acceptance/scheduling-limit.ts'
import { APPROVAL_HOLD } from '../ledger/approval-hold.ts'
import { queueScheduled } from '../ledger/last-events.ts'
import { approvalEventData, enqueueApprovalJobs, type PendingApproval } from './approval.ts'

/** By then no process takes the key for one without a policy, and what was accepted so has committed. */
const RECHECK_AFTER_MS = 10_000
const PAGE_SIZE = 50

interface Scheduled {
  readonly team: string
  readonly id: string
  readonly from: string
  readonly to: readonly string[]
  readonly cc: readonly string[] | null
  readonly bcc: readonly string[] | null
  readonly subject: string
  readonly createdAt: Date
  readonly scheduledAt: Date | null
  readonly recipients: readonly string[]
  readonly headerNames: readonly string[]
  readonly isCounted: boolean
}

/** An email that is not to leave as it was scheduled, and why. */
interface RejectedEmail {
  readonly email: Scheduled
  readonly objections: readonly RefusedEmail[]
}

/**
 * Asks a policy that is new, or stricter, about mail that was scheduled before: what it does not allow waits for approval. What it does is counted, if it was not. Run
 * twice, it finds less. It runs once more later, for what other processes have accepted meanwhile, and as often as some of it is claimed: until then it does not leave
 * (`isToBeJudged`).
 */
export const judgeScheduled: Job<JudgingScheduled, { readonly db: Database; readonly config: Config }> = job({
  name: JUDGE_SCHEDULED,
  // Mail waits for it, so it is tried for as long as any can be scheduled ahead.
  retryAfterSeconds: [1, 5, 30, minutes(2), minutes(10), ...Array<number>(MAX_DAYS_AHEAD * 24).fill(hours(1))],
  async run(payload, { db, config, signal }) {
    const options = { keepsMail: (team: string) => keepsMail(config, team) }
    let isSomeClaimed = false
    for (let after: string | null = MIN_UUID; after !== null; ) {
      signal.throwIfAborted()
      const from: string = after
      const page = await db.transaction((trx) => judgePage(trx, { ...payload, after: from }, options))
      after = page.last
      isSomeClaimed ||= page.isSomeClaimed
    }
    // The clock of a sandbox may go far in the seconds that this takes, and none of its mail leaves.
    if ((!payload.isSecond || isSomeClaimed) && !isSandbox(payload.team))
      await db.transaction((trx) => enqueueJudging(trx, { ...payload, isSecond: true }, RECHECK_AFTER_MS))
  },
})

const MIN_UUID = '00000000-0000-0000-0000-000000000000'

interface Page {
  /** The last email of it. Null: there is no more to ask about. */
  readonly last: string | null
  /** Some of it is at a worker at this moment, so that it could not be set aside. */
  readonly isSomeClaimed: boolean
}

const NOTHING: Page = { last: null, isSomeClaimed: false }

async function judgePage(
  trx: Transaction,
  { team, policyId, guards, after }: JudgingScheduled & { readonly after: string },
  options: Parameters<typeof lockAndJudge>[2],
): Promise<Page> {
  const mail = await findScheduled(trx, team, { policyId, after })
  // Whether its content is that of a template nobody knows any more.
  const requests = mail.map((email) => {
    const relayHeaders = relayHeadersIn(email.headerNames)
    return { email, emails: [{ ...email, policyId, isTemplateAsIs: false, relayHeaders }] }
  })
  const judge = await lockAndJudge(trx, requests, options)
  const stored = requests[0] && judge?.policyOf(requests[0])
  if (!judge || !stored || stored.policy.dry_run) return NOTHING
  const isHolding = guards.includes('hold') && requiresApproval(stored.policy)
  const fitting: typeof requests = []
  const stopped: RejectedEmail[] = []
  for (const request of requests) {
    const { email } = request
    const isAsked = (rule: string) =>
      guards.some((guard) => guard === rule) && !(email.isCounted && rule.startsWith('max_'))
    const objections = judge.objections(request).filter(({ refusal }) => isAsked(refusal.rule))
    if (isHolding || objections.length > 0) stopped.push({ email, objections })
    else if (!email.isCounted) {
      judge.take(request)
      fitting.push(request)
    }
  }
  await judge.record(trx, fitting)
  const isSomeClaimed = await holdScheduled(trx, stored, stopped)
  return { last: mail.length === PAGE_SIZE ? mail.at(-1)!.id : null, isSomeClaimed }
}

/** What a person has approved is not asked about again. */
const findScheduled = (
  trx: Transaction,
  team: string,
  { policyId, after }: { readonly policyId: string; readonly after: string },
): Promise<Scheduled[]> =>
  trx.query(sql`
    select e.team_id as team, e.id, e."from", e."to", e.cc, e.bcc, e.subject, e.created_at as "createdAt", e.scheduled_at as "scheduledAt",
      array(select d.recipient from deliveries d where d.team_id = e.team_id and d.email_id = e.id order by d.position) as recipients,
      array(select h ->> 'name' from jsonb_array_elements(coalesce(e.headers, '[]')) h) as "headerNames",
      ${isCountedUnder(sql`e.team_id`, sql`${policyId}::uuid`, sql`e.id`)} as "isCounted"
    from emails_by_status s join emails e on e.team_id = s.team_id and e.id = s.email_id
    where s.team_id = ${team} and s.status = 'scheduled' and s.email_id > ${after} and e.last_event = 'scheduled'
      and (e.api_key_id = ${policyId} or ${isSentUnder(sql`e.team_id`, sql`${policyId}::uuid`, sql`e.id`)})
      and not exists (select from approvals a where a.team_id = e.team_id and a.email_id = e.id)
    order by s.email_id limit ${PAGE_SIZE}`)

/** As if it had been submitted under a policy with `hold`. True: some of it is claimed, and has to be asked about again. */
async function holdScheduled(
  trx: Transaction,
  { team, policyId, holder, policy }: StoredPolicy,
  stopped: readonly RejectedEmail[],
): Promise<boolean> {
  const expiresAt = heldUntil(policy, trx.clock.of(team).now())
  const held = new Map<Scheduled, PendingApproval>()
  const refused: RefusedEmail[] = []
  let isSomeClaimed = false
  for (const { email, objections } of stopped) {
    const became = await setAside(trx, team, email.id)
    isSomeClaimed ||= became === 'claimed'
    if (became !== 'set aside') continue
    held.set(email, { policyId, holder, expiresAt })
    refused.push(...objections)
  }
  const emails = [...held.keys()]
  if (emails.length === 0) return isSomeClaimed
  const rows = sql`(select team, id from ${rowsOf(
    emails.map(({ id }) => ({ team, id })),
    { team: 'uuid', id: 'uuid' },
  )})`
  await trx.query(queueScheduled(rows))
  await trx.query(sql.write`
    insert into approvals (team_id, email_id, policy_id, holder, status, expires_at)
    select team, id, ${policyId}, ${holder}, 'waiting', ${expiresAt} from ${rows} held`)
  await recordAll(
    trx,
    emails.map((email) => ({
      ...{ team, type: 'approval.requested' as const, about: email.id },
      data: approvalEventData(email, {
        ...{ policyId, holder, expiresAt, status: 'waiting', decidedAt: null, decidedBy: null },
        scheduledAt: email.scheduledAt,
      }),
    })),
  )
  await writePolicyEmails(
    trx,
    emails.map(({ id, recipients }) => ({
      ...{ team, policyId, id, recipients: recipients.length, isHeld: true, countedAt: null },
    })),
  )
  if (refused.length > 0) {
    await followRefusals(trx, [{ team, policyId }])
    await insertRefusals(trx, refused, { isDryRun: false })
  }
  await enqueueApprovalJobs(trx, emails, held)
  return isSomeClaimed
}

/** The rows come before the email, as they do for a worker that claims them. `gone`: it has begun to leave, or somebody has canceled it. */
async function setAside(trx: Transaction, team: string, id: string): Promise<'set aside' | 'claimed' | 'gone'> {
  const rows = await trx.query<{ isWaiting: boolean; isClaimed: boolean }>(sql`
    select state = 'waiting' as "isWaiting", holder is not null as "isClaimed" from deliveries
    where team_id = ${team} and email_id = ${id} for update`)
  const [email] = await trx.query<{ isScheduled: boolean }>(sql`
    select last_event = 'scheduled' as "isScheduled" from emails where team_id = ${team} and id = ${id} for update`)
  const waiting = rows.filter(({ isWaiting }) => isWaiting)
  if (!email?.isScheduled || waiting.length === 0) return 'gone'
  if (waiting.some(({ isClaimed }) => isClaimed)) return 'claimed'
  await trx.query(sql.write`
    update deliveries d set suspended_at = ${trx.clock.now()}, hold_id = ${APPROVAL_HOLD}
    where d.state = 'waiting' and d.team_id = ${team} and d.email_id = ${id}`)
  return 'set aside'
}

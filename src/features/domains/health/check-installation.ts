import type { Transaction } from '../../../kernel/db/database.ts'
import { hours, minutes } from '../../../kernel/jobs/job.ts'
import { enqueue } from '../../../kernel/jobs/queries.ts'
import { newId } from '../../../platform/ids.ts'
import { hostName } from '../../../platform/settings/config.ts'
import { job } from '../../definitions.ts'
import { sendSystemMail } from '../../people/mail.ts'
import type { Services } from '../../services.ts'
import { newProblems, recoveredOf, withSince, withUnseen } from './finding.ts'
import { type Examined, examineInstallation } from './installation.ts'
import { changeMail, type InstallationChange } from './installation-change.ts'
import { postInstallationChange } from './installation-webhook.ts'
import { findInstallationHealth, listOperators, lockInstallationHealth, writeInstallationHealth } from './queries.ts'

const DAY_SECONDS = hours(24)
/** While something is wrong, somebody is mending it. */
const PROBLEM_SECONDS = hours(1)

type NoticeServices = Pick<Services, 'db' | 'config' | 'log' | 'sealer' | 'systemTeam' | 'publicUrl'>

type ExaminingServices = NoticeServices & Pick<Services, 'clock' | 'resolver'>

/**
 * Examines once a day what is the same for all domains, and every hour while it has a problem. What has changed is told in the transaction that
 * writes it down: of two that examine at once the second finds no change, and one that is cut off has told nothing.
 */
export const checkInstallation = job({
  name: 'domains.check-installation',
  everySeconds: minutes(15),
  retryAfterSeconds: [],
  async run(_payload, services: ExaminingServices) {
    const { db, clock, config, resolver, log } = services
    const known = await findInstallationHealth(db)
    if (known && known.nextCheckAt > clock.now()) return
    const examined = await examineInstallation({ db, resolver, config, now: clock.now() })
    const change = await db.transaction((trx) => writeChange(services, trx, examined))
    for (const { check, message } of change?.broken ?? [])
      log.warn({ check, message }, 'domains: a problem of the installation was found')
    for (const { check, message } of change?.recovered ?? [])
      log.info({ check, message }, 'domains: a problem of the installation is over')
  },
})

/** Null: nothing has changed, or somebody else has just looked. */
async function writeChange(services: NoticeServices, trx: Transaction, { found, isWhole }: Examined) {
  const { findings: before, nextCheckAt } = await lockInstallationHealth(trx)
  const now = trx.clock.now()
  if (nextCheckAt > now) return null
  const seen = withSince(found, before, now)
  const findings = isWhole ? seen : withUnseen(seen, before)
  const problems = findings.filter(({ status }) => status === 'problem').length
  const afterSeconds = problems > 0 ? PROBLEM_SECONDS : DAY_SECONDS
  await writeInstallationHealth(trx, { findings, nextCheckAt: new Date(now.getTime() + afterSeconds * 1_000) })
  const change = { broken: newProblems(before, findings), recovered: recoveredOf(before, findings), problems }
  if (change.broken.length + change.recovered.length === 0) return null
  await tellOperators(services, trx, change)
  return change
}

async function tellOperators(services: NoticeServices, trx: Transaction, change: InstallationChange) {
  const { config } = services
  const link = `${services.publicUrl()}/dashboard`
  const mail = changeMail(change, { host: hostName(config), link })
  for (const { email: to } of await listOperators(trx))
    await sendSystemMail(services, { to, link, about: null, ...mail }, trx)
  if (!config.OPERATOR_WEBHOOK) return
  const at = trx.clock.now().toISOString()
  await enqueue(trx, postInstallationChange, { id: newId(trx.clock), at, change })
}

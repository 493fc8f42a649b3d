import { hours, minutes } from '../../../kernel/jobs/job.ts'
import { job } from '../../definitions.ts'
import { newProblems, recoveredOf, withSince } from './finding.ts'
import { examineInstallation } from './installation.ts'
import { findInstallationHealth, writeInstallationHealth } from './queries.ts'

const DAY_SECONDS = hours(24)
/** While something is wrong, somebody is mending it. */
const PROBLEM_SECONDS = hours(1)

/**
 * Examines once a day what is the same for all domains, and every hour while it has a problem. Running it twice finds the same in the DNS and
 * writes the same.
 */
export const checkInstallation = job({
  name: 'domains.check-installation',
  everySeconds: minutes(15),
  retryAfterSeconds: [],
  async run(_payload, { db, clock, config, resolver, log }) {
    const known = await findInstallationHealth(db)
    if (known && known.nextCheckAt > clock.now()) return
    const found = await examineInstallation({ db, resolver, config, now: clock.now() })
    const now = clock.now()
    const before = known?.findings ?? []
    const findings = withSince(found, before, now)
    const hasProblem = findings.some(({ status }) => status === 'problem')
    const afterSeconds = hasProblem ? PROBLEM_SECONDS : DAY_SECONDS
    await writeInstallationHealth(db, { findings, nextCheckAt: new Date(now.getTime() + afterSeconds * 1_000) })
    for (const { check, message } of newProblems(before, findings))
      log.warn({ check, message }, 'domains: a problem of the installation was found')
    for (const { check, message } of recoveredOf(before, findings))
      log.info({ check, message }, 'domains: a problem of the installation is over')
  },
})

import type pg from 'pg'
import { findWorks } from '../../../kernel/db/presence.ts'
import { readRestored } from '../../../kernel/db/restored-backup.ts'
import type { Checks } from '../../../kernel/http/system.ts'
import type { Config } from '../../../platform/settings/config.ts'
import { WORK_OF_ROLE } from '../../roles/readiness.ts'
import { localUrl } from '../local-url.ts'
import { type CheckInput, type Finding, fault, fine, warning } from './finding.ts'

const ANSWER_MS = 3_000

/** What to do about a check of `/readyz` that failed. Of roles the table of nodes tells more. */
const ADVICE: Readonly<Record<string, string>> = {
  'database away': 'The running service gets no answer from its database.',
  'database read_only':
    'The running service cannot write to its database, which is read-only: connect to the primary, or end the read-only mode.',
  'database disk_full': 'The running service cannot write to its database: the disk is full. Free some space.',
  'clock off': "The clock of this machine is not the database's, so the service that runs does not work: set it right.",
  'heartbeat unproven':
    'The running service cannot write its heartbeat, so it neither claims nor sends: check the load of the machine and the database.',
  'blobs away': 'The running service cannot write to its blob store.',
  'blobs disk_full': 'The running service cannot write to its blob store: it is full. Free some space.',
}

/** What the service of these settings says about itself, if one runs here. */
export async function checkRunning({ config }: CheckInput): Promise<Finding[]> {
  const checks = config.PORT === 0 ? null : await askReadiness(config)
  if (!checks) return []
  const failed = Object.entries(checks).flatMap(([check, state]) => ADVICE[`${check} ${state}`] ?? [])
  if (failed.length > 0) return failed.map((message) => fault('service', message))
  return [fine('service', 'Service: running and ready.')]
}

async function askReadiness(config: Config): Promise<Checks | null> {
  try {
    const answer = await fetch(`${localUrl(config)}/readyz`, {
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    const { checks } = (await answer.json()) as { checks?: Checks }
    return checks ?? null
  } catch {
    return null
  }
}

/** Roles that no process of the installation has while others run. On hold nobody delivers. */
export async function checkRoles(client: pg.Client, { HOLD }: Config): Promise<Finding[]> {
  const restored = await readRestored(client)
  if (restored)
    return [
      warning(
        'restore',
        `Restored from the backup ${restored.name}: nothing is sent until \`postwren restore --finish\` and a restart.`,
      ),
    ]
  if (HOLD === 'on') return []
  const nodes = await findWorks(client)
  if (nodes === null || nodes.length === 0) return []
  const missing = Object.entries(WORK_OF_ROLE).filter(([, work]) => !nodes.some((works) => works.includes(work)))
  return missing.map(([role]) =>
    fault('roles', `No running process has the role ${role}: start one with POSTWREN_ROLES=${role}.`),
  )
}

import type pg from 'pg'
import type { Checks } from '../../../kernel/http/system.ts'
import type { Config } from '../../../platform/settings/config.ts'
import { WORK_OF_ROLE } from '../../roles/readiness.ts'
import { type CheckInput, type Finding, fault, fine } from './finding.ts'

const ANSWER_MS = 3_000

/** Where a service of these settings answers, for whoever is on its machine. */
export const localUrl = ({ HOST, PORT }: Pick<Config, 'HOST' | 'PORT'>): string => {
  const host = HOST === '0.0.0.0' || HOST === '::' ? 'localhost' : HOST.includes(':') ? `[${HOST}]` : HOST
  return `http://${host}:${PORT}`
}

/** What to do about a check of `/readyz` that failed. Of roles the table of nodes tells more. */
const ADVICE: Readonly<Record<string, string>> = {
  'database away': 'The service that runs gets no answer from its database.',
  'database read_only':
    'The service that runs cannot write to its database, which is read-only: name the primary, or end the read-only mode.',
  'database disk_full': 'The service that runs cannot write to its database, whose disk is full: make room.',
  'clock off': "The clock of this machine is not the database's, so the service that runs does not work: set it right.",
  'heartbeat unproven':
    'The service that runs cannot write its heartbeat, so it neither claims nor sends: look at the load of machine and database.',
  'blobs away': 'The service that runs cannot write to its blob store.',
  'blobs disk_full': 'The service that runs cannot write to its blob store, which is full: make room.',
}

/** What the service of these settings says about itself, if one runs here. */
export async function checkRunning({ config }: CheckInput): Promise<Finding[]> {
  const checks = config.PORT === 0 ? null : await askReadiness(config)
  if (!checks) return []
  const failed = Object.entries(checks).flatMap(([check, state]) => ADVICE[`${check} ${state}`] ?? [])
  if (failed.length > 0) return failed.map((message) => fault('service', message))
  return [fine('service', 'Service: one runs here and says that it is ready.')]
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

/** Roles that no process of the installation has while others run. */
export async function checkRoles(client: pg.Client, { HOLD }: Config): Promise<Finding[]> {
  const { rows: table } = await client.query<{ isThere: boolean }>(
    `select to_regclass('nodes') is not null as "isThere"`,
  )
  if (HOLD === 'on' || !table[0]!.isThere) return []
  const { rows: nodes } = await client.query<{ works: string[] }>('select works from nodes')
  if (nodes.length === 0) return []
  const missing = Object.entries(WORK_OF_ROLE).filter(([, work]) => !nodes.some(({ works }) => works.includes(work)))
  return missing.map(([role]) =>
    fault(
      'roles',
      `No process that runs has the role ${role}, so what waits for it does not move: start one with POSTWREN_ROLES=${role}.`,
    ),
  )
}

import type { ROLES } from './config.ts'
import { SettingError } from './settings.ts'

export type Role = (typeof ROLES)[number]

/** What a process may open to PostgreSQL at once, and what for. */
export interface ConnectionBudget {
  /** All of them, with the lease of an embedded server. */
  readonly max: number
  /** Those to its own database: heartbeat, probe, pipelines and pooled ones. */
  readonly sessions: number
  /** For quick statements, many at a time on each. */
  readonly pipelines: number
  /** For transactions and slow statements, one at a time on each. */
  readonly pooled: number
  /** Of the pooled ones, for requests of teams at most. */
  readonly requests: number
  /** The same for their jobs. What neither may take is for accepting, delivering and telling. */
  readonly jobs: number
}

/** Its heartbeat, which also listens; and the probe that asks about a statement which takes long, or for a database that is lost. */
const HEARTBEAT_AND_PROBE = 2
/** On the embedded server each process holds a lock, on a connection of its own. */
const EMBEDDED_LEASE = 1
/** On two cores more of them only raised the p99 (docs/decisions/0002). */
const MAX_PIPELINES = 3

/**
 * Unless the setting says otherwise. Ten processes of any roles fit into the 147 that a server with max_connections = 150 has for ordinary users. `jobs` runs
 * webhooks, automations and filing, too; `delivery` writes outcomes in batches, one at a time. A process with all roles that could have had 24 pooled ones took
 * 9 of them at once at most when it sent 2 kB emails, 7 in a broadcast and when it read mail, 3 for webhooks and 2 to accept.
 */
const DEFAULTS: Readonly<Record<Role, number>> = { api: 12, delivery: 10, jobs: 13, smtp: 10 }
const DEFAULT_OF_SEVERAL_ROLES = 14

/** One pipeline, and two pooled connections: a slow statement must not stop all others. Where requests and jobs meet there is one more. */
const MIN_OF_ONE_ROLE = HEARTBEAT_AND_PROBE + 3
const MIN_OF_SEVERAL_ROLES = MIN_OF_ONE_ROLE + 1
export const MIN_CONNECTIONS = MIN_OF_ONE_ROLE

export interface BudgetSettings {
  readonly ROLES: readonly Role[]
  readonly DATABASE_URL?: string | undefined
  readonly DATABASE_CONNECTIONS?: number | undefined
}

export function connectionBudget({ ROLES, DATABASE_URL, DATABASE_CONNECTIONS }: BudgetSettings): ConnectionBudget {
  const lease = leaseOf(DATABASE_URL)
  const max = DATABASE_CONNECTIONS ?? lease + (isOneRole(ROLES) ? DEFAULTS[ROLES[0]!] : DEFAULT_OF_SEVERAL_ROLES)
  const sessions = max - lease
  const rest = sessions - HEARTBEAT_AND_PROBE
  const pipelines = Math.min(MAX_PIPELINES, Math.max(1, Math.floor(rest / 3)))
  const pooled = rest - pipelines
  return { max, sessions, pipelines, pooled, ...sharesOf(pooled, ROLES) }
}

/** Where there are requests and jobs, one half is for requests and a third for jobs; either of them alone has the half. */
function sharesOf(pooled: number, roles: readonly Role[]) {
  const hasRequests = roles.includes('api') || roles.includes('smtp')
  const hasJobs = roles.includes('jobs')
  const half = Math.ceil(pooled / 2)
  if (!(hasRequests && hasJobs)) return { requests: half, jobs: half }
  return { requests: Math.max(1, Math.floor(pooled / 2)), jobs: Math.max(1, Math.floor(pooled / 3)) }
}

const isOneRole = (roles: readonly Role[]) => new Set(roles).size === 1
const leaseOf = (databaseUrl: string | undefined) => (databaseUrl ? 0 : EMBEDDED_LEASE)

/** Refuses a budget that the roles of the process cannot work with. */
export function requireBudget({ ROLES, DATABASE_URL, DATABASE_CONNECTIONS: given }: BudgetSettings) {
  const least = (isOneRole(ROLES) ? MIN_OF_ONE_ROLE : MIN_OF_SEVERAL_ROLES) + leaseOf(DATABASE_URL)
  if (given === undefined || given >= least) return
  const roles = isOneRole(ROLES) ? `the role ${ROLES[0]}` : `the roles ${ROLES.join(', ')}`
  const place = DATABASE_URL ? '' : ' on the embedded PostgreSQL'
  throw new SettingError(
    `POSTWREN_DATABASE_CONNECTIONS must be at least ${least} for a process with ${roles}${place}, not \`${given}\`.`,
  )
}

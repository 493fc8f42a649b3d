import { setTimeout as wait } from 'node:timers/promises'
import type { WatchedBlobStore } from '../../adapters/blobs/watched-blob-store.ts'
import { DELIVERIES_CHANNEL } from '../../features/emails/delivery/ledger/queries.ts'
import { findRoutesDown } from '../../features/emails/delivery/routes/route-store.ts'
import { type RouteConfig, routeTableOf } from '../../features/emails/delivery/routes/route-table.ts'
import type { Database } from '../../kernel/db/database.ts'
import type { Checks } from '../../kernel/http/system.ts'
import { JOBS_CHANNEL } from '../../kernel/jobs/queries.ts'
import type { Metrics } from '../../platform/observability/metrics.ts'
import type { Config } from '../../platform/settings/config.ts'

/** Whoever asks has a time limit of its own, seldom more than two seconds. */
export const READINESS = { answerMs: 1_000 }

/** Roles without which accepted mail, webhooks and jobs wait, and what a node advertises that has one. */
export const WORK_OF_ROLE = { delivery: DELIVERIES_CHANNEL, jobs: JOBS_CHANNEL } as const
type WorkingRole = keyof typeof WORK_OF_ROLE
const WORKING_ROLES = Object.keys(WORK_OF_ROLE) as WorkingRole[]

interface ReadinessParts {
  readonly db: Database
  readonly blobs: WatchedBlobStore
  readonly config: Pick<Config, 'ROLES' | 'HOLD'> & Partial<RouteConfig>
  readonly metrics: Metrics
}

/** What each check can say. For the metrics, which show all of it from the beginning on. */
const STATES = {
  database: ['ok', 'away', 'read_only', 'disk_full'],
  clock: ['ok', 'off'],
  heartbeat: ['ok', 'unproven'],
  blobs: ['ok', 'away', 'disk_full'],
  roles: ['ok', 'missing'],
  routes: ['ok', 'down'],
} as const satisfies Partial<Record<keyof Checks, readonly string[]>>

/** Whether this process can do its work, and whether anybody does what it leaves to others. */
export class ReadinessChecks {
  readonly #parts: ReadinessParts
  readonly #routes: readonly string[]

  constructor(parts: ReadinessParts) {
    this.#parts = parts
    const { DELIVERY = 'inbox', ROUTES = null, RELAY_URL, RELAY_CONNECTIONS = 1 } = parts.config
    const { routes } = routeTableOf({ DELIVERY, ROUTES, RELAY_URL, RELAY_CONNECTIONS })
    this.#routes = routes.map(({ name }) => name)
    parts.metrics.addGauge(
      {
        name: 'postwren_check',
        help: 'Checks of /readyz: 1 for the current state of a check.',
        labelNames: ['check', 'state'],
      },
      async () => {
        const checks = await this.read()
        return Object.entries(STATES).flatMap(([check, states]) =>
          states.map((state) => ({
            labels: { check, state },
            value: Number(checks[check as keyof typeof STATES] === state),
          })),
        )
      },
    )
    parts.metrics.addGauge(
      {
        name: 'postwren_role_processes',
        help: 'Processes with a role, as seen by this one.',
        labelNames: ['role'],
      },
      async () => WORKING_ROLES.map((role) => ({ labels: { role }, value: this.#processesWith(role) })),
    )
  }

  async read(): Promise<Omit<Checks, 'service'>> {
    const { db, blobs } = this.#parts
    const [isAnswering, writeState, blobState] = await Promise.all([
      db.isAnswering(READINESS.answerMs),
      db.readWriteState(),
      blobs.readState(),
    ])
    const missingRoles = this.#missingRoles()
    const routesDown = isAnswering && this.#routes.length > 0 ? await this.#routesDown() : []
    return {
      database: writeState !== 'ok' ? writeState : isAnswering ? 'ok' : 'away',
      clock: db.presence.isInStep ? 'ok' : 'off',
      heartbeat: db.presence.holdsLease() ? 'ok' : 'unproven',
      blobs: blobState,
      roles: missingRoles.length === 0 ? 'ok' : 'missing',
      ...(missingRoles.length > 0 && { missing_roles: missingRoles }),
      ...(this.#routes.length > 0 && { routes: routesDown.length > 0 ? ('down' as const) : ('ok' as const) }),
      ...(routesDown.length > 0 && { routes_down: routesDown }),
    }
  }

  /** What the nodes that deliver have found out. A database that does not answer is another check's matter. */
  #routesDown(): Promise<readonly string[]> {
    const found = findRoutesDown(this.#parts.db, this.#routes).catch(() => [])
    return Promise.race([found, wait(READINESS.answerMs, [], { ref: false })])
  }

  /** While everything is held back on purpose, nobody delivers. */
  #missingRoles(): WorkingRole[] {
    if (this.#parts.config.HOLD === 'on') return []
    return WORKING_ROLES.filter((role) => this.#processesWith(role) === 0)
  }

  #processesWith(role: WorkingRole): number {
    const { db, config } = this.#parts
    const others = db.presence.others.filter(({ works }) => works.includes(WORK_OF_ROLE[role]))
    return others.length + Number(config.ROLES.includes(role))
  }
}

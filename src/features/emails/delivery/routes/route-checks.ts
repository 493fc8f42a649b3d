import type { Database } from '../../../../kernel/db/database.ts'
import { levelOf } from '../../../../platform/database-errors.ts'
import type { Log } from '../../../../platform/observability/log.ts'
import type { CheckedRoute, RouteCheck } from './check-route.ts'
import type { RouteStates } from './route-states.ts'

/** A route that no mail has gone for so long is asked how it is: one that is kept for the worst must not be found dead then. */
const CHECK_EVERY_MS = 45_000

/** Asks routes that have nothing to do, with each heartbeat that is due. */
export class RouteChecks {
  readonly #db: Database
  readonly #log: Log
  readonly #states: RouteStates
  readonly #routes: readonly CheckedRoute[]
  readonly #check: (route: CheckedRoute) => Promise<RouteCheck>
  readonly #askedMs = new Map<string, number>()
  readonly #asking = new Set<string>()

  constructor(
    db: Database,
    parts: {
      log: Log
      states: RouteStates
      routes: readonly CheckedRoute[]
      check(route: CheckedRoute): Promise<RouteCheck>
    },
  ) {
    this.#db = db
    this.#log = parts.log
    this.#states = parts.states
    this.#routes = parts.routes
    this.#check = parts.check
  }

  async follow(): Promise<() => void> {
    const { presence } = this.#db
    const look = () => void this.checkIdle()
    presence.on('renewed', look)
    return () => presence.off('renewed', look)
  }

  /** Asks those that are due, and tells their breakers. */
  async checkIdle(): Promise<void> {
    const now = performance.now()
    const due = this.#routes.filter(({ name }) => {
      const heardMs = Math.max(this.#askedMs.get(name) ?? Number.NEGATIVE_INFINITY, this.#states.heardMs(name))
      return now - heardMs >= CHECK_EVERY_MS && !this.#asking.has(name) && !this.#states.isHeld(name)
    })
    await Promise.all(due.map((route) => this.#ask(route)))
  }

  async #ask(route: CheckedRoute) {
    const { name } = route
    this.#asking.add(name)
    this.#askedMs.set(name, performance.now())
    const startedAt = this.#db.clock.now()
    try {
      const found = await this.#check(route)
      if (found.kind === 'faulty' && this.#states.admits(name)) this.#states.begin(name)
      if (found.kind === 'faulty') this.#states.failed(name, startedAt, found)
      else if (!this.#states.isForMailOnly(name)) this.#states.answered(name, startedAt)
    } catch (error) {
      this.#log[levelOf(error, 'error')]({ error, route: name }, 'delivery: checking a route failed')
    } finally {
      this.#asking.delete(name)
    }
  }
}

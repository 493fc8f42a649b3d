import type { Database } from '../../../../kernel/db/database.ts'
import { levelOf } from '../../../../platform/database-errors.ts'
import type { Log } from '../../../../platform/observability/log.ts'
import { follow } from '../pace/follow.ts'
import { admits, type BreakerEvent, closedBreaker, isAhead, nextBreaker } from './breaker.ts'
import {
  applyRouteUpdate,
  type FaultOfRoute,
  findRoutes,
  type KeptRoute,
  ROUTES_CHANNEL,
  type RouteUpdate,
} from './route-store.ts'

const WORDS: Readonly<Record<FaultOfRoute['fault'], string>> = {
  connection: 'cannot be reached',
  login: 'refuses the login',
  tls: 'cannot be trusted: TLS fails',
  refused: 'takes no mail',
  answer: 'does not answer',
}

const ELSEWHERE = 'mail takes another route or waits'
const NOWHERE = 'all mail waits'

/** What is wrong with a route, in words. */
export const faultInWords = ({ fault }: Pick<FaultOfRoute, 'fault'>) => WORDS[fault]

/**
 * How the routes are. In memory, so that no mail asks the database; what this process finds out is told to all others through it, and
 * holds here before it is written: a process without its database leaves a dead route alone, too.
 */
export class RouteStates {
  readonly #db: Database
  readonly #log: Log
  readonly #routes: Map<string, KeptRoute>
  /** When a mail last heard something of each route, by the process's own clock. */
  readonly #heardMs = new Map<string, number>()
  /** The news of each route are written one after the other. */
  readonly #writing = new Map<string, Promise<void>>()

  constructor(db: Database, { log, names }: { log: Log; names: readonly string[] }) {
    this.#db = db
    this.#log = log
    const now = this.#nowMs()
    this.#routes = new Map(
      names.map((name) => [name, { name, breaker: closedBreaker(now), fault: null, hold: null } as KeptRoute]),
    )
  }

  /** Follows what other nodes find out, until the function that it gives is called. */
  follow(): Promise<() => void> {
    return follow(this.#db, ROUTES_CHANNEL, () => this.#refresh())
  }

  list(): KeptRoute[] {
    return [...this.#routes.values()]
  }

  /** Whether it takes mail, as far as is known. */
  isUp(name: string): boolean {
    const route = this.#routes.get(name)
    return route !== undefined && route.hold === null && route.breaker.state === 'closed'
  }

  isHeld(name: string): boolean {
    return this.#routes.get(name)?.hold != null
  }

  /** Whether its fault is one that only mail finds out about: who brings none is answered all the same. */
  isForMailOnly(name: string): boolean {
    const fault = this.#routes.get(name)?.fault?.fault
    return fault === 'refused' || fault === 'answer'
  }

  heardMs(name: string): number {
    return this.#heardMs.get(name) ?? Number.NEGATIVE_INFINITY
  }

  /** Whether a mail may go this route now. */
  admits(name: string): boolean {
    const route = this.#routes.get(name)
    return route !== undefined && route.hold === null && admits(route.breaker, this.#nowMs())
  }

  /** How much mail it would take: all of it, one to find out with, or none. What waits for a route that is not in the file any more is to go another route. */
  room(name: string): number {
    const route = this.#routes.get(name)
    if (!route) return Number.POSITIVE_INFINITY
    if (!this.admits(name)) return 0
    return route.breaker.state === 'closed' ? Number.POSITIVE_INFINITY : 1
  }

  /** A mail goes this route. */
  begin(name: string) {
    const route = this.#routes.get(name)!
    if (route.breaker.state !== 'closed') this.#apply(route, { kind: 'asked' })
  }

  /** A mail that began then was answered. */
  answered(name: string, startedAt: Date) {
    this.#heardMs.set(name, performance.now())
    const route = this.#routes.get(name)!
    if (route.breaker.state === 'closed') return
    const event = { kind: 'answered', startedAt: startedAt.getTime() } as const
    if (this.#apply(route, event).breaker.state !== 'closed') return
    this.#log.info({ route: name }, `delivery: route ${name} is back`)
    this.#tell({ name, event })
  }

  /** A mail that began then has found the route at fault. It is said once. */
  failed(name: string, startedAt: Date, found: Omit<FaultOfRoute, 'at'>) {
    const route = this.#routes.get(name)!
    const fault = { ...found, at: this.#db.clock.now() }
    const event = { kind: 'failed', startedAt: startedAt.getTime() } as const
    const next = this.#apply(route, event, fault)
    if (next === route) return
    if (route.breaker.state === 'closed')
      this.#log.warn(
        { route: name, host: fault.host ?? undefined, reply: fault.reply },
        `delivery: route ${name} ${faultInWords(fault)}; ${this.#consequence}`,
      )
    this.#tell({ name, event, fault })
  }

  get #consequence(): string {
    return this.#routes.size > 1 ? ELSEWHERE : NOWHERE
  }

  #apply(route: KeptRoute, event: BreakerEvent, fault = route.fault): KeptRoute {
    const breaker = nextBreaker(route.breaker, event, this.#nowMs())
    if (breaker === route.breaker) return route
    const next = { ...route, breaker, fault }
    this.#routes.set(route.name, next)
    return next
  }

  #tell(news: RouteUpdate) {
    const { name } = news
    const before = this.#writing.get(name) ?? Promise.resolve()
    const written = before.then(async () => {
      try {
        this.#adopt(await applyRouteUpdate(this.#db, news))
      } catch (error) {
        this.#log[levelOf(error, 'error')]({ error, route: name }, 'delivery: saving route state failed')
      }
    })
    this.#writing.set(name, written)
  }

  async #refresh() {
    try {
      for (const kept of await findRoutes(this.#db)) this.#adopt(kept)
    } catch (error) {
      this.#log[levelOf(error, 'warn')]({ error }, 'delivery: reading the states of routes failed')
    }
  }

  /** What the database says, unless this process knows something later. */
  #adopt(kept: KeptRoute) {
    const own = this.#routes.get(kept.name)
    if (!own) return
    const { changedAt } = own.breaker
    const isProbing = own.breaker.state === 'half_open' && changedAt === kept.breaker.changedAt
    const isLater = changedAt > kept.breaker.changedAt && !isAhead(changedAt, this.#nowMs())
    const breaker = isLater || isProbing ? own.breaker : kept.breaker
    this.#routes.set(kept.name, { ...kept, breaker, fault: isLater ? own.fault : kept.fault })
  }

  #nowMs(): number {
    return this.#db.clock.now().getTime()
  }
}

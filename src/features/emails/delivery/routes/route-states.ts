import type { Database } from '../../../../kernel/db/database.ts'
import type { RouteDefinition, RouteKind } from '../../../../mail/routes/routes.ts'
import { levelOf } from '../../../../platform/database-errors.ts'
import type { Log } from '../../../../platform/observability/log.ts'
import { follow } from '../pace/follow.ts'
import { admits, type BreakerEvent, closedBreaker, isAhead, nextBreaker } from './breaker.ts'
import { MIN_SITES, Reachability, SILENT_MS } from './reachability.ts'
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

/** Mail that is let through at a time when `direct` was down: any one site may be away by itself. */
const TRIAL_MAILS = 10

const ELSEWHERE = 'mail takes another route or waits'
const NOWHERE = 'all mail waits'

/** What is wrong with a route, in words. */
export const faultInWords = (kind: RouteKind, { fault }: Pick<FaultOfRoute, 'fault'>) =>
  kind === 'direct' ? 'reaches no site' : WORDS[fault]

/** What is known of a route whose mail goes to many sites, each of which may be away by itself. */
interface DirectRoute {
  readonly reachability: Reachability
  /** What the last site that could not be reached came to. */
  last: Omit<FaultOfRoute, 'at'> | null
  /** While it is tried again: how much more mail may go, and the sites that it has not reached. */
  trial: { left: number; readonly unreached: Set<string> } | null
}

/** That nobody could be connected to at a site, in an attempt that began then. */
export interface UnreachedMail {
  readonly site: string
  readonly startedAt: Date
  readonly found: Omit<FaultOfRoute, 'at'>
  /** The site was known to be away, or the mail was tried before: that it fails again says nothing about the network. */
  readonly isExpected: boolean
}

/**
 * How the routes are. In memory, so that no mail asks the database; what this process finds out is told to all others through it, and
 * holds here before it is written: a process without its database leaves a dead route alone, too.
 */
export class RouteStates {
  readonly #db: Database
  readonly #log: Log
  readonly #routes: Map<string, KeptRoute>
  readonly #kinds: ReadonlyMap<string, RouteKind>
  readonly #direct: ReadonlyMap<string, DirectRoute>
  /** When a mail last heard something of each route, by the process's own clock. */
  readonly #heardMs = new Map<string, number>()
  /** The news of each route are written one after the other. */
  readonly #writing = new Map<string, Promise<void>>()

  constructor(db: Database, { log, routes }: { log: Log; routes: readonly Pick<RouteDefinition, 'name' | 'kind'>[] }) {
    this.#db = db
    this.#log = log
    const now = this.#nowMs()
    this.#routes = new Map(
      routes.map(({ name }) => [name, { name, breaker: closedBreaker(now), fault: null, hold: null } as KeptRoute]),
    )
    this.#kinds = new Map(routes.map(({ name, kind }) => [name, kind]))
    const direct = routes.filter(({ kind }) => kind === 'direct')
    this.#direct = new Map(
      direct.map(({ name }) => [name, { reachability: new Reachability(now), last: null, trial: null }]),
    )
  }

  /** Follows what other nodes find out, until the function that it gives is called. */
  async follow(): Promise<() => void> {
    const { presence } = this.#db
    const ignore = await follow(this.#db, ROUTES_CHANNEL, () => this.#refresh())
    const look = () => this.judgeReachability()
    presence.on('renewed', look)
    return () => {
      presence.off('renewed', look)
      ignore()
    }
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
    if (!route || route.hold !== null) return false
    return admits(route.breaker, this.#nowMs()) || this.#trialLeft(route) > 0
  }

  #trialLeft({ name, breaker }: KeptRoute): number {
    return breaker.state === 'half_open' ? (this.#direct.get(name)?.trial?.left ?? 0) : 0
  }

  /** How much mail it would take: all of it, one or some to find out with, or none. What waits for a route that is not in the file any more is to go another route. */
  room(name: string): number {
    const route = this.#routes.get(name)
    if (!route) return Number.POSITIVE_INFINITY
    if (!this.admits(name)) return 0
    if (route.breaker.state === 'closed') return Number.POSITIVE_INFINITY
    return this.#trialLeft(route) || (this.#direct.has(name) ? TRIAL_MAILS : 1)
  }

  /** A mail goes this route. */
  begin(name: string) {
    const route = this.#routes.get(name)!
    if (route.breaker.state === 'closed') return
    const direct = this.#direct.get(name)
    const isNewTrial = this.#apply(route, { kind: 'asked' }) !== route
    if (isNewTrial && direct) direct.trial = { left: TRIAL_MAILS - 1, unreached: new Set() }
    else if (direct?.trial) direct.trial.left--
  }

  /** A mail that had begun was put back, and nobody was asked: another one may go. */
  unasked(name: string) {
    const trial = this.#direct.get(name)?.trial
    if (trial) trial.left = Math.min(TRIAL_MAILS, trial.left + 1)
  }

  /** A site has answered a mail of a route that goes to many. */
  reached(name: string, { site, startedAt }: Pick<UnreachedMail, 'site' | 'startedAt'>) {
    const reachability = this.#direct.get(name)?.reachability
    if (this.#routes.get(name)!.breaker.state === 'closed') reachability?.answered(site, this.#nowMs())
    else reachability?.reset(this.#nowMs())
    this.answered(name, startedAt)
  }

  /** A mail of such a route could not be brought to its site. Tells whether the route is to blame, as far as is known. */
  unreached(name: string, { site, startedAt, found, isExpected }: UnreachedMail): boolean {
    const direct = this.#direct.get(name)
    if (!direct) return false
    const { breaker } = this.#routes.get(name)!
    const began = startedAt.getTime()
    direct.last = found
    if (breaker.state === 'half_open' && direct.trial && began > breaker.changedAt) {
      const { unreached } = direct.trial
      unreached.add(site)
      if (unreached.size >= MIN_SITES) this.failed(name, startedAt, found)
    } else if (breaker.state === 'closed' && !isExpected) {
      direct.reachability.unreached(site, { startedAt: began, now: this.#nowMs() })
      this.judgeReachability()
    }
    return this.#routes.get(name)!.breaker.state !== 'closed'
  }

  /** Whether routes that go to many sites reach any. Also asked while no mail comes back: silence is what it is about. */
  judgeReachability() {
    for (const [name, { reachability, last }] of this.#direct) {
      if (last === null || this.#routes.get(name)!.breaker.state !== 'closed') continue
      const sites = reachability.sitesLost(this.#nowMs())
      if (sites === 0) continue
      const reply = `451 4.4.1 ${sites} sites cannot be reached, and none has answered for ${SILENT_MS / 1_000} s; the last one: ${last.reply}`
      this.failed(name, this.#db.clock.now(), { ...last, reply })
    }
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
        `delivery: route ${name} ${faultInWords(this.#kinds.get(name)!, fault)}; ${this.#consequence}`,
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
    // Another node reaches somebody: this one has to hear nobody for as long again.
    if (own.breaker.state !== 'closed' && breaker.state === 'closed')
      this.#direct.get(kept.name)?.reachability.reset(this.#nowMs())
    this.#routes.set(kept.name, { ...kept, breaker, fault: isLater ? own.fault : kept.fault })
  }

  #nowMs(): number {
    return this.#db.clock.now().getTime()
  }
}

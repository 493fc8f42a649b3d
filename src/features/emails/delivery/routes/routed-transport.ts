import { hash } from 'node:crypto'
import { domainOf, parseMailbox, toAsciiDomain } from '../../../../mail/address.ts'
import { type FailureScope, failureScopeOf, siteReachOf } from '../../../../mail/failure-scope.ts'
import type { Outcome } from '../../../../mail/outcome.ts'
import { type RouteTable, routesFor } from '../../../../mail/routes/routes.ts'
import type { Clock } from '../../../../platform/clock.ts'
import type { MaybePromise } from '../../../../platform/concurrency/maybe-promise.ts'
import { groupBy } from '../../../../platform/group-by.ts'
import type { Log } from '../../../../platform/observability/log.ts'
import type { Answer, Outgoing, Transport } from '../deliver.ts'
import type { LoadedEmail } from '../ledger/load.ts'
import { ROUTE_PREFIX } from '../pace/reach.ts'
import { type BlockedVerdict, saidIn } from '../transport/destination-outages.ts'
import type { DestinationQueues } from '../transport/destination-queues.ts'
import type { RouteStates } from './route-states.ts'

/** A route that mail can take. */
export interface RouteTransport {
  readonly name: string
  /** What its mail is parked for. */
  readonly queue: string
  /** All of its mail goes through the same server: what that says of itself is about the route. */
  readonly hasOneServer: boolean
  readonly transport: Transport
  /** Why it cannot take this email, whatever its state; null: it can. */
  objectionTo?(email: LoadedEmail): string | null
}

/** What came of mail on a route, for the metrics. */
export type RouteResult = 'taken' | 'refused' | 'fault' | 'uncertain'

export interface RoutedParts {
  readonly routes: readonly RouteTransport[]
  readonly table: RouteTable
  readonly states: RouteStates
  readonly queues: Pick<DestinationQueues, 'park'>
  /** Destinations that are known to take nothing. */
  isStopped(destination: string): boolean
  readonly clock: Clock
  readonly log: Log
  /** The provider of a recipient's domain; null: none that is known. */
  providerOf(domain: string): MaybePromise<string | null>
  count(route: string, result: RouteResult): void
}

type Verdict = Answer['verdict']

/** A recipient on the way. */
interface RoutingState {
  readonly recipient: string
  /** Those that come after the one that it takes now. */
  readonly next: readonly RouteTransport[]
  /** What the routes before have said, the first one first. */
  readonly refused: readonly { readonly verdict: Verdict; readonly fault: FailureScope }[]
  /** Those that took no mail, whichever of them was asked. */
  readonly down: readonly RouteTransport[]
}

/** What a mail brought along that takes a route. */
interface Began {
  readonly startedAt: Date
  readonly outgoing: Outgoing
}

/** Until an operator has another look at the routes. */
const NO_ROUTE_RETRY_SECONDS = 300

/**
 * Sends mail by the first of its routes that takes it. It goes on to the next one only where it is certain that the one before has not
 * taken it (`failureScopeOf`): a mail whose answer was lost stays with its route, for all attempts to come.
 */
export function routedTransport(parts: RoutedParts): Transport {
  const { routes, table, states, queues, clock, log, count } = parts
  const byName = new Map(routes.map((route) => [route.name, route]))
  const [only] = routes.length === 1 ? routes : []

  function send(outgoing: Outgoing, tell: (answers: readonly Answer[]) => void): Promise<void> {
    // The route of most mail: there is nothing to choose.
    if (!only || only.objectionTo) return sendByChoice(outgoing, tell)
    if (states.admits(only.name))
      return sendVia(only, { outgoing, stateOf: (recipient) => newRouting([], recipient) }, tell)
    return sendByRoutes(
      outgoing,
      outgoing.recipients.map((recipient) => newRouting([only], recipient)),
      tell,
    )
  }

  async function sendByChoice(outgoing: Outgoing, tell: (answers: readonly Answer[]) => void): Promise<void> {
    const { email, recipients } = outgoing
    const trips = await Promise.all(
      recipients.map(async (recipient) => newRouting(await candidatesFor(outgoing, recipient), recipient)),
    )
    const [stranded, started] = [
      trips.filter(({ next }) => next.length === 0),
      trips.filter(({ next }) => next.length > 0),
    ]
    if (stranded.length > 0) tell(stranded.map(({ recipient }) => ({ recipient, verdict: noWayFor(email) })))
    if (started.length > 0) await sendByRoutes(outgoing, started, tell)
  }

  const newRouting = (next: readonly RouteTransport[], recipient: string): RoutingState => ({
    recipient,
    next,
    refused: [],
    down: [],
  })

  async function candidatesFor({ email, rowOf }: Outgoing, recipient: string): Promise<readonly RouteTransport[]> {
    const { position, route } = rowOf(recipient)
    const moved = route ? byName.get(route) : undefined
    if (moved) return canTake(moved, email) ? [moved] : []
    const domain = toAsciiDomain(domainOf(recipient)).toLowerCase()
    const names = await routesFor(
      table,
      {
        team: email.team,
        fromDomain: toAsciiDomain(domainOf(parseMailbox(email.from)?.address ?? email.from)).toLowerCase(),
        domain,
        tags: email.tags ?? [],
        stream: email.broadcast ? 'broadcast' : 'single',
        provider: () => parts.providerOf(domain),
      },
      drawOf(`${email.id} ${position}`),
    )
    return names.map((name) => byName.get(name)!).filter((route) => canTake(route, email))
  }

  /** Recipients that take the same route now go together. */
  async function sendByRoutes(
    outgoing: Outgoing,
    trips: readonly RoutingState[],
    tell: (answers: readonly Answer[]) => void,
  ) {
    const chosen = trips.map(chooseRoute)
    const waiting = chosen.filter(({ route }) => route === null)
    if (waiting.length > 0)
      tell(waiting.map(({ state }) => ({ recipient: state.recipient, verdict: exhaustedVerdict(outgoing, state) })))
    if (waiting.length === chosen.length) return
    const groups = [...groupBy(chosen, ({ route }) => route)]
    await Promise.all(
      groups.map(([route, members]) => {
        const recipients = members.map(({ state }) => state.recipient)
        const own = recipients.length === outgoing.recipients.length ? outgoing : { ...outgoing, recipients }
        const stateOf = (recipient: string) => members.find(({ state }) => state.recipient === recipient)!.state
        return route && sendVia(route, { outgoing: own, stateOf }, tell)
      }),
    )
  }

  /** The first of its routes that takes mail. */
  function chooseRoute(state: RoutingState): { route: RouteTransport | null; state: RoutingState } {
    const at = state.next.findIndex(({ name }) => states.admits(name))
    const down = [...state.down, ...(at < 0 ? state.next : state.next.slice(0, at))]
    if (at < 0) return { route: null, state: { ...state, next: [], down } }
    return { route: state.next[at]!, state: { ...state, next: state.next.slice(at + 1), down } }
  }

  function sendVia(
    route: RouteTransport,
    { outgoing, stateOf }: { outgoing: Outgoing; stateOf: (recipient: string) => RoutingState },
    tell: (answers: readonly Answer[]) => void,
  ): Promise<void> {
    states.begin(route.name)
    const startedAt = clock.now()
    const following: Promise<void>[] = []
    const sent = route.transport.send(outgoing, (answers) => {
      const told = answers.flatMap((answer): readonly Answer[] => {
        const fault = recordOutcome(route, answer, { startedAt, outgoing })
        if (fault !== 'route' && fault !== 'mail') return [withRoute(route, answer, fault)]
        const { recipient, verdict } = answer
        const state = stateOf(recipient)
        const after = {
          ...state,
          refused: [...state.refused, { verdict, fault }],
          down: fault === 'route' ? [...state.down, route] : state.down,
        }
        if (after.next.length === 0)
          return [withRoute(route, { ...answer, verdict: exhaustedVerdict(outgoing, after) }, null)]
        if (fault === 'mail')
          log.info(
            { email: outgoing.email.id, ...saidAbout(route, verdict) },
            'delivery: route refused the mail; trying the next route',
          )
        following.push(sendByRoutes(outgoing, [after], tell))
        return []
      })
      if (told.length > 0) tell(told)
    })
    // With one route nothing can follow.
    return only ? sent : sent.then(async () => void (await Promise.all(following)))
  }

  /** What an answer says about the route. Null: nothing is to be done about it. */
  function recordOutcome(route: RouteTransport, answer: Answer, began: Began): FailureScope | null {
    const { verdict } = answer
    const { name, hasOneServer } = route
    const { startedAt } = began
    if (
      verdict.kind === 'postponed' ||
      verdict.kind === 'parked' ||
      verdict.kind === 'failed' ||
      verdict.kind === 'aside'
    ) {
      states.unasked(name)
      return null
    }
    if (verdict.kind === 'held') {
      // A pause: the route does not take this mail. Attempts are counted, and not what nobody was asked about.
      if (verdict.isTried) {
        if (hasOneServer) states.answered(name, startedAt)
        else states.reached(name, { site: siteOf(answer), startedAt })
        count(name, 'refused')
      } else states.unasked(name)
      return 'mail'
    }
    const fault = hasOneServer
      ? faultOfServer(route, verdict, startedAt)
      : faultAmongSites(route, { ...answer, verdict }, began)
    count(name, RESULTS[fault ?? 'none'])
    return fault
  }

  function faultOfServer(route: RouteTransport, outcome: Outcome, startedAt: Date): FailureScope | null {
    const fault = failureScopeOf(outcome, route)
    if (fault === 'route' || fault === 'unknown') states.failed(route.name, startedAt, faultIn(outcome))
    else states.answered(route.name, startedAt)
    return fault
  }

  /** A site that is away is away by itself, unless all of them are. */
  function faultAmongSites(
    route: RouteTransport,
    answer: Answer & { readonly verdict: Outcome },
    { startedAt, outgoing }: Began,
  ): FailureScope | null {
    const { name } = route
    const { recipient, verdict } = answer
    const reach = siteReachOf(verdict)
    const site = siteOf(answer)
    if (reach === 'reached') states.reached(name, { site, startedAt })
    if (reach !== 'unreached') return failureScopeOf(verdict, route)
    const isExpected = outgoing.rowOf(recipient).attempts > 1 || parts.isStopped(site)
    const found = { ...faultIn(verdict), fault: 'connection' } as const
    const isOfRoute = states.unreached(name, { site, startedAt, found, isExpected })
    return isOfRoute ? 'route' : failureScopeOf(verdict, route)
  }

  /** Which route it took, where there are several; one that may have taken it keeps it. */
  function withRoute({ name }: RouteTransport, answer: Answer, fault: FailureScope | null): Answer {
    if (only) return answer
    const { verdict } = answer
    return {
      ...answer,
      route: name,
      ...(fault === 'unknown' && verdict.kind === 'deferred' && { verdict: { ...verdict, pinnedTo: name } }),
    }
  }

  /**
   * No route is left. What the first one said that answered counts; a no for good does not, while there are others that could not be asked. If none
   * answered, the mail waits for whichever of them is back first.
   */
  function exhaustedVerdict({ email }: Outgoing, { refused, down }: RoutingState): Verdict {
    const answered = refused.find(({ fault }) => fault === 'mail')?.verdict
    if (answered && (answered.kind !== 'bounced' || down.length === 0)) return answered
    const priority = email.broadcast ? 1 : 0
    const parked = queues.park({ destination: queueOf(down), priority })
    const [first] = refused
    if (!first) return parked
    const { verdict } = first
    if (verdict.kind !== 'deferred' && verdict.kind !== 'bounced') return verdict
    return { kind: 'held', isTried: true, ...saidIn(verdict), queue: parked.queue, seconds: parked.seconds }
  }

  const noWayFor = (email: LoadedEmail): BlockedVerdict => {
    const reasons = routes.flatMap((route) => route.objectionTo?.(email) ?? [])
    const why = reasons.length > 0 ? `: ${reasons.join('; ')}` : ''
    return {
      kind: 'held',
      isTried: false,
      reply: `451 4.4.4 No route takes this message${why}`,
      seconds: NO_ROUTE_RETRY_SECONDS,
    }
  }

  return {
    send,
    close: async (graceMs) => void (await Promise.all(routes.map(({ transport }) => transport.close(graceMs)))),
  }
}

const canTake = (route: RouteTransport, email: LoadedEmail) => (route.objectionTo?.(email) ?? null) === null

const RESULTS: Readonly<Record<FailureScope | 'none', RouteResult>> = {
  none: 'taken',
  route: 'fault',
  mail: 'refused',
  recipient: 'refused',
  unknown: 'uncertain',
}

const faultIn = (verdict: Outcome) => ({
  fault: (verdict.kind === 'deferred' && verdict.unreachable) || ('answer' as const),
  reply: verdict.serverReply ?? verdict.reply,
  host: verdict.host ?? null,
})

const saidAbout = ({ name }: RouteTransport, verdict: Verdict) => ({
  route: name,
  class: 'class' in verdict ? verdict.class : undefined,
  rule: 'rule' in verdict ? verdict.rule : undefined,
})

/** Where a mail was brought, or its domain where nobody found that out. */
const siteOf = ({ recipient, facts }: Answer) => facts?.destination?.name ?? domainOf(recipient).toLowerCase()

/** From 0 to below 1, the same for the same text. */
const drawOf = (text: string) => Number.parseInt(hash('sha256', text).slice(0, 8), 16) / 2 ** 32

/** The name of the queue of a route that the file names. */
export const routeQueue = (name: string) => `${ROUTE_PREFIX}${name}`

/** The queue of mail that any of these routes may take. */
const queueOf = (routes: readonly RouteTransport[]): string =>
  routes.length === 1 ? routes[0]!.queue : routeQueue(routes.map(({ name }) => name).join(','))

/** The routes whose mail is in this queue; null: it is that of a destination. */
export function routesOfQueue(
  queue: string,
  routes: readonly Pick<RouteTransport, 'name' | 'queue'>[],
): readonly string[] | null {
  const own = routes.find((route) => route.queue === queue)
  if (own) return [own.name]
  return queue.startsWith(ROUTE_PREFIX) ? queue.slice(ROUTE_PREFIX.length).split(',') : null
}

import { hash } from 'node:crypto'
import { domainOf, parseMailbox, toAsciiDomain } from '../../../../mail/address.ts'
import type { Outcome } from '../../../../mail/outcome.ts'
import { type RouteTable, waysFor } from '../../../../mail/routes/routes.ts'
import { type WayFault, wayFaultOf } from '../../../../mail/way-fault.ts'
import type { Clock } from '../../../../platform/clock.ts'
import type { MaybePromise } from '../../../../platform/concurrency/maybe-promise.ts'
import { groupBy } from '../../../../platform/group-by.ts'
import type { Log } from '../../../../platform/observability/log.ts'
import type { Answer, Outgoing, Transport } from '../deliver.ts'
import type { LoadedEmail } from '../ledger/load.ts'
import { ROUTE_PREFIX } from '../pace/reach.ts'
import { type Held, saidIn } from '../transport/destination-outages.ts'
import type { DestinationQueues } from '../transport/destination-queues.ts'
import type { RouteStates } from './route-states.ts'

/** A way out that mail can take. */
export interface Way {
  readonly name: string
  /** What its mail is parked for. */
  readonly queue: string
  /** All of its mail goes through the same server: what that says of itself is about the way. */
  readonly isOneWay: boolean
  readonly transport: Transport
  /** Why it cannot take this email, whatever its state; null: it can. */
  objectionTo?(email: LoadedEmail): string | null
}

/** What came of mail on a way, for the metrics. */
export type RouteResult = 'taken' | 'refused' | 'fault' | 'uncertain'

export interface RoutedParts {
  readonly ways: readonly Way[]
  readonly table: RouteTable
  readonly states: RouteStates
  readonly queues: Pick<DestinationQueues, 'park'>
  readonly clock: Clock
  readonly log: Log
  /** The provider of a recipient's domain; null: none that is known. */
  providerOf(domain: string): MaybePromise<string | null>
  count(route: string, result: RouteResult): void
}

type Verdict = Answer['verdict']

/** A recipient on the way. */
interface Trip {
  readonly recipient: string
  /** Those that come after the one that it takes now. */
  readonly next: readonly Way[]
  /** What the ways before have said, the first one first. */
  readonly refused: readonly { readonly verdict: Verdict; readonly fault: WayFault }[]
  /** Those that took no mail, whichever of them was asked. */
  readonly down: readonly Way[]
}

/** Until an operator has another look at the routes. */
const NO_WAY_SECONDS = 300

/**
 * Sends mail by the first of its ways that takes it. It goes on to the next one only where it is certain that the one before has not
 * taken it (`wayFaultOf`): a mail whose answer was lost stays with its way, for all attempts to come.
 */
export function routedTransport(parts: RoutedParts): Transport {
  const { ways, table, states, queues, clock, log, count } = parts
  const byName = new Map(ways.map((way) => [way.name, way]))
  const [only] = ways.length === 1 ? ways : []

  function send(outgoing: Outgoing, tell: (answers: readonly Answer[]) => void): Promise<void> {
    // The way of most mail: there is nothing to choose.
    if (!only || only.objectionTo) return sendByChoice(outgoing, tell)
    if (states.admits(only.name)) return sendVia(only, { outgoing, tripOf: (recipient) => tripOn([], recipient) }, tell)
    return setOut(
      outgoing,
      outgoing.recipients.map((recipient) => tripOn([only], recipient)),
      tell,
    )
  }

  async function sendByChoice(outgoing: Outgoing, tell: (answers: readonly Answer[]) => void): Promise<void> {
    const { email, recipients } = outgoing
    const trips = await Promise.all(
      recipients.map(async (recipient) => tripOn(await candidatesFor(outgoing, recipient), recipient)),
    )
    const [stranded, started] = [
      trips.filter(({ next }) => next.length === 0),
      trips.filter(({ next }) => next.length > 0),
    ]
    if (stranded.length > 0) tell(stranded.map(({ recipient }) => ({ recipient, verdict: noWayFor(email) })))
    if (started.length > 0) await setOut(outgoing, started, tell)
  }

  const tripOn = (next: readonly Way[], recipient: string): Trip => ({ recipient, next, refused: [], down: [] })

  async function candidatesFor({ email, rowOf }: Outgoing, recipient: string): Promise<readonly Way[]> {
    const { position, route } = rowOf(recipient)
    const moved = route ? byName.get(route) : undefined
    if (moved) return canTake(moved, email) ? [moved] : []
    const domain = toAsciiDomain(domainOf(recipient)).toLowerCase()
    const names = await waysFor(
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
    return names.map((name) => byName.get(name)!).filter((way) => canTake(way, email))
  }

  /** Recipients that take the same way now go together. */
  async function setOut(outgoing: Outgoing, trips: readonly Trip[], tell: (answers: readonly Answer[]) => void) {
    const chosen = trips.map(chooseWay)
    const waiting = chosen.filter(({ way }) => way === null)
    if (waiting.length > 0)
      tell(waiting.map(({ trip }) => ({ recipient: trip.recipient, verdict: atTheEnd(outgoing, trip) })))
    if (waiting.length === chosen.length) return
    const groups = [...groupBy(chosen, ({ way }) => way)]
    await Promise.all(
      groups.map(([way, members]) => {
        const recipients = members.map(({ trip }) => trip.recipient)
        const own = recipients.length === outgoing.recipients.length ? outgoing : { ...outgoing, recipients }
        const tripOf = (recipient: string) => members.find(({ trip }) => trip.recipient === recipient)!.trip
        return way && sendVia(way, { outgoing: own, tripOf }, tell)
      }),
    )
  }

  /** The first of its ways that takes mail. */
  function chooseWay(trip: Trip): { way: Way | null; trip: Trip } {
    const at = trip.next.findIndex(({ name }) => states.admits(name))
    const down = [...trip.down, ...(at < 0 ? trip.next : trip.next.slice(0, at))]
    if (at < 0) return { way: null, trip: { ...trip, next: [], down } }
    return { way: trip.next[at]!, trip: { ...trip, next: trip.next.slice(at + 1), down } }
  }

  function sendVia(
    way: Way,
    { outgoing, tripOf }: { outgoing: Outgoing; tripOf: (recipient: string) => Trip },
    tell: (answers: readonly Answer[]) => void,
  ): Promise<void> {
    states.begin(way.name)
    const startedAt = clock.now()
    const following: Promise<void>[] = []
    const sent = way.transport.send(outgoing, (answers) => {
      const told = answers.flatMap((answer): readonly Answer[] => {
        const fault = learn(way, answer.verdict, startedAt)
        if (fault !== 'way' && fault !== 'mail') return [withRoute(way, answer, fault)]
        const { recipient, verdict } = answer
        const trip = tripOf(recipient)
        const after = {
          ...trip,
          refused: [...trip.refused, { verdict, fault }],
          down: fault === 'way' ? [...trip.down, way] : trip.down,
        }
        if (after.next.length === 0) return [withRoute(way, { ...answer, verdict: atTheEnd(outgoing, after) }, null)]
        if (fault === 'mail')
          log.info({ email: outgoing.email.id, ...saidAbout(way, verdict) }, 'delivery: route refused the mail; trying the next route')
        following.push(setOut(outgoing, [after], tell))
        return []
      })
      if (told.length > 0) tell(told)
    })
    // With one way nothing can follow.
    return only ? sent : sent.then(async () => void (await Promise.all(following)))
  }

  /** What a verdict says about the way. Null: nothing is to be done about it. */
  function learn(way: Way, verdict: Verdict, startedAt: Date): WayFault | null {
    if (
      verdict.kind === 'postponed' ||
      verdict.kind === 'parked' ||
      verdict.kind === 'failed' ||
      verdict.kind === 'aside'
    )
      return null
    if (verdict.kind === 'held') {
      // A pause: the way does not take this mail. Attempts are counted, and not what nobody was asked about.
      if (verdict.isTried) {
        states.answered(way.name, startedAt)
        count(way.name, 'refused')
      }
      return 'mail'
    }
    const fault = wayFaultOf(verdict, way)
    count(way.name, RESULTS[fault ?? 'none'])
    if (fault !== 'way' && fault !== 'unknown') states.answered(way.name, startedAt)
    // The others at a site, and other sites, are as well as before.
    else if (way.isOneWay) states.failed(way.name, startedAt, faultIn(verdict))
    return fault
  }

  /** Which way it took, where there are several; one that may have taken it keeps it. */
  function withRoute({ name }: Way, answer: Answer, fault: WayFault | null): Answer {
    if (only) return answer
    const { verdict } = answer
    return {
      ...answer,
      route: name,
      ...(fault === 'unknown' && verdict.kind === 'deferred' && { verdict: { ...verdict, pinnedTo: name } }),
    }
  }

  /**
   * No way is left. What the first one said that answered counts; a no for good does not, while there are others that could not be asked. If none
   * answered, the mail waits for whichever of them is back first.
   */
  function atTheEnd({ email }: Outgoing, { refused, down }: Trip): Verdict {
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

  const noWayFor = (email: LoadedEmail): Held => {
    const reasons = ways.flatMap((way) => way.objectionTo?.(email) ?? [])
    const why = reasons.length > 0 ? `: ${reasons.join('; ')}` : ''
    return {
      kind: 'held',
      isTried: false,
      reply: `451 4.4.4 No route takes this message${why}`,
      seconds: NO_WAY_SECONDS,
    }
  }

  return {
    send,
    close: async (graceMs) => void (await Promise.all(ways.map(({ transport }) => transport.close(graceMs)))),
  }
}

const canTake = (way: Way, email: LoadedEmail) => (way.objectionTo?.(email) ?? null) === null

const RESULTS: Readonly<Record<WayFault | 'none', RouteResult>> = {
  none: 'taken',
  way: 'fault',
  mail: 'refused',
  recipient: 'refused',
  unknown: 'uncertain',
}

const faultIn = (verdict: Outcome) => ({
  fault: (verdict.kind === 'deferred' && verdict.unreachable) || ('answer' as const),
  reply: verdict.serverReply ?? verdict.reply,
  host: verdict.host ?? null,
})

const saidAbout = ({ name }: Way, verdict: Verdict) => ({
  route: name,
  class: 'class' in verdict ? verdict.class : undefined,
  rule: 'rule' in verdict ? verdict.rule : undefined,
})

/** From 0 to below 1, the same for the same text. */
const drawOf = (text: string) => Number.parseInt(hash('sha256', text).slice(0, 8), 16) / 2 ** 32

/** The name of the queue of a way that the file names. */
export const routeQueue = (name: string) => `${ROUTE_PREFIX}${name}`

/** The queue of mail that any of these ways may take. */
const queueOf = (ways: readonly Way[]): string =>
  ways.length === 1 ? ways[0]!.queue : routeQueue(ways.map(({ name }) => name).join(','))

/** The ways whose mail is in this queue; null: it is that of a destination. */
export function waysOfQueue(queue: string, ways: readonly Pick<Way, 'name' | 'queue'>[]): readonly string[] | null {
  const own = ways.find((way) => way.queue === queue)
  if (own) return [own.name]
  return queue.startsWith(ROUTE_PREFIX) ? queue.slice(ROUTE_PREFIX.length).split(',') : null
}

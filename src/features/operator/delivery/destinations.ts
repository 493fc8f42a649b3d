import type { Static } from 'typebox'
import type { Database } from '../../../kernel/db/database.ts'
import type { BoundCeilings, CeilingScope } from '../../../mail/providers/ceilings.ts'
import { isProvider } from '../../../mail/providers/providers.ts'
import type { Config } from '../../../platform/settings/config.ts'
import { findPaceChanges, findPausesOf } from '../../emails/delivery/pace/destination-history.ts'
import { type SourceIdentity, sourceIdentity } from '../../emails/delivery/pace/identity.ts'
import { type DeliveryPause, findPauses } from '../../emails/delivery/pace/pause-store.ts'
import { refusedIn } from '../../emails/delivery/pace/pauses.ts'
import { commonPace, sourcesAt } from '../../emails/delivery/pace/reach.ts'
import { findPaces, KEEP_SECONDS } from '../../emails/delivery/pace/store.ts'
import { QUEUE_STATES, type QueueState } from '../../emails/delivery/queue/queue-filter.ts'
import { type LastReply, type SummaryGroup, summarizeQueue } from '../../emails/delivery/queue/queue-summary.ts'
import { type DestinationStop, findStops } from '../../emails/delivery/transport/stop-store.ts'
import type { OperatorServices } from '../services.ts'
import { boundCeilings, loadCeilings } from './ceilings.ts'
import { byTrouble, flowElsewhere, flowOf } from './flow.ts'
import type { DeliveryDestination, DeliveryGroup, DeliverySummary, Grouping, PaceHistory } from './schema.ts'

/** More groups than anybody reads, the worst and the largest of them. */
const MAX_GROUPS = 200
const MAX_PAUSES = 50
const MAX_CHANGES = 1_000

type Group = Static<typeof DeliveryGroup>

/** What its sender has put off waits for nobody. */
const STATES: readonly QueueState[] = QUEUE_STATES.filter((state) => state !== 'scheduled' && state !== 'approval')

/** Where mail waits, by where it goes or by whose it is. Destinations that hold mail back are there when nothing waits, too. */
export async function summarize(services: OperatorServices, by: Grouping): Promise<Static<typeof DeliverySummary>> {
  const { db, config } = services
  const now = db.clock.now()
  const { groups: found, capped } = await summarizeQueue(db, { by, filter: { states: STATES } })
  const groups = found.map((group) => ({ ...group, stop: inForce(group.stop, now) }))
  if (by !== 'destination') return summaryOf(by, groups.map(ofGroup), capped.length > 0)
  const table = await loadCeilings(services)
  const known = new Set(groups.map(({ name }) => name))
  const idle = (await findHeldBack(db)).filter(({ name }) => !known.has(name))
  const describe = (group: SummaryGroup) =>
    ofDestination(group, {
      ceilings: group.name === null ? null : table.for(scopeOf(group.name, config)),
      sources: sourcesAt(group.name, config),
      now,
    })
  return summaryOf(by, [...groups, ...idle].map(describe), capped.length > 0)
}

const summaryOf = (by: Grouping, groups: Group[], isCapped: boolean): Static<typeof DeliverySummary> => ({
  object: 'delivery_summary',
  by,
  is_complete: !isCapped && groups.length <= MAX_GROUPS,
  data: groups.sort(byTrouble).slice(0, MAX_GROUPS),
})

/** One that was for a pause ends with it, or when somebody lifts it; nobody knows that another is over before a message has found out. */
const inForce = (stop: DestinationStop | null | undefined, now: Date) =>
  stop && (stop.cause === 'unreachable' || stop.stoppedUntil > now) ? stop : null

/** Every destination with a stop, a pause or a controller, without what waits for it. */
async function findHeldBack(db: Database): Promise<SummaryGroup[]> {
  const now = db.clock.now()
  const pauses = (await findPauses(db, now)).filter(({ pausedUntil }) => pausedUntil > now)
  const paces = await findPaces(db)
  const stops = (await findStops(db)).filter((stop) => inForce(stop, now))
  const names = new Set([...stops, ...pauses, ...paces].map(({ destination }) => destination))
  return [...names].map((name) => ({
    ...{
      name,
      label: null,
      waiting: 0,
      inFlight: 0,
      deferred: 0,
      scheduled: 0,
      held: 0,
      approval: 0,
      oldestAt: null,
      lastReply: null,
    },
    ...{ pauses: pauses.filter(isAt(name)), paces: paces.filter(isAt(name)), stop: stops.find(isAt(name)) ?? null },
  }))
}

const isAt =
  (name: string) =>
  ({ destination }: { readonly destination: string }) =>
    destination === name

function ofDestination(
  group: SummaryGroup,
  { ceilings, sources, now }: { ceilings: BoundCeilings | null; sources: readonly SourceIdentity[]; now: Date },
): Group {
  const rate = commonPace(group.paces, sources)?.rate ?? null
  const flow = flowOf({ ...group, sources })
  return shown(group, { ...flow, until: untilOf(flow.until, now), rate, maxRate: ceilings?.rate.value ?? null })
}

/** What a team, or the domain of a sender, is held back by, wherever that is. */
const ofGroup = (group: SummaryGroup) => shown(group, { ...flowElsewhere(group), rate: null, maxRate: null })

const shown = (
  { name, label, waiting, inFlight, deferred, held, oldestAt, lastReply, stop }: SummaryGroup,
  { state, reason, until, rate, maxRate }: ReturnType<typeof flowOf> & { rate: number | null; maxRate: number | null },
): Group => ({
  ...{ name, label, state, reason, until: isoOf(until), stop: stop && shownStop(stop) },
  ...{ waiting, in_flight: inFlight, deferred, held },
  ...{ oldest_at: isoOf(oldestAt), last_reply: lastReply && shownReply(lastReply) },
  ...{ rate, max_rate: maxRate },
})

const shownStop = ({ cause, stoppedAt, stoppedUntil, failures, host, reply }: DestinationStop) => ({
  ...{ cause, stopped_at: stoppedAt.toISOString(), stopped_until: stoppedUntil.toISOString() },
  ...{ failures, host, reply },
})

const shownReply = ({ at, reply, class: replyClass, rule }: LastReply) => ({
  at,
  reply,
  class: replyClass ?? null,
  rule: rule ?? null,
})

/** One destination: what holds it back, and what it gets at most. */
export async function describeDestination(
  services: OperatorServices,
  name: string,
): Promise<Static<typeof DeliveryDestination>> {
  const { db, config } = services
  const now = db.clock.now()
  const pauses = await findPausesOf(db, name, MAX_PAUSES)
  const paces = (await findPaces(db)).filter(isAt(name))
  const { groups } = await summarizeQueue(db, {
    by: 'destination',
    filter: { destination: name, states: ['deferred'] },
  })
  const { deferred = 0, lastReply = null } = groups.find((group) => group.name === name) ?? {}
  const stop = inForce((await findStops(db)).find(isAt(name)), now)
  const isActive = ({ pausedUntil }: DeliveryPause) => pausedUntil > now
  const sources = sourcesAt(name, config)
  const { until, ...flow } = flowOf({ stop, pauses: pauses.filter(isActive), paces, sources, deferred, lastReply })
  return {
    object: 'delivery_destination',
    name,
    kind: kindOf(name),
    ...flow,
    until: isoOf(untilOf(until, now)),
    stop: stop && shownStop(stop),
    paces: paces.map(({ kind, identity, state, reply }) => ({
      ...{ kind, identity, about: refusedIn({ kind, identity }), rate: state.rate, limit: state.limit },
      connections: state.connections,
      cut_at: new Date(state.cutAt).toISOString(),
      resumes_at: state.restUntil > now.getTime() ? new Date(state.restUntil).toISOString() : null,
      reply,
    })),
    pauses: pauses.map((pause) => ({
      ...{ kind: pause.kind, identity: pause.identity, about: refusedIn(pause), is_active: isActive(pause) },
      ...{ refused_at: pause.refusedAt.toISOString(), paused_until: pause.pausedUntil.toISOString() },
      ...{ refusals: pause.refusals, host: pause.host, reply: pause.reply, class: pause.class },
      ...{ lifted_at: isoOf(pause.liftedAt), lifted_reason: pause.liftedReason },
    })),
    ceilings: boundCeilings(await loadCeilings(services), scopeOf(name, config)),
  }
}

/** How its rates became what they are, the newest change first. */
export async function paceHistory(db: Database, destination: string): Promise<Static<typeof PaceHistory>> {
  const since = new Date(db.clock.now().getTime() - KEEP_SECONDS * 1_000)
  const changes = await findPaceChanges(db, destination, { since, limit: MAX_CHANGES + 1 })
  return {
    object: 'pace_history',
    is_complete: changes.length <= MAX_CHANGES,
    data: changes.slice(0, MAX_CHANGES).map(({ at, kind, identity, cause, fromRate, toRate, reply, ...change }) => ({
      ...{ at: at.toISOString(), kind, identity, about: refusedIn({ kind, identity }), cause },
      ...{ from_rate: fromRate, to_rate: toRate, reply, class: change.class },
    })),
  }
}

const kindOf = (name: string) => (isProvider(name) ? 'provider' : name.startsWith('@') ? 'domain' : 'site')

/** What rules of ceilings have to fit. */
function scopeOf(name: string, config: Config): CeilingScope {
  const { source } = sourceIdentity(config.SOURCE_ADDRESS)
  const kind = kindOf(name)
  return { [kind]: kind === 'domain' ? name.slice(1) : name, ...(source !== 'default' && { source }) }
}

const isoOf = (moment: Date | null) => moment?.toISOString() ?? null

/** When one message is tried, as far as that is still to come. */
const untilOf = (moment: Date | null, now: Date) => (moment && moment > now ? moment : null)

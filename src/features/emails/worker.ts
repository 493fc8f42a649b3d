import { SmtpSender } from '../../adapters/smtp-client/sender.ts'
import { isSandbox } from '../../platform/ids.ts'
import { type Config, hostName } from '../../platform/settings/config.ts'
import { simulatedTransport } from '../sandboxes/simulation/transport.ts'
import type { Services } from '../services.ts'
import type { Transport } from './delivery/deliver.ts'
import { ErasedAddresses } from './delivery/ledger/erased-addresses.ts'
import { Contents } from './delivery/message/contents.ts'
import { unsubscribeUrl } from './delivery/message/unsubscribe-link.ts'
import { MailMemory } from './delivery/message/weight.ts'
import { byAddress, byHash, logAttempt, recordNaming } from './delivery/outcomes/attempt-log.ts'
import { recordOf, type SettledAttempt } from './delivery/outcomes/attempt-record.ts'
import { type AttemptRecords, openAttemptRecords } from './delivery/outcomes/attempt-sinks.ts'
import { AttemptWatches } from './delivery/outcomes/attempt-watches.ts'
import type { DeliveryObserver } from './delivery/outcomes/observer.ts'
import { retryPolicyOf } from './delivery/outcomes/retry.ts'
import { ceilingTableOf } from './delivery/pace/ceiling-table.ts'
import { sourceIdentity } from './delivery/pace/identity.ts'
import { addPaceMetrics, answerCounter } from './delivery/pace/metrics.ts'
import { Pace } from './delivery/pace/pace.ts'
import { Pauses } from './delivery/pace/pauses.ts'
import { type CheckedRoute, checkRoute } from './delivery/routes/check-route.ts'
import { RouteChecks } from './delivery/routes/route-checks.ts'
import { RouteStates } from './delivery/routes/route-states.ts'
import { routeTableOf } from './delivery/routes/route-table.ts'
import { queueOfRoute, routeTransportsOf } from './delivery/routes/route-transports.ts'
import { routedTransport, routesOfQueue } from './delivery/routes/routed-transport.ts'
import { Sources } from './delivery/sources/sources.ts'
import { DestinationQueues } from './delivery/transport/destination-queues.ts'
import type { DestinationResolver } from './delivery/transport/destination-resolvers.ts'
import { directResolver, exchangerOf } from './delivery/transport/destination-resolvers.ts'
import { DestinationStops } from './delivery/transport/destination-stops.ts'
import { inboxTransport } from './delivery/transport/inbox-transport.ts'
import type { Sender } from './delivery/transport/sender.ts'
import type { SmtpTransportParts } from './delivery/transport/smtp-transport.ts'
import { DeliveryWorker } from './delivery/worker.ts'

type Process = Pick<
  Services,
  'db' | 'config' | 'log' | 'metrics' | 'sealer' | 'resolver' | 'blobs' | 'links' | 'publicUrl'
>
type DeliveryParts = Process & Pick<Services, 'identityOf' | 'teamStates' | 'scenarios' | 'tlsPolicies'>

/** What tests put in the place of the network. */
export interface DeliverySeams {
  readonly transport?: Transport
  readonly router?: DestinationResolver
  readonly sender?: Sender
  /** Whether the machine has an address. */
  readonly canBind?: (address: string) => Promise<boolean>
}

function createDelivery(parts: DeliveryParts, seams: DeliverySeams): DeliveryWorker {
  const { db, log, metrics } = parts
  const { clock } = db
  const memoryBytes = parts.config.DELIVERY_MEMORY_MB * 1024 * 1024
  const sender = seams.sender ?? new SmtpSender({ ...smtpOptionsOf(parts.config), clock })
  const pauses = new Pauses(db, log)
  const source = sourceIdentity(parts.config.SOURCE_ADDRESS)
  const { SOURCES: settings } = parts.config
  const sources = settings ? new Sources(db, { log, settings, canBind: seams.canBind }) : null
  const pace = new Pace(db, { log, source, sources, ceilings: ceilingTableOf(db, parts) })
  addPaceMetrics(metrics, { pace, pauses })
  const table = routeTableOf(parts.config)
  const states = new RouteStates(db, { log, routes: table.routes })
  const routes = table.routes.map((route) => ({ name: route.name, queue: queueOfRoute(table, route) }))
  metrics.addGauge(
    { name: 'postwren_route_up', help: 'Routes: 1 takes mail, 0 does not.', labelNames: ['route'] },
    async () => states.list().map(({ name }) => ({ labels: { route: name }, value: Number(states.isUp(name)) })),
  )
  const room = (destination: string) => {
    const names = routesOfQueue(destination, routes)
    const most = names ? Math.max(...names.map((name) => states.room(name))) : Number.POSITIVE_INFINITY
    return most === 0 ? 0 : Math.min(most, roomAt(destination))
  }
  const isDirect = table.routes.some(({ kind }) => kind === 'direct')
  const isRefused = (destination: string) =>
    // What a destination has refused is nothing to a relay.
    (isDirect || routesOfQueue(destination, routes) !== null) &&
    (sources?.here() ?? [source]).every((one) => pauses.findForAll(destination, one) !== null)
  const roomAt = (destination: string) => {
    if (sources?.isForOthers({ destination, priority: 0 })) return 0
    const isResting = (pool: string) => (sender.pausedUntil(pool) ?? new Date(0)) > clock.now()
    const areResting = sources ? sources.areAll(destination, isResting) : isResting(destination)
    return areResting || isRefused(destination) ? 0 : pace.room(destination)
  }
  const queues = new DestinationQueues({
    memoryBytes,
    room,
    isStopped: (destination) => stops.find(destination) !== null,
    connections: parts.config.DESTINATION_CONNECTIONS,
    ...(sources && { leave: (key) => sources.leave(key) }),
  })
  const stops: DestinationStops = new DestinationStops(db, {
    log,
    onParked: (queue) => queues.parked(queue),
    endRests: (destination) => sender.endRests?.(destination),
    isRefused,
    isDirect,
  })
  const memory = new MailMemory(memoryBytes)
  const followedSources = sources ? [{ follow: () => sources.follow((queue) => queues.parked(queue)) }] : []
  const followedWays = [pauses, pace, stops, states, ...routeChecksOf(parts, states), ...followedSources]
  const records = openAttemptRecords({ clock, log, metrics, config: parts.config })
  const watches = new AttemptWatches(db, log)
  return new DeliveryWorker({
    db,
    clock,
    log,
    queues,
    stops,
    // Where nothing leaves nobody has an opinion about it.
    followed: [watches, ...(parts.config.DELIVERY === 'inbox' ? [] : followedWays)],
    records,
    teamStates: parts.teamStates,
    transport: simulatedTransport(
      seams.transport ??
        transportOf({ ...parts, states }, seams, { sender, queues, pauses, stops, pace, source, sources, memory }),
      {
        clock,
        scenarios: parts.scenarios,
        isInbox: parts.config.DELIVERY === 'inbox',
      },
    ),
    observer: observerOf(parts, records, watches),
    retry: retryPolicyOf(parts.config),
    erased: new ErasedAddresses(parts.sealer),
  })
}

/** The same, and what this process accepts goes straight to it. */
export function createStraightDelivery(
  services: DeliveryParts & Pick<Services, 'sending'>,
  seams: DeliverySeams = {},
): DeliveryWorker {
  const worker = createDelivery(services, seams)
  services.sending.acceptance.deliverThrough(worker.straightThrough, worker.straightThrough)
  return worker
}

/** Of the routes that a file names. One that is the only route is asked by its mail. */
function routeChecksOf({ db, log, config }: DeliveryParts, states: RouteStates): RouteChecks[] {
  const routes = config.ROUTES?.routes.filter((route) => route.kind !== 'direct') ?? []
  const { heloName, sourceAddresses } = smtpOptionsOf(config)
  const check = (route: CheckedRoute) => checkRoute(route, { clock: db.clock, heloName, sourceAddresses })
  return routes.length === 0 ? [] : [new RouteChecks(db, { log, states, routes, check })]
}

function observerOf(
  { db, log, metrics, config, sealer }: DeliveryParts,
  records: AttemptRecords | null,
  watches: AttemptWatches,
): DeliveryObserver {
  const name = config.LOG_ADDRESSES === 'on' ? byAddress : byHash(sealer.deriveKey('log-addresses'))
  function record(attempt: SettledAttempt) {
    const made = recordOf(attempt, db.presence.node)
    if (!made) return
    records?.add(JSON.stringify(recordNaming(made, name)))
    watches.tell(made, attempt.facts)
  }
  return {
    recorder: () => (records || !watches.isEmpty ? record : null),
    attempted: (attempt) => logAttempt(log, attempt, name),
    settled: ({ state, isAttempt, isNote = false }) =>
      metrics.countDelivery(state !== 'waiting' ? state : isAttempt || isNote ? 'deferred' : 'postponed'),
    ended({ email, verdicts, trace }) {
      // A sandbox has a time of its own.
      if (isSandbox(email.team)) return
      const seconds = Math.max(0, db.clock.now().getTime() - email.sentAt.getTime()) / 1_000
      for (const { verdict } of verdicts)
        if (verdict.kind === 'delivered')
          metrics.observeDelivery(email.broadcast ? 'broadcast' : 'single', seconds, trace)
    },
  }
}

function transportOf(
  parts: DeliveryParts & { readonly states: RouteStates },
  seams: DeliverySeams,
  {
    memory,
    ...others
  }: Pick<SmtpTransportParts, 'sender' | 'queues' | 'pauses' | 'stops' | 'pace' | 'source' | 'sources' | 'memory'>,
): Transport {
  const { db, config, log, metrics, sealer, blobs, links, publicUrl, identityOf } = parts
  if (config.DELIVERY === 'inbox') return inboxTransport
  const { clock } = db
  const contents = new Contents(db)
  metrics.addGauge(
    { name: 'postwren_delivery_memory_bytes', help: 'Memory used by outgoing mail.', labelNames: [] },
    async () => [{ labels: {}, value: memory.used }],
  )
  const table = routeTableOf(config)
  const exchanger = exchangerOf(parts)
  const all = routeTransportsOf(table, {
    clock,
    log,
    connections: config.RELAY_CONNECTIONS,
    router: table.routes.length === 1 ? seams.router : undefined,
    directResolver: () =>
      seams.router ?? directResolver(exchanger, config.MTA_STS === 'off' ? null : parts.tlsPolicies),
    returnPathSecret: sealer.deriveKey('return-path'),
    onAnswer: answerCounter(metrics, clock),
    cell: config.CELL,
    memory,
    ...others,
    loadContent: (email) => contents.load(email),
    contentOf: (blob) => blobs.get(blob),
    unsubscribeUrl: (email, recipient) => unsubscribeUrl({ links, publicUrl: publicUrl() }, email, recipient),
    identityOf,
  })
  return routedTransport({
    ...{ routes: all, table, states: parts.states, queues: others.queues, clock, log },
    isStopped: (destination) => others.stops?.find(destination) != null,
    providerOf: async (domain) => {
      const found = await exchanger.hostsFor(domain)
      return found.kind === 'found' ? found.provider : null
    },
    count: (route, result) => metrics.countRoute(route, result),
  })
}

/** How this installation speaks to other servers. */
export const smtpOptionsOf = (config: Config) => ({
  heloName: hostName(config),
  sourceAddresses: config.SOURCE_ADDRESS,
  maxConnections: config.DESTINATION_CONNECTIONS,
})

import { mailExchanger } from '../../adapters/dns/mail-exchanger.ts'
import type { Resolver } from '../../adapters/dns/resolver.ts'
import { SmtpSender } from '../../adapters/smtp-client/sender.ts'
import type { Clock } from '../../platform/clock.ts'
import { isSandbox } from '../../platform/ids.ts'
import { allowsPrivateAddresses, type Config, hostName } from '../../platform/settings/config.ts'
import { simulatedTransport } from '../sandboxes/simulation/transport.ts'
import type { Services } from '../services.ts'
import type { Transport } from './delivery/deliver.ts'
import { ErasedAddresses } from './delivery/ledger/erased-addresses.ts'
import { Contents } from './delivery/message/contents.ts'
import { unsubscribeUrl } from './delivery/message/unsubscribe-link.ts'
import { MailMemory } from './delivery/message/weight.ts'
import { byAddress, byHash, logAttempt } from './delivery/outcomes/attempt-log.ts'
import type { DeliveryObserver } from './delivery/outcomes/observer.ts'
import { retryPolicyOf } from './delivery/outcomes/retry.ts'
import { DestinationPauses } from './delivery/transport/destination-pauses.ts'
import { DestinationQueues } from './delivery/transport/destination-queues.ts'
import { inboxTransport } from './delivery/transport/inbox-transport.ts'
import { directRouter, relayRouter } from './delivery/transport/routers.ts'
import { type Router, type Sender, smtpTransport } from './delivery/transport/smtp-transport.ts'
import { DeliveryWorker } from './delivery/worker.ts'

type DeliveryParts = Pick<
  Services,
  | ('db' | 'config' | 'log' | 'metrics' | 'sealer' | 'resolver' | 'blobs' | 'links' | 'publicUrl')
  | ('identityOf' | 'teamStates' | 'scenarios')
>

/** What tests put in the place of the network. */
export interface DeliverySeams {
  readonly transport?: Transport
  readonly router?: Router
  readonly sender?: Sender
}

function createDelivery(parts: DeliveryParts, seams: DeliverySeams): DeliveryWorker {
  const { db, log, metrics } = parts
  const { clock } = db
  const memoryBytes = parts.config.DELIVERY_MEMORY_MB * 1024 * 1024
  const sender = seams.sender ?? new SmtpSender({ ...smtpOptionsOf(parts.config), clock })
  const pauses = new DestinationPauses(db, log)
  metrics.addGauge(
    {
      name: 'postwren_destinations_paused',
      help: 'Destinations paused because they refuse our IP address.',
      labelNames: [],
    },
    async () => [{ labels: {}, value: pauses.count }],
  )
  const isPaused = (destination: string) =>
    (sender.pausedUntil(destination) ?? new Date(0)) > clock.now() || pauses.find(destination) !== null
  const queues = new DestinationQueues({
    memoryBytes,
    isPaused,
    connections: parts.config.DESTINATION_CONNECTIONS,
  })
  return new DeliveryWorker({
    db,
    clock,
    log,
    queues,
    pauses,
    teamStates: parts.teamStates,
    transport: simulatedTransport(
      seams.transport ?? transportOf(parts, seams, { sender, queues, pauses, memory: new MailMemory(memoryBytes) }),
      { clock, scenarios: parts.scenarios, isInbox: parts.config.DELIVERY === 'inbox' },
    ),
    observer: observerOf(parts),
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

function observerOf({ db, log, metrics, config, sealer }: DeliveryParts): DeliveryObserver {
  const name = config.LOG_ADDRESSES === 'on' ? byAddress : byHash(sealer.deriveKey('log-addresses'))
  return {
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
  parts: DeliveryParts,
  seams: DeliverySeams,
  {
    sender,
    queues,
    pauses,
    memory,
  }: { sender: Sender; queues: DestinationQueues; pauses: DestinationPauses; memory: MailMemory },
): Transport {
  const { db, config, log, metrics, sealer, resolver, blobs, links, publicUrl, identityOf } = parts
  if (config.DELIVERY === 'inbox') return inboxTransport
  const { clock } = db
  const contents = new Contents(db)
  metrics.addGauge(
    { name: 'postwren_delivery_memory_bytes', help: 'Memory used by outgoing mail.', labelNames: [] },
    async () => [{ labels: {}, value: memory.used }],
  )
  return smtpTransport({
    clock,
    log,
    sender,
    router: seams.router ?? routerOf(config, resolver, clock),
    returnPathSecret: sealer.deriveKey('return-path'),
    memory,
    queues,
    pauses,
    loadContent: (email) => contents.load(email),
    contentOf: (blob) => blobs.get(blob),
    unsubscribeUrl: (email, recipient) => unsubscribeUrl({ links, publicUrl: publicUrl() }, email, recipient),
    identityOf,
  })
}

/** How this installation speaks to other servers. */
export const smtpOptionsOf = (config: Config) => ({
  heloName: hostName(config),
  sourceAddresses: config.SOURCE_ADDRESS,
  maxConnections: config.DESTINATION_CONNECTIONS,
})

function routerOf(config: Config, resolver: Resolver, clock: Clock): Router {
  if (config.DELIVERY === 'relay') return relayRouter(config, clock)
  return directRouter(mailExchanger(resolver, { clock, allowPrivateAddresses: allowsPrivateAddresses(config) }))
}

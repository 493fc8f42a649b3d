import { mailExchanger } from '../../adapters/dns/mail-exchanger.ts'
import type { Resolver } from '../../adapters/dns/resolver.ts'
import { SmtpSender } from '../../adapters/smtp-client/sender.ts'
import type { Clock } from '../../platform/clock.ts'
import { allowsPrivateAddresses, type Config, hostName } from '../../platform/settings/config.ts'
import { laboratoryTransport } from '../sandboxes/simulation/transport.ts'
import type { Services } from '../services.ts'
import { byAddress, byHash, logAttempt } from './delivery/attempt-log.ts'
import { Contents } from './delivery/contents.ts'
import type { Transport } from './delivery/deliver.ts'
import { DestinationPauses } from './delivery/destination-pauses.ts'
import { inboxTransport } from './delivery/inbox-transport.ts'
import { Lines } from './delivery/lines.ts'
import type { DeliveryObserver } from './delivery/observer.ts'
import { directRouter, relayRouter } from './delivery/routers.ts'
import { type Router, type Sender, smtpTransport } from './delivery/smtp-transport.ts'
import { unsubscribeUrl } from './delivery/unsubscribe-link.ts'
import { MailMemory } from './delivery/weight.ts'
import { DeliveryWorker } from './delivery/worker.ts'

type DeliveryParts = Pick<
  Services,
  | ('db' | 'clock' | 'config' | 'log' | 'metrics' | 'sealer' | 'resolver' | 'blobs' | 'links' | 'publicUrl')
  | ('identityOf' | 'teamStates' | 'scenarios')
>

/** What tests put in the place of the network. */
export interface DeliverySeams {
  readonly transport?: Transport
  readonly router?: Router
  readonly sender?: Sender
}

export function createDelivery(parts: DeliveryParts, seams: DeliverySeams = {}): DeliveryWorker {
  const { db, clock, log, metrics } = parts
  const memoryBytes = parts.config.DELIVERY_MEMORY_MB * 1024 * 1024
  const sender = seams.sender ?? new SmtpSender({ heloName: hostName(parts.config), clock })
  const pauses = new DestinationPauses(db, log)
  metrics.addGauge(
    {
      name: 'postwren_destinations_paused',
      help: 'Destinations that refuse our address, and are left alone.',
      labelNames: [],
    },
    async () => [{ labels: {}, value: pauses.count }],
  )
  const isPaused = (destination: string) =>
    (sender.pausedUntil(destination) ?? new Date(0)) > clock.now() || pauses.find(destination) !== null
  const lines = new Lines({ memoryBytes, isPaused })
  return new DeliveryWorker({
    db,
    clock,
    log,
    lines,
    pauses,
    teamStates: parts.teamStates,
    transport: laboratoryTransport(
      seams.transport ?? transportOf(parts, seams, { sender, lines, pauses, memory: new MailMemory(memoryBytes) }),
      { clock, scenarios: parts.scenarios, isInbox: parts.config.DELIVERY === 'inbox' },
    ),
    observer: observerOf(parts),
  })
}

function observerOf({ log, metrics, config, sealer }: DeliveryParts): DeliveryObserver {
  const name = config.LOG_ADDRESSES === 'on' ? byAddress : byHash(sealer.deriveKey('log-addresses'))
  return {
    attempted: (attempt) => logAttempt(log, attempt, name),
    settled: ({ state, isAttempt, isNote = false }) =>
      metrics.countDelivery(state !== 'waiting' ? state : isAttempt || isNote ? 'deferred' : 'postponed'),
  }
}

function transportOf(
  parts: DeliveryParts,
  seams: DeliverySeams,
  { sender, lines, pauses, memory }: { sender: Sender; lines: Lines; pauses: DestinationPauses; memory: MailMemory },
): Transport {
  const { db, clock, config, log, metrics, sealer, resolver, blobs, links, publicUrl, identityOf } = parts
  if (config.DELIVERY === 'inbox') return inboxTransport
  const contents = new Contents(db)
  metrics.addGauge(
    { name: 'postwren_delivery_memory_bytes', help: 'Memory that mail on its way out has taken.', labelNames: [] },
    async () => [{ labels: {}, value: memory.used }],
  )
  return smtpTransport({
    clock,
    log,
    sender,
    router: seams.router ?? routerOf(config, resolver, clock),
    returnPathSecret: sealer.deriveKey('return-path'),
    memory,
    lines,
    pauses,
    loadContent: (email) => contents.load(email),
    contentOf: (blob) => blobs.get(blob),
    unsubscribeUrl: (email, recipient) => unsubscribeUrl({ links, publicUrl: publicUrl() }, email, recipient),
    identityOf,
  })
}

function routerOf(config: Config, resolver: Resolver, clock: Clock): Router {
  if (config.DELIVERY === 'relay') return relayRouter(config.RELAY_URL!, clock)
  return directRouter(mailExchanger(resolver, { clock, allowPrivateAddresses: allowsPrivateAddresses(config) }))
}

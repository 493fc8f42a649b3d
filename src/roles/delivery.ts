import { lookup } from 'node:dns/promises'
import { byAddress, byHash, logAttempt } from '../delivery/attempt-log.ts'
import { Contents } from '../delivery/contents.ts'
import type { Transport } from '../delivery/deliver.ts'
import { inboxTransport } from '../delivery/inbox-transport.ts'
import { Lines } from '../delivery/lines.ts'
import type { DeliveryObserver } from '../delivery/observer.ts'
import { readDeliveryQueues } from '../delivery/queue-state.ts'
import { type Router, type Sender, type SenderIdentity, smtpTransport } from '../delivery/smtp-transport.ts'
import { trackerFor } from '../delivery/tracking.ts'
import { unsubscribeUrl } from '../delivery/unsubscribe-url.ts'
import { MailMemory } from '../delivery/weight.ts'
import { DeliveryWorker } from '../delivery/worker.ts'
import type { BlobStore } from '../platform/blobs/blob-store.ts'
import type { Clock } from '../platform/clock.ts'
import { allowsPrivateAddresses, type Config, hostName, publicUrl } from '../platform/config.ts'
import type { Database } from '../platform/db/database.ts'
import { ExpiringCache } from '../platform/dns/expiring-cache.ts'
import { type MailExchanger, mailExchanger } from '../platform/dns/mail-exchanger.ts'
import type { Resolver } from '../platform/dns/resolver.ts'
import { LinkSigner } from '../platform/links.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Sealer } from '../platform/secrets.ts'
import type { Destination } from '../platform/smtp/destination.ts'
import { SmtpSender } from '../platform/smtp/sender.ts'
import { findSenderById, loadSigners } from '../resources/domains/actions.ts'

export interface DeliveryParts {
  readonly db: Database
  readonly clock: Clock
  readonly config: Config
  readonly log: Log
  readonly metrics: Metrics
  readonly sealer: Sealer
  readonly resolver: Resolver
  readonly blobs: BlobStore
}

/** What tests put in the place of the network. */
export interface DeliverySeams {
  readonly transport?: Transport
  readonly router?: Router
  readonly sender?: Sender
}

export function createDelivery(parts: DeliveryParts, seams: DeliverySeams = {}): DeliveryWorker {
  const { db, clock, log, metrics } = parts
  metrics.addQueue({ name: 'postwren_deliveries', help: 'Recipients in the ledger', labelNames: ['kind'] }, async () =>
    (await readDeliveryQueues(db)).map(({ kind, oldestDueSeconds, ...counts }) => ({
      labels: { kind },
      counts,
      oldestDueSeconds,
    })),
  )
  const memoryBytes = parts.config.DELIVERY_MEMORY_MB * 1024 * 1024
  const sender = seams.sender ?? new SmtpSender({ heloName: hostName(parts.config), clock })
  const isPaused = (destination: string) => (sender.pausedUntil(destination) ?? new Date(0)) > clock.now()
  const lines = new Lines({ memoryBytes, isPaused })
  return new DeliveryWorker({
    db,
    clock,
    log,
    lines,
    transport: seams.transport ?? transportOf(parts, seams, { sender, lines, memory: new MailMemory(memoryBytes) }),
    observer: observerOf(parts),
  })
}

function observerOf({ log, metrics, config, sealer }: DeliveryParts): DeliveryObserver {
  const name = config.LOG_ADDRESSES === 'on' ? byAddress : byHash(sealer.deriveKey('log-addresses'))
  return {
    attempted: (attempt) => logAttempt(log, attempt, name),
    settled: ({ state, isAttempt }) =>
      metrics.countDelivery(state !== 'waiting' ? state : isAttempt ? 'deferred' : 'postponed'),
  }
}

function transportOf(
  parts: DeliveryParts,
  seams: DeliverySeams,
  { sender, lines, memory }: { sender: Sender; lines: Lines; memory: MailMemory },
): Transport {
  const { db, clock, config, log, metrics, sealer, resolver, blobs } = parts
  if (config.DELIVERY === 'inbox') return inboxTransport
  const contents = new Contents(db)
  metrics.addGauge(
    { name: 'postwren_delivery_memory_bytes', help: 'Memory that mail on its way out has taken.', labelNames: [] },
    async () => [{ labels: {}, value: memory.used }],
  )
  const links = new LinkSigner(sealer.deriveKey('links'))
  const identities = new ExpiringCache<SenderIdentity | null>({ clock, maxEntries: 1_000 })
  return smtpTransport({
    clock,
    log,
    sender,
    router: seams.router ?? routerOf(config, resolver, clock),
    returnPathSecret: sealer.deriveKey('return-path'),
    memory,
    lines,
    loadContent: (email) => contents.load(email),
    contentOf: (blob) => blobs.get(blob),
    unsubscribeUrl: (email, recipient) => unsubscribeUrl({ links, publicUrl: publicUrl(config) }, email, recipient),
    async identityOf(team, domainId) {
      const known = identities.get(domainId)
      if (known !== undefined) return known
      const identity = await loadIdentity(parts, links, team, domainId)
      identities.set(domainId, identity, IDENTITY_SECONDS)
      return identity
    },
  })
}

/** Keys are opened once in a while and not for each mail; a changed setting of a domain counts within this time. */
const IDENTITY_SECONDS = 30

async function loadIdentity(
  { db, sealer, config }: DeliveryParts,
  links: LinkSigner,
  team: string,
  domainId: string,
): Promise<SenderIdentity | null> {
  const sender = await findSenderById(db, team, domainId)
  if (!sender?.canSend) return null
  const signers = await loadSigners(db, sealer, team, domainId)
  const { opens, clicks, host } = sender.tracking
  const ownUrl = publicUrl(config)
  const wishes = { opens, clicks, baseUrl: host ? `https://${host}` : ownUrl }
  return {
    returnPathDomain: sender.returnPathHost,
    requireTls: sender.tls === 'enforced',
    signers,
    trackerFor: (email, recipient) =>
      opens || clicks ? trackerFor(email, recipient, { wishes, links, ownUrl }) : null,
  }
}

function routerOf(config: Config, resolver: Resolver, clock: Clock): Router {
  if (config.DELIVERY === 'relay') return relayRouter(config.RELAY_URL!, clock)
  return directRouter(mailExchanger(resolver, { clock, allowPrivateAddresses: allowsPrivateAddresses(config) }))
}

/** Straight to where each domain wants its mail. */
export function directRouter(exchanger: MailExchanger): Router {
  return {
    async routeFor(domain) {
      const found = await exchanger.hostsFor(domain)
      if (found.kind !== 'found') return { kind: 'none', outcome: found.outcome }
      return { kind: 'found', destination: { name: found.name, hosts: found.hosts } }
    },
  }
}

const RELAY_SECONDS = 60
const RELAY_CONNECTIONS = 10

/** Everything through one server. The operator named it, so it may be anywhere, and its name may be in the hosts file only. */
export function relayRouter(url: string, clock: Clock): Router {
  const { hostname, port, protocol, username, password } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const secure = protocol === 'smtps:'
  const auth = username ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) } : undefined
  const destinations = new ExpiringCache<Destination>({ clock, maxEntries: 1 })
  return {
    isOneWay: true,
    async routeFor() {
      const known = destinations.get(host)
      if (known) return { kind: 'found', destination: known }
      try {
        const addresses = await lookup(host, { all: true })
        const hosts = addresses.map(({ address }) => ({
          host,
          address,
          port: Number(port) || (secure ? 465 : 587),
          secure,
          ...(auth && { auth }),
        }))
        const destination = { name: 'relay', hosts, maxConnections: RELAY_CONNECTIONS }
        destinations.set(host, destination, RELAY_SECONDS)
        return { kind: 'found', destination }
      } catch (error) {
        const reply = `The relay ${host} has no address: ${(error as Error).message}`
        return { kind: 'none', outcome: { kind: 'deferred', reply, isThrottled: false } }
      }
    },
  }
}

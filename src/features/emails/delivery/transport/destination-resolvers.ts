import { lookup } from 'node:dns/promises'
import { ExpiringCache } from '../../../../adapters/dns/expiring-cache.ts'
import { type MailExchanger, mailExchanger } from '../../../../adapters/dns/mail-exchanger.ts'
import type { Resolver } from '../../../../adapters/dns/resolver.ts'
import type { Destination, TlsSeen } from '../../../../adapters/smtp-client/destination.ts'
import type { Database } from '../../../../kernel/db/database.ts'
import { isNamedBy, type StsPolicy } from '../../../../mail/mta-sts.ts'
import type { Outcome } from '../../../../mail/outcome.ts'
import type { Clock } from '../../../../platform/clock.ts'
import type { MaybePromise } from '../../../../platform/concurrency/maybe-promise.ts'
import { allowsPrivateAddresses, type Config } from '../../../../platform/settings/config.ts'

/** Where mail for a domain goes, or what every recipient there gets instead. */
export type DestinationLookup =
  | { readonly kind: 'found'; readonly destination: Destination }
  | { readonly kind: 'none'; readonly outcome: Outcome }

export interface DestinationResolver {
  /** `ignoresPolicies`: it goes also where TLS fails that the domain demands. */
  resolve(domain: string, options?: { readonly ignoresPolicies?: boolean }): MaybePromise<DestinationLookup>
  /** Set: mail to all domains goes the same way, so recipients of several can share a conversation. */
  readonly hasOneServer?: boolean
}

/** What domains say about the servers that take their mail (MTA-STS). */
export interface TlsPolicies {
  find(domain: string): MaybePromise<StsPolicy>
  /** Told how TLS went with a server of a domain, as far as it went. */
  observe(domain: string, policy: StsPolicy, seen: TlsSeen | 'mx-mismatch'): void
}

/** Straight to where each domain wants its mail. Without `policies` nobody demands TLS but the sender. */
export function directResolver(exchanger: MailExchanger, policies: TlsPolicies | null = null): DestinationResolver {
  return {
    async resolve(domain, { ignoresPolicies = false } = {}) {
      const [found, policy] = await Promise.all([exchanger.hostsFor(domain), policies?.find(domain)])
      if (found.kind !== 'found') return { kind: 'none', outcome: found.outcome }
      const { name, provider, hosts } = found
      // All domains of a provider share its connections and its queue, whatever their servers are called.
      const destination = provider === null ? { name, hosts } : { name: provider, provider, site: name, hosts }
      if (!policies || !policy || ignoresPolicies) return { kind: 'found', destination }
      const onTls = (seen: TlsSeen) => policies.observe(domain, policy, seen)
      if (policy.mode === 'none') return { kind: 'found', destination: { ...destination, onTls } }
      const named = hosts.filter(({ host }) => isNamedBy(policy, host))
      if (named.length < hosts.length) policies.observe(domain, policy, 'mx-mismatch')
      if (policy.mode === 'testing') return { kind: 'found', destination: { ...destination, onTls } }
      if (named.length === 0) return { kind: 'none', outcome: noneNamed(domain) }
      const tlsDemandedBy = `the MTA-STS policy of ${domain}`
      return { kind: 'found', destination: { ...destination, hosts: named, onTls, tlsDemandedBy } }
    },
  }
}

/** Waits instead of bouncing: a policy may be behind the servers, and a forged MX record does not stay. */
const noneNamed = (domain: string): Outcome => ({
  kind: 'deferred',
  reply: `451 4.7.5 No mail server of ${domain} is named by its MTA-STS policy`,
  isThrottled: false,
})

const RELAY_SECONDS = 60
/** Whether one that was down is asked again is decided by its route (`routes/breaker.ts`), and not by the client. */
const RELAY_UNREACHABLE_MS = 0

export const RELAY = 'relay'

type RelayConfig = Pick<Config, 'RELAY_URL' | 'RELAY_CONNECTIONS'>

/** Everything through one server. The operator named it, so it may be anywhere, and its name may be in the hosts file only. */
export function relayResolver(
  { RELAY_URL, RELAY_CONNECTIONS }: RelayConfig,
  clock: Clock,
  name = RELAY,
): DestinationResolver {
  const { hostname, port, protocol, username, password } = new URL(RELAY_URL!)
  const relay = { name, maxConnections: RELAY_CONNECTIONS, maxUnreachableMs: RELAY_UNREACHABLE_MS }
  const host = hostname.replace(/^\[|\]$/g, '')
  const secure = protocol === 'smtps:'
  const auth = username ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) } : undefined
  const destinations = new ExpiringCache<Destination>({ clock, maxEntries: 1 })
  return {
    hasOneServer: true,
    resolve() {
      const known = destinations.get(host)
      return known ? { kind: 'found', destination: known } : findRelay()
    },
  }

  async function findRelay(): Promise<DestinationLookup> {
    try {
      const addresses = await lookup(host, { all: true })
      const hosts = addresses.map(({ address }) => ({
        host,
        address,
        port: Number(port) || (secure ? 465 : 587),
        secure,
        ...(auth && { auth }),
      }))
      const destination = { ...relay, hosts }
      destinations.set(host, destination, RELAY_SECONDS)
      return { kind: 'found', destination }
    } catch (error) {
      const problem = `451 4.4.4 The relay ${host} has no address: ${(error as Error).message}`
      return { kind: 'found', destination: { ...relay, hosts: [], problem } }
    }
  }
}

/** Everything through one service that is no mail server: there is nothing to look up. */
export function apiResolver(name: string, maxConnections: number): DestinationResolver {
  const destination: Destination = { name, maxConnections, hosts: [] }
  return { hasOneServer: true, resolve: () => ({ kind: 'found', destination }) }
}

/** Whom mail servers are looked up with, by the settings. */
export const exchangerOf = ({
  config,
  resolver,
  db: { clock },
}: {
  readonly config: Config
  readonly resolver: Resolver
  readonly db: Pick<Database, 'clock'>
}): MailExchanger => mailExchanger(resolver, { clock, allowPrivateAddresses: allowsPrivateAddresses(config) })

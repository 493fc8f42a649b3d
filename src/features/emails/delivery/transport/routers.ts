import { lookup } from 'node:dns/promises'
import { ExpiringCache } from '../../../../adapters/dns/expiring-cache.ts'
import type { MailExchanger } from '../../../../adapters/dns/mail-exchanger.ts'
import type { Destination } from '../../../../adapters/smtp-client/destination.ts'
import type { Clock } from '../../../../platform/clock.ts'
import type { Config } from '../../../../platform/settings/config.ts'
import type { Route, Router } from './smtp-transport.ts'

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
/** One that is down is asked this often whether it is back: it is one server, and everything waits for it. */
const RELAY_UNREACHABLE_MS = 60_000

type RelayConfig = Pick<Config, 'RELAY_URL' | 'RELAY_CONNECTIONS'>

/** Everything through one server. The operator named it, so it may be anywhere, and its name may be in the hosts file only. */
export function relayRouter({ RELAY_URL, RELAY_CONNECTIONS }: RelayConfig, clock: Clock): Router {
  const { hostname, port, protocol, username, password } = new URL(RELAY_URL!)
  const relay = { name: 'relay', maxConnections: RELAY_CONNECTIONS, maxUnreachableMs: RELAY_UNREACHABLE_MS }
  const host = hostname.replace(/^\[|\]$/g, '')
  const secure = protocol === 'smtps:'
  const auth = username ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) } : undefined
  const destinations = new ExpiringCache<Destination>({ clock, maxEntries: 1 })
  return {
    isOneWay: true,
    routeFor() {
      const known = destinations.get(host)
      return known ? { kind: 'found', destination: known } : findRelay()
    },
  }

  async function findRelay(): Promise<Route> {
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

import { lookup as systemLookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { rootCertificates } from 'node:tls'
import type { Agent } from 'undici'
import { isForbiddenAddress, isLoopbackAddress, isPublicAddress } from '../dns/public-address.ts'

/** For the first request: it is a megabyte of program, and an idle service makes none. */
const library = () => import('./undici.ts')

/** A connection that our own rules forbid, as opposed to one that did not come about. */
export class RefusedAddress extends Error {}

export interface GuardedAgentOptions {
  /** So that a laptop's webhooks reach a laptop's app. Link-local addresses stay out of reach. */
  readonly allowPrivateAddresses: boolean
  /** Set: this machine is reached and nothing else, whatever else is allowed. No name is looked up. */
  readonly isOnlyLoopback?: boolean
  /** The addresses of a name. Unset: the system's look-up, hosts file included (`localhost` is in there). */
  readonly addressesOf?: (hostname: string) => Promise<readonly string[]>
  readonly isPublic?: (address: string) => boolean
  readonly connectTimeoutMs?: number
  /** Certificates to trust besides the public ones, as PEM. */
  readonly trustedCertificates?: readonly string[]
  /** 20 unless said. */
  readonly connectionsPerHost?: number
}

/**
 * For each address of a name but the last. Node leaves one for the next after 250 ms, and does not come back: a server on another
 * continent, or any at all while this process is busy, was given up for an IPv6 address that leads nowhere.
 */
const ADDRESS_MS = 3_000

/**
 * Checks the address at the moment of connecting, and connects to the very address that it checked. A check of the URL before
 * the request would be worth nothing: a name can resolve to something else a moment later, and a redirect names a new host.
 */
export async function guardedAgent(options: GuardedAgentOptions): Promise<Agent> {
  const { Agent, buildConnector } = await library()
  const { allowPrivateAddresses, isOnlyLoopback = false, isPublic = isPublicAddress } = options
  const addressesOf = isOnlyLoopback ? loopbackAddresses : (options.addressesOf ?? systemAddresses)
  const isAllowed = (address: string) =>
    isOnlyLoopback
      ? isLoopbackAddress(address)
      : !isForbiddenAddress(address) && (allowPrivateAddresses || isPublic(address))
  const refusal = isOnlyLoopback ? notThisMachine : notPublic

  // Node asks this for names only, and tries the addresses that it gives, in turn.
  const lookup: LookupFunction = (hostname, request, callback) => {
    addressesOf(hostname).then(
      (addresses) => {
        const allowed = addresses.filter(isAllowed).map((address) => ({ address, family: isIP(address) }))
        if (addresses.length === 0) callback(new Error(`${hostname} has no address`), '', 0)
        else if (allowed.length === 0) callback(refusal(hostname), '', 0)
        else if (request.all) callback(null, allowed)
        else callback(null, allowed[0]!.address, allowed[0]!.family)
      },
      (error) => callback(error, '', 0),
    )
  }

  const connect = buildConnector({
    ...{ lookup, timeout: options.connectTimeoutMs ?? 10_000, autoSelectFamily: true },
    autoSelectFamilyAttemptTimeout: ADDRESS_MS,
    ...(options.trustedCertificates && { ca: [...rootCertificates, ...options.trustedCertificates] }),
  })
  return new Agent({
    connect(target, callback) {
      // Literals never come to `lookup`. However they were spelt (`0x7f.1`, `2130706433`), the URL parser has made them plain.
      const literal = target.hostname.replace(/^\[(.*)\]$/, '$1')
      if (isIP(literal) && !isAllowed(literal)) return void callback(refusal(literal), null)
      connect({ ...target, hostname: literal }, callback)
    },
    // Long enough for a burst of webhooks to one endpoint, short enough not to collect sockets to all the world.
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 10_000,
    connections: options.connectionsPerHost ?? 20,
    pipelining: 1,
    // The total time is watched by the caller; these would only cut it short.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

const notPublic = (name: string) => new RefusedAddress(`${name} is not a public address`)

const notThisMachine = (name: string) =>
  new RefusedAddress(`${name} is not this machine, and a sandbox reaches nothing else`)

/** Names for this machine by themselves (RFC 6761, 6.3). */
const LOCALHOST = /^(?:[^.]+\.)*localhost\.?$/i

async function loopbackAddresses(hostname: string): Promise<string[]> {
  if (!LOCALHOST.test(hostname)) throw notThisMachine(hostname)
  return ['127.0.0.1', '::1']
}

async function systemAddresses(hostname: string): Promise<string[]> {
  const found = await systemLookup(hostname, { all: true })
  return found.map(({ address }) => address)
}

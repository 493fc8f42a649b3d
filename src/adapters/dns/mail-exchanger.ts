import { hash } from 'node:crypto'
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { providerOf } from '../../mail/providers/providers.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Host } from '../smtp-client/destination.ts'
import { ExpiringCache } from './expiring-cache.ts'
import { type Exchanger, type Exchangers, findExchangers, type NoRoute, noSuchDomain } from './find-exchangers.ts'
import type { Resolver } from './resolver.ts'

/** Where to take mail for a domain, best first; or why it goes nowhere, with the outcome that every recipient gets. */
export type MailHosts =
  | {
      readonly kind: 'found'
      /** Of the machines that are asked first. Domains that have the same ones share their limits for us. */
      readonly name: string
      /** Whose they all are; null: of nobody who is known. */
      readonly provider: string | null
      readonly hosts: readonly Host[]
    }
  | NoRoute

export interface MailExchangerOptions {
  /** For tests and closed networks. Otherwise a domain could send our mail, and our retries, into our own network. */
  readonly allowPrivateAddresses?: boolean
  readonly port?: number
  /** From 0 to below 1. Spreads the load among hosts of equal preference. */
  readonly random?: () => number
  readonly clock: Clock
  readonly maxCachedDomains?: number
}

const CACHE_TTL_SECONDS = 300
const NEGATIVE_CACHE_TTL_SECONDS = 30

export function mailExchanger(resolver: Resolver, options: MailExchangerOptions) {
  const { allowPrivateAddresses = false, port = 25, random = Math.random, clock } = options
  const cache = new ExpiringCache<Exchangers>({ clock, maxEntries: options.maxCachedDomains ?? 10_000 })
  const underway = new Map<string, Promise<Exchangers>>()

  async function find(domain: string): Promise<Exchangers> {
    const found = await findExchangers(resolver, domain, { allowPrivateAddresses })
    cache.set(
      domain,
      found,
      found.kind === 'found' && !found.isPartial ? CACHE_TTL_SECONDS : NEGATIVE_CACHE_TTL_SECONDS,
    )
    return found
  }

  /** A thousand recipients at one domain, arriving together, ask once. */
  function findOnce(domain: string): Promise<Exchangers> {
    const known = underway.get(domain)
    if (known) return known
    const asking = find(domain).finally(() => underway.delete(domain))
    underway.set(domain, asking)
    return asking
  }

  return {
    async hostsFor(domain: string): Promise<MailHosts> {
      const ascii = domainToASCII(domain)
      // An IP address is no domain, though `domainToASCII` makes one of every number it is given.
      if (ascii === '' || isIP(ascii)) return noSuchDomain(domain)
      const found = cache.get(ascii) ?? (await findOnce(ascii))
      if (found.kind !== 'found') return found
      const hosts = inOrder(found.exchangers, random).flatMap(({ exchange, addresses }) =>
        addresses.map((address) => ({ host: exchange, address, port, secure: false })),
      )
      return { kind: 'found', name: nameOf(found.exchangers), provider: providerOfAll(found.exchangers), hosts }
    },
  }
}

export type MailExchanger = ReturnType<typeof mailExchanger>

/** A domain can name ten hosts with 250 characters each; what tells them apart has to fit into an index. */
const MAX_NAME_LENGTH = 300

function nameOf(exchangers: readonly Exchanger[]): string {
  const best = Math.min(...exchangers.map(({ preference }) => preference))
  const names = exchangers.filter(({ preference }) => preference === best).map(({ exchange }) => exchange.toLowerCase())
  const name = [...new Set(names)].sort().join(' ')
  return name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, 200)} ${hash('sha256', name)}`
}

const providerOfAll = (exchangers: readonly Exchanger[]) => providerOf(exchangers.map(({ exchange }) => exchange))

function inOrder(exchangers: readonly Exchanger[], random: () => number): Exchanger[] {
  return exchangers
    .map((exchanger) => ({ exchanger, draw: random() }))
    .sort((a, b) => a.exchanger.preference - b.exchanger.preference || a.draw - b.draw)
    .map(({ exchanger }) => exchanger)
}

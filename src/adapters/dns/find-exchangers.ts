import type { Outcome, ReplyClassification } from '../../mail/outcome.ts'
import { isForbiddenAddress, isPublicAddress } from './public-address.ts'
import type { MailExchange, Resolver } from './resolver.ts'

export interface Exchanger extends MailExchange {
  /** IPv4 first: over IPv6 many receivers ask more of a sender, and many networks have none. */
  readonly addresses: readonly string[]
}

/** Why mail for a domain goes nowhere, and what that means for its recipients. */
export interface NoRoute {
  readonly kind: 'no_such_domain' | 'null_mx' | 'no_address' | 'private_address' | 'failed'
  readonly outcome: Outcome
}

export type Exchangers =
  | {
      readonly kind: 'found'
      readonly exchangers: readonly Exchanger[]
      /** Some name could not be looked up just now: the list is good to use and not good to keep. */
      readonly isPartial: boolean
    }
  | NoRoute

interface Options {
  readonly allowPrivateAddresses: boolean
}

// A domain may name a thousand hosts with a thousand addresses each. Who cannot be reached through ten will not be through eleven.
const MAX_EXCHANGERS = 10
const MAX_ADDRESSES = 8

/** RFC 5321, section 5.1: the MX records, or the domain's own address when it has none. `domain` is in its ASCII form. */
export async function findExchangers(resolver: Resolver, domain: string, options: Options): Promise<Exchangers> {
  const answer = await resolver.lookup(domain, 'MX')
  if (answer.kind === 'failed') return lookupFailed(domain, answer.reason)
  if (answer.kind === 'none' && answer.reason === 'no_such_name') return noSuchDomain(domain)
  const named = answer.kind === 'found' ? answer.records : [{ exchange: domain, preference: 0 }]
  // RFC 7505: a lone MX record without a host says "no mail here". c-ares gives it as an empty text.
  const usable = named.filter(({ exchange }) => exchange !== '' && exchange !== '.')
  if (usable.length === 0) return nullMx(domain)

  const chosen = [...usable].sort((a, b) => a.preference - b.preference).slice(0, MAX_EXCHANGERS)
  const resolved = await Promise.all(
    chosen.map(async (one) => ({ ...one, ...(await addressesOf(resolver, one.exchange)) })),
  )
  return choose(domain, resolved, options)
}

type Resolved = Exchanger & { readonly failure: string | null }

function choose(domain: string, resolved: readonly Resolved[], { allowPrivateAddresses }: Options): Exchangers {
  const isAllowed = (address: string) =>
    allowPrivateAddresses ? !isForbiddenAddress(address) : isPublicAddress(address)
  const failure = resolved.find((one) => one.failure !== null)?.failure ?? null
  const allowed = resolved.map(({ exchange, preference, addresses }) => ({
    exchange,
    preference,
    addresses: addresses.filter(isAllowed),
  }))
  const exchangers = allowed.filter(({ addresses }) => addresses.length > 0)
  if (exchangers.length > 0) return { kind: 'found', exchangers, isPartial: failure !== null }
  if (failure !== null) return lookupFailed(domain, failure)
  return resolved.some(({ addresses }) => addresses.length > 0) ? privateAddress(domain) : noAddress(domain)
}

async function addressesOf(resolver: Resolver, name: string) {
  const answers = await Promise.all([resolver.lookup(name, 'A'), resolver.lookup(name, 'AAAA')])
  const addresses = answers.flatMap((answer) => (answer.kind === 'found' ? answer.records.slice(0, MAX_ADDRESSES) : []))
  const failed = answers.find((answer) => answer.kind === 'failed')
  return { addresses, failure: failed ? failed.reason : null }
}

/** What name servers say is no reply, and has a class all the same. */
const understood = (
  replyClass: 'bad_domain' | 'routing_errors' | 'dns_failure',
  name: string,
): ReplyClassification => ({
  class: replyClass,
  rule: `dns/${name}`,
  about: replyClass === 'bad_domain' ? 'recipient' : 'site',
  means: replyClass === 'bad_domain' ? 'bad_address' : replyClass === 'dns_failure' ? 'trouble' : 'refused',
})

export const noSuchDomain = (domain: string): NoRoute => ({
  kind: 'no_such_domain',
  outcome: {
    kind: 'bounced',
    reply: `550 5.1.2 The domain ${domain} does not exist`,
    bounce: { type: 'Permanent', subType: 'General' },
    ...understood('bad_domain', 'no-such-domain'),
  },
})

const nullMx = (domain: string): NoRoute => ({
  kind: 'null_mx',
  outcome: {
    kind: 'bounced',
    reply: `556 5.1.10 The domain ${domain} does not accept mail (null MX)`,
    bounce: { type: 'Permanent', subType: 'General' },
    ...understood('bad_domain', 'null-mx'),
  },
})

// Not permanent, although it bounces: somebody made a mistake in a zone, and the mailbox may be fine tomorrow.
const noAddress = (domain: string): NoRoute => ({
  kind: 'no_address',
  outcome: {
    kind: 'bounced',
    reply: `550 5.4.4 No mail server of ${domain} has an address`,
    bounce: { type: 'Undetermined', subType: 'General' },
    ...understood('routing_errors', 'no-address'),
  },
})

// Waits instead of bouncing: inside a company's own network this can be the operator's setting and not the domain's fault.
const privateAddress = (domain: string): NoRoute => ({
  kind: 'private_address',
  outcome: {
    kind: 'deferred',
    reply: `451 4.4.4 The mail servers of ${domain} have only private addresses, which are not connected to`,
    isThrottled: false,
    ...understood('routing_errors', 'private-address'),
  },
})

const lookupFailed = (domain: string, reason: string): NoRoute => ({
  kind: 'failed',
  outcome: {
    kind: 'deferred',
    reply: `451 4.4.3 Looking up ${domain}: ${reason}`,
    isThrottled: false,
    ...understood('dns_failure', 'lookup'),
  },
})

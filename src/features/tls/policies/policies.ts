import { ExpiringCache } from '../../../adapters/dns/expiring-cache.ts'
import type { Resolver } from '../../../adapters/dns/resolver.ts'
import type { TlsSeen } from '../../../adapters/smtp-client/destination.ts'
import type { Database } from '../../../kernel/db/database.ts'
import { toAsciiDomain } from '../../../mail/address.ts'
import { readStsRecord, type StsPolicy } from '../../../mail/mta-sts.ts'
import type { MaybePromise } from '../../../platform/concurrency/maybe-promise.ts'
import { levelOf } from '../../../platform/database-errors.ts'
import type { Log } from '../../../platform/observability/log.ts'
import type { FetchResult, Metrics } from '../../../platform/observability/metrics.ts'
import { type FetchedPolicy, fetchPolicy, type PolicyHttp } from './fetch-policy.ts'
import { findPolicy, keepPolicy, noteUse, type StoredPolicy } from './queries.ts'

export interface StsPoliciesParts {
  readonly db: Database
  readonly resolver: Resolver
  readonly http: PolicyHttp
  readonly log: Log
  readonly metrics: Pick<Metrics, 'countPolicyFetch' | 'countTls'>
  /** Who tells the domains about it. Unset: nobody. */
  readonly reports?: { note(domain: string, policy: KnownPolicy, seen: TlsSeen | 'mx-mismatch'): void }
  /** For tests, which have no port 443. */
  readonly port?: number
}

/** What is known of a domain's policy. */
export interface KnownPolicy extends StsPolicy {
  /** Its policy could not be read just now, although it says that there is one. */
  readonly problem?: PolicyProblem
}

/** Why there is no policy, or an old one. */
export interface PolicyProblem {
  readonly kind: 'failed' | 'invalid'
  readonly reason: string
}

/** For so long neither the DNS nor the domain's web server is asked again: five minutes is what RFC 8461 asks for after a failure. */
const CACHE_TTL_SECONDS = 300
const MAX_CACHED = 5_000
const DAY_MS = 86_400_000

/** Of a domain without one. */
export const NO_POLICY: KnownPolicy = { mode: 'none', mx: [], maxAgeSeconds: 0 }

/**
 * The MTA-STS policies of domains that mail goes to. They are in the database, so that all nodes go by them, also those that start, and also
 * while somebody keeps us from asking the domain; each node remembers what it has looked up for some minutes.
 */
export class StsPolicies {
  readonly #parts: StsPoliciesParts
  readonly #known: ExpiringCache<KnownPolicy>
  readonly #underway = new Map<string, Promise<KnownPolicy>>()

  constructor(parts: StsPoliciesParts) {
    this.#parts = parts
    this.#known = new ExpiringCache({ clock: parts.db.clock, maxEntries: MAX_CACHED })
  }

  /** Of a domain as it is written in an address. A thousand recipients who arrive together ask once. */
  find(domain: string): MaybePromise<KnownPolicy> {
    const name = toAsciiDomain(domain)
    const known = this.#known.get(name) ?? this.#underway.get(name)
    if (known) return known
    const asking = this.#look(name).finally(() => this.#underway.delete(name))
    this.#underway.set(name, asking)
    return asking
  }

  /** How TLS went with a server of a domain. `mx-mismatch`: the policy names some other server. */
  observe(domain: string, policy: KnownPolicy, seen: TlsSeen | 'mx-mismatch') {
    const { metrics, reports } = this.#parts
    metrics.countTls(policy.mode, seen === 'mx-mismatch' ? seen : seen.result)
    reports?.note(toAsciiDomain(domain), policy, seen)
  }

  /** Fetches a policy that is kept, before it expires. */
  async refresh({ domain }: Pick<StoredPolicy, 'domain'>): Promise<FetchedPolicy['kind'] | 'withdrawn'> {
    const recordId = await this.#recordOf(domain)
    // Whoever keeps us from asking must not end a policy: it stays until it expires.
    if (recordId === null) return 'withdrawn'
    return (await this.#fetch(domain, recordId)).kind
  }

  async #look(domain: string): Promise<KnownPolicy> {
    const [recordId, stored] = await Promise.all([this.#recordOf(domain), this.#stored(domain)])
    const found = await this.#choose(domain, recordId, stored)
    // Also one that wants to be asked for each mail: whoever serves a policy does not decide how often all processes fetch it.
    this.#known.set(domain, found, CACHE_TTL_SECONDS)
    return found
  }

  /** RFC 8461, 5.1: what is kept counts until it expires, unless there is a newer one. */
  async #choose(domain: string, recordId: string | null, stored: StoredPolicy | null): Promise<KnownPolicy> {
    if (stored) this.#noteUse(stored)
    if (recordId === null || recordId === stored?.recordId) return stored ?? NO_POLICY
    const fetched = await this.#fetch(domain, recordId)
    if (fetched.kind === 'fetched') return fetched.policy
    const { kind, reason } = fetched
    return { ...(stored ?? NO_POLICY), problem: { kind, reason } }
  }

  async #recordOf(domain: string): Promise<string | null> {
    const answer = await this.#parts.resolver.lookup(`_mta-sts.${domain}`, 'TXT')
    return answer.kind === 'found' ? readStsRecord(answer.records) : null
  }

  async #fetch(domain: string, recordId: string): Promise<FetchedPolicy> {
    const { http, db, log, metrics, port } = this.#parts
    const fetched = await fetchPolicy(http, domain, port)
    metrics.countPolicyFetch(fetched.kind satisfies FetchResult)
    if (fetched.kind === 'fetched')
      await keepPolicy(db, { domain, recordId, policy: fetched.policy }).catch((error) =>
        log[levelOf(error, 'error')]({ error, domain }, 'tls: saving an MTA-STS policy failed'),
      )
    else log.warn({ domain, reason: fetched.reason }, 'tls: fetching an MTA-STS policy failed')
    return fetched
  }

  /** Without the database there is what the domain says. */
  #stored(domain: string): Promise<StoredPolicy | null> {
    const { db, log } = this.#parts
    return findPolicy(db, domain).catch((error) => {
      log[levelOf(error, 'error')]({ error, domain }, 'tls: reading a policy failed')
      return null
    })
  }

  #noteUse({ domain, usedAt }: StoredPolicy) {
    const { db, log } = this.#parts
    if (db.clock.now().getTime() - usedAt.getTime() < DAY_MS) return
    void noteUse(db, domain).catch((error) =>
      log[levelOf(error, 'error')]({ error, domain }, 'tls: noting the use of a policy failed'),
    )
  }
}

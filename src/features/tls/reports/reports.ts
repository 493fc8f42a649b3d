import { ExpiringCache } from '../../../adapters/dns/expiring-cache.ts'
import type { Resolver } from '../../../adapters/dns/resolver.ts'
import type { HttpOutcome, OutgoingRequest } from '../../../adapters/outgoing-http/outgoing-http.ts'
import type { TlsSeen } from '../../../adapters/smtp-client/destination.ts'
import type { Database } from '../../../kernel/db/database.ts'
import { type ReportTargets, readReportRecord } from '../../../mail/tls-report.ts'
import { levelOf } from '../../../platform/database-errors.ts'
import type { Log } from '../../../platform/observability/log.ts'
import type { KnownPolicy } from '../policies/policies.ts'
import { addCounts, type DailyCount } from './queries.ts'

export interface TlsReportsParts {
  readonly db: Database
  readonly resolver: Resolver
  readonly http: { send(request: OutgoingRequest): Promise<HttpOutcome> }
  readonly log: Log
}

const WRITE_EVERY_MS = 60_000
/** Of one process, in a minute. What is beyond is not told. */
const MAX_COUNTS = 10_000
const ROWS_PER_STATEMENT = 500
const LOOKUPS_AT_ONCE = 20
/** Who wants reports changes seldom, and is asked again before one is sent. */
const CACHE_TTL_SECONDS = 6 * 3_600
const MAX_CACHED = 10_000
const MAX_REASON_LENGTH = 200
const POST_MS = 30_000

/**
 * What is learnt about TLS with the servers of other domains, for those that want to hear of it. Counted in memory and written down once a minute:
 * a process that dies takes at most that with it.
 */
export class TlsReports {
  readonly #parts: TlsReportsParts
  readonly #wanted: ExpiringCache<boolean>
  #counts = new Map<string, DailyCount>()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(parts: TlsReportsParts) {
    this.#parts = parts
    this.#wanted = new ExpiringCache({ clock: parts.db.clock, maxEntries: MAX_CACHED })
  }

  /** A session, or a server that the policy does not name. */
  note(domain: string, policy: KnownPolicy, seen: TlsSeen | 'mx-mismatch') {
    const day = this.#parts.db.clock.now().toISOString().slice(0, 10)
    this.#add({ day, domain, sessions: 1, ...countOf(policy, seen) })
    this.#timer ??= setTimeout(() => void this.flush(), WRITE_EVERY_MS).unref()
  }

  /** Writes down what is only in memory yet. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#write())
    return this.#writing
  }

  /** Where a domain wants its reports. `unknown`: nobody answered. */
  async targetsOf(domain: string): Promise<ReportTargets | 'none' | 'unknown'> {
    const answer = await this.#parts.resolver.lookup(`_smtp._tls.${domain}`, 'TXT')
    if (answer.kind === 'failed') return 'unknown'
    return (answer.kind === 'found' ? readReportRecord(answer.records) : null) ?? 'none'
  }

  /** Null: it was taken. Otherwise why not. */
  async post(url: string, packed: Buffer): Promise<string | null> {
    const outcome = await this.#parts.http.send({
      ...{ method: 'POST', url, body: packed, headers: { 'content-type': 'application/tlsrpt+gzip' } },
      ...{ timeoutMs: POST_MS, maxBytes: 4_096, whenTooLarge: 'cut' },
    })
    if (outcome.kind !== 'answered') return outcome.reason
    return outcome.status < 300 ? null : `it answered with ${outcome.status}`
  }

  #add(count: DailyCount) {
    const { sessions, ...key } = count
    const text = JSON.stringify(key)
    const known = this.#counts.get(text)
    if (!known && this.#counts.size >= MAX_COUNTS) return
    this.#counts.set(text, { ...count, sessions: sessions + (known?.sessions ?? 0) })
  }

  async #write() {
    const counts = [...this.#counts.values()]
    this.#counts = new Map()
    const { db, log } = this.#parts
    try {
      const wanted = await this.#wantedAmong(new Set(counts.map(({ domain }) => domain)))
      const rows = counts.filter(({ domain }) => wanted.has(domain))
      for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT)
        await addCounts(db, rows.slice(at, at + ROWS_PER_STATEMENT))
    } catch (error) {
      log[levelOf(error, 'error')]({ error }, 'tls: writing the counts for reports failed')
    }
  }

  async #wantedAmong(domains: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const unknown = [...domains].filter((domain) => this.#wanted.get(domain) === undefined)
    const wanted = new Set([...domains].filter((domain) => this.#wanted.get(domain) === true))
    const ask = async () => {
      for (let domain = unknown.pop(); domain !== undefined; domain = unknown.pop()) {
        const targets = await this.targetsOf(domain)
        if (targets === 'unknown') continue
        this.#wanted.set(domain, targets !== 'none', CACHE_TTL_SECONDS)
        if (targets !== 'none') wanted.add(domain)
      }
    }
    await Promise.all(Array.from({ length: LOOKUPS_AT_ONCE }, ask))
    return wanted
  }
}

type Counted = Omit<DailyCount, 'day' | 'domain' | 'sessions'>

const UNTOLD = { mxHost: '', mxAddress: '', localAddress: '', reason: '' }

function countOf({ mode, problem }: KnownPolicy, seen: TlsSeen | 'mx-mismatch'): Counted {
  const policy = mode === 'none' && !problem ? 'no-policy-found' : 'sts'
  if (seen === 'mx-mismatch') return { ...UNTOLD, policy, result: 'validation-failure', reason: seen }
  const place = { mxHost: seen.host, mxAddress: seen.address, localAddress: seen.localAddress ?? '' }
  if (problem) {
    const result = problem.kind === 'failed' ? 'sts-policy-fetch-error' : 'sts-policy-invalid'
    return { ...place, policy, result, reason: problem.reason.slice(0, MAX_REASON_LENGTH) }
  }
  // Where nobody asks for proof, a session that is encrypted is all that was wanted.
  const isGood = seen.result === 'success' || (policy === 'no-policy-found' && seen.isEncrypted)
  if (isGood) return { ...UNTOLD, policy, result: 'success' }
  return { ...place, policy, result: seen.result, reason: (seen.reason ?? '').slice(0, MAX_REASON_LENGTH) }
}

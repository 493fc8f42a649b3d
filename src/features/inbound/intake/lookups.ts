import type { Answer, RecordType, Resolver } from '../../../adapters/dns/resolver.ts'

/** A failure that took longer than this was waited for in vain. */
const SLOW_MS = 1_500
/** Nobody asks about the domain for this long then: its name servers may be the ones that want us to wait. */
const PAUSE_MS = 30_000
const MAX_PAUSED = 10_000
/** Names of one domain that are asked about at once. Honest domains have three for a message: SPF, a key and a policy. */
const MAX_PER_DOMAIN = 8
/** Some 10 MB. */
const MAX_IN_FLIGHT = 5_000

const NOT_ASKED = { kind: 'failed', reason: 'nobody is asked about this domain at the moment' } as const

/**
 * Asks name servers about the senders of mail, who choose which servers these are. Whoever chooses slow ones slows down nobody else:
 * pauses and numbers count for each domain. The same question is asked once for all who wait for its answer.
 */
export class Lookups {
  readonly #resolver: Resolver
  readonly #now: () => number
  readonly #inFlight = new Map<string, Promise<Answer<RecordType>>>()
  readonly #counts = new Map<string, number>()
  readonly #pausedUntil = new Map<string, number>()

  constructor(resolver: Resolver, now = () => performance.now()) {
    this.#resolver = resolver
    this.#now = now
  }

  lookup(name: string, type: RecordType): Promise<Answer<RecordType>> {
    const question = `${type} ${name.toLowerCase()}`
    const known = this.#inFlight.get(question)
    if (known) return known
    const domain = domainAsked(name)
    const count = this.#counts.get(domain) ?? 0
    if (this.#isPaused(domain) || count >= MAX_PER_DOMAIN || this.#inFlight.size >= MAX_IN_FLIGHT)
      return Promise.resolve(NOT_ASKED)

    this.#counts.set(domain, count + 1)
    const begin = this.#now()
    const asked = this.#resolver.lookup(name, type).then((answer) => {
      this.#inFlight.delete(question)
      const left = this.#counts.get(domain)! - 1
      if (left > 0) this.#counts.set(domain, left)
      else this.#counts.delete(domain)
      if (answer.kind === 'failed' && this.#now() - begin > SLOW_MS) this.#pause(domain)
      return answer
    })
    this.#inFlight.set(question, asked)
    return asked
  }

  #isPaused(domain: string): boolean {
    const until = this.#pausedUntil.get(domain)
    if (until === undefined) return false
    if (until > this.#now()) return true
    this.#pausedUntil.delete(domain)
    return false
  }

  #pause(domain: string) {
    this.#pausedUntil.delete(domain)
    this.#pausedUntil.set(domain, this.#now() + PAUSE_MS)
    if (this.#pausedUntil.size > MAX_PAUSED) this.#pausedUntil.delete(this.#pausedUntil.keys().next().value!)
  }
}

/** Without the labels in front that belong to DKIM and DMARC: `key._domainkey.example.com` is about example.com. */
function domainAsked(name: string): string {
  const labels = name.toLowerCase().replace(/\.$/, '').split('.')
  return labels.slice(labels.findLastIndex((label) => label.startsWith('_')) + 1).join('.')
}

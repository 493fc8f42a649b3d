import { ExpiringCache } from '../../../adapters/dns/expiring-cache.ts'
import type { Certificate } from '../../../adapters/tls/certificate.ts'
import { challengeCertificate } from '../../../adapters/tls/certificate-request.ts'
import type { Database } from '../../../kernel/db/database.ts'
import type { Sealer } from '../../../kernel/secrets.ts'
import { levelOf } from '../../../platform/database-errors.ts'
import type { Log } from '../../../platform/observability/log.ts'
import { isHostName } from '../own-names.ts'
import { CERTIFICATES_CHANNEL, findAnswerFor, findCertificate } from './queries.ts'

/** For so long a process goes by what it has read. What is renewed is announced besides. */
const CACHE_TTL_SECONDS = 60
const MAX_CACHED = 1_000

export const sealedFor = (name: string) => `certificate:${name}`

/**
 * The certificates of this installation, by the name that a client asks for. They are in the database, sealed keys and all, so that every node
 * has the same; each remembers those that were asked for lately.
 */
export class Certificates {
  readonly #db: Database
  readonly #sealer: Sealer
  readonly #log: Log
  #known: ExpiringCache<{ readonly certificate: Certificate | null }>
  /** As they were read last: one that is the same is the same object. */
  readonly #latest = new Map<string, Certificate>()
  #own: Certificate | null = null
  #ownReadMs = 0

  constructor({ db, sealer, log }: { db: Database; sealer: Sealer; log: Log }) {
    this.#db = db
    this.#sealer = sealer
    this.#log = log
    this.#known = this.#nothing()
  }

  /** Has the one of this name at hand, and forgets what is renewed elsewhere, until the function that it gives is called. */
  async follow(ownName: string): Promise<() => void> {
    const { presence, signals } = this.#db
    const read = async () => {
      this.#ownReadMs = performance.now()
      this.#own = await this.find(ownName)
    }
    const readIfOld = () => {
      if (performance.now() - this.#ownReadMs > CACHE_TTL_SECONDS * 1_000) void read()
    }
    const ignore = signals.watch(CERTIFICATES_CHANNEL, () => {
      this.#known = this.#nothing()
      void read()
    })
    presence.on('renewed', readIfOld)
    await read()
    return () => {
      presence.off('renewed', readIfOld)
      ignore()
    }
  }

  /** For clients that name no host. Null: there is none yet. */
  get own(): Certificate | null {
    return this.#own
  }

  /** Null: there is none of this name. The same object for as long as it is the same certificate. */
  async find(given: string): Promise<Certificate | null> {
    const name = given.toLowerCase()
    const known = this.#known.get(name)
    if (known) return known.certificate
    if (!isHostName(name)) return null
    const cache = this.#known
    try {
      const certificate = await this.#read(name)
      cache.set(name, { certificate }, CACHE_TTL_SECONDS)
      return certificate
    } catch (error) {
      this.#log[levelOf(error, 'error')]({ error, name }, 'tls: reading a certificate failed')
      return null
    }
  }

  /** What an authority is shown that asks for a name. Null: none of them was told to. */
  async findChallenge(given: string): Promise<Certificate | null> {
    const name = given.toLowerCase()
    if (!isHostName(name)) return null
    const answer = await findAnswerFor(this.#db, name)
    return answer === null ? null : challengeCertificate(name, answer, this.#db.clock.now())
  }

  async #read(name: string): Promise<Certificate | null> {
    const stored = await findCertificate(this.#db, name)
    if (!stored) return null
    const before = this.#latest.get(name)
    if (before?.cert === stored.certificate) return before
    const read = { cert: stored.certificate, key: this.#sealer.open(stored.sealedKey, sealedFor(name)) }
    if (this.#latest.size >= MAX_CACHED) this.#latest.clear()
    this.#latest.set(name, read)
    return read
  }

  #nothing() {
    return new ExpiringCache<{ readonly certificate: Certificate | null }>({
      clock: this.#db.clock,
      maxEntries: MAX_CACHED,
    })
  }
}

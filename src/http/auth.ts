import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Access } from './endpoint.ts'
import { Problem } from './problem.ts'
import { Strangers } from './strangers.ts'

/** Who is calling. */
export interface Caller {
  readonly keyId: string
  readonly team: string
  readonly permission: Access
  /** Set: the key may only send, and only from this domain. */
  readonly domainId: string | null
  /** Set: somebody who is signed in to the dashboard, and not a program with a key. */
  readonly sessionId?: string
}

/** Another way to say who one is than a key in a header. Null: the request does not use it. */
export interface Sessions {
  identify(request: { readonly method: string; readonly headers: IncomingHttpHeaders }): Promise<Caller | null>
}

interface StoredKey extends Caller {
  readonly tokenSha256: Buffer
}

/** Where keys are kept. */
export interface KeyStore {
  findByPrefix(prefix: string): Promise<StoredKey[]>
}

/** `re_` and eight characters: enough to find a key, useless to guess the rest. */
export const tokenPrefix = (token: string) => token.slice(0, 11)

export const tokenDigest = (token: string) => hash('sha256', token, 'buffer')

// A revoked key must be noticed within a second, also by the other processes, so an answer is trusted for less than that.
const TRUSTED_MS = 800
const REMEMBERED = 10_000

/** Who callers are, yes or no, for a moment. Those who are nobody are remembered apart: they take no room from the others. */
export class Recollection {
  readonly #known = new Map<string, Remembered>()
  readonly #unknown = new Map<string, Remembered>()

  recall(key: string, find: () => Promise<Caller | null>): Promise<Caller | null> {
    const now = performance.now()
    const remembered = this.#known.get(key) ?? this.#unknown.get(key)
    if (remembered && remembered.until > now) return remembered.caller
    const fresh = { until: now + TRUSTED_MS, caller: find() }
    remember(this.#unknown, key, fresh)
    fresh.caller.then(
      (caller) => {
        // Whoever was forgotten meanwhile stays forgotten.
        if (!caller || this.#unknown.get(key) !== fresh) return
        this.#unknown.delete(key)
        remember(this.#known, key, fresh)
      },
      () => this.#unknown.delete(key),
    )
    return fresh.caller
  }

  forget() {
    this.#known.clear()
    this.#unknown.clear()
  }
}

interface Remembered {
  readonly until: number
  readonly caller: Promise<Caller | null>
}

/** The oldest goes first; all are remembered for as long, so that is the one that is over first. */
function remember(memory: Map<string, Remembered>, key: string, fresh: Remembered) {
  memory.delete(key)
  memory.set(key, fresh)
  if (memory.size > REMEMBERED) memory.delete(memory.keys().next().value!)
}

/** Looks callers up by their token. */
export class Authenticator {
  readonly #store: KeyStore
  readonly #recollection = new Recollection()
  readonly #strangers = new Strangers()

  constructor(store: KeyStore) {
    this.#store = store
  }

  /** `address`: where it comes from, for those who try many keys. */
  async identify(authorization: string | undefined, address: string): Promise<Caller> {
    const token = /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1]
    if (!token) throw new Problem('missing_api_key', 'Missing API key in the authorization header.')
    const digest = hash('sha256', token, 'base64')
    const caller = await this.#recollection.recall(digest, () =>
      this.#strangers.lookUp(digest, address, () => this.#find(token)),
    )
    if (!caller) throw new Problem('invalid_api_key', 'API key is invalid')
    return caller
  }

  forget() {
    this.#recollection.forget()
  }

  async #find(token: string): Promise<Caller | null> {
    const digest = tokenDigest(token)
    const candidates = await this.#store.findByPrefix(tokenPrefix(token))
    return candidates.find(({ tokenSha256 }) => timingSafeEqual(tokenSha256, digest)) ?? null
  }
}

export function requireAccess(caller: Caller, access: Access) {
  if (caller.permission === 'full_access' || access === 'sending_access') return
  throw new Problem('restricted_api_key', 'This API key is restricted to only send emails.')
}

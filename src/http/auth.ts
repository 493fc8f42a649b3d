import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Actor, ActorOf } from './actor.ts'
import { Problem, type ProblemKind } from './problem.ts'
import { Strangers } from './strangers.ts'

/** Another way to say who one is than a key in a header. */
export interface Sessions {
  /** Null: the request does not use it. */
  identify(request: { readonly method: string; readonly headers: IncomingHttpHeaders }): Promise<Actor | null>
  forget(): void
}

interface StoredKey {
  readonly actor: ActorOf<'key'>
  readonly tokenSha256: Buffer
  /** Set: the key is the right one, and opens nothing. */
  readonly refusal: KeyRefusal | null
}

export interface KeyRefusal {
  readonly kind: ProblemKind
  readonly message: string
}

/** Of a key whose time is over. */
export const INACTIVE: KeyRefusal = { kind: 'inactive_api_key', message: 'API key is not active' }

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

/** Who is who, yes or no, for a moment. Those who are nobody are remembered apart: they take no room from the others. */
export class AuthCache<Who> {
  readonly #known = new Map<string, Remembered<Who>>()
  readonly #unknown = new Map<string, Remembered<Who>>()

  recall(key: string, find: () => Promise<Who | null>): Promise<Who | null> {
    const now = performance.now()
    const remembered = this.#known.get(key) ?? this.#unknown.get(key)
    if (remembered && remembered.until > now) return remembered.actor
    const fresh = { until: now + TRUSTED_MS, actor: find() }
    remember(this.#unknown, key, fresh)
    fresh.actor.then(
      (actor) => {
        // Whoever was forgotten meanwhile stays forgotten.
        if (!actor || this.#unknown.get(key) !== fresh) return
        this.#unknown.delete(key)
        remember(this.#known, key, fresh)
      },
      () => this.#unknown.delete(key),
    )
    return fresh.actor
  }

  forget() {
    this.#known.clear()
    this.#unknown.clear()
  }
}

interface Remembered<Who> {
  readonly until: number
  readonly actor: Promise<Who | null>
}

/** The oldest goes first; all are remembered for as long, so that is the one that is over first. */
function remember<Who>(memory: Map<string, Remembered<Who>>, key: string, fresh: Remembered<Who>) {
  memory.delete(key)
  memory.set(key, fresh)
  if (memory.size > REMEMBERED) memory.delete(memory.keys().next().value!)
}

/** Looks up by their token who somebody is. */
export class Authenticator {
  readonly #store: KeyStore
  readonly #cache = new AuthCache<StoredKey>()
  readonly #strangers = new Strangers()

  constructor(store: KeyStore) {
    this.#store = store
  }

  /** `address`: where it comes from, for those who try many keys. */
  async identify(authorization: string | undefined, address: string): Promise<ActorOf<'key'>> {
    const token = /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1]
    if (!token) throw new Problem('missing_api_key', 'Missing API key in the authorization header.')
    const digest = hash('sha256', token, 'base64')
    const key = await this.#cache.recall(digest, () => this.#strangers.lookUp(digest, address, () => this.#find(token)))
    if (!key) throw new Problem('invalid_api_key', 'API key is invalid')
    if (key.refusal) throw new Problem(key.refusal.kind, key.refusal.message)
    return key.actor
  }

  forget() {
    this.#cache.forget()
  }

  async #find(token: string): Promise<StoredKey | null> {
    const digest = tokenDigest(token)
    const candidates = await this.#store.findByPrefix(tokenPrefix(token))
    return candidates.find(({ tokenSha256 }) => timingSafeEqual(tokenSha256, digest)) ?? null
  }
}

/** Keys changed: the next request looks its key up again, and so does the next of each session. */
export function forgetKeys({ authenticator, sessions }: { authenticator: Authenticator; sessions: Sessions }) {
  authenticator.forget()
  sessions.forget()
}

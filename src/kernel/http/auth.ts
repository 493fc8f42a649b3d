import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { type Cells, cellOfAccessToken, cellOfKey, livesIn, NO_CELLS } from '../../platform/cell.ts'
import { type MaybePromise, whenKnown } from '../../platform/concurrency/maybe-promise.ts'
import type { Actor, ActorOf } from './actor.ts'
import { AuthThrottle } from './auth-throttle.ts'
import { Problem, type ProblemKind } from './problem.ts'

/** Another way to say who one is than a key in a header. */
export interface Sessions {
  /** Null: the request does not use it. */
  identify(request: { readonly method: string; readonly headers: IncomingHttpHeaders }): Promise<Actor> | null
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

/** Where access tokens are read: what programs get by OAuth, and send instead of a key. */
export interface TokenVerifier {
  /** Who acts with it. Null: it is not one of ours, too old, or what stands behind it has ended. */
  verify(token: string): Promise<ActorOf<'token'> | null>
}

/** A caller of the API that has said who it is in a header. */
export type Bearer = ActorOf<'key'> | ActorOf<'token'>

/** Three parts, as every signed token has. A key has no dot. */
const ACCESS_TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/

const FINDING_CHARACTERS = 8

/** `re_`, the cell if it says one, and eight characters: enough to find a key, useless to guess the rest. */
export function tokenPrefix(token: string): string {
  const cell = cellOfKey(token)
  return token.slice(0, 're_'.length + (cell === null ? 0 : cell.length + 1) + FINDING_CHARACTERS)
}

export const tokenDigest = (token: string) => hash('sha256', token, 'buffer')

// A revoked key must be noticed within a second, also by the other processes, so an answer is trusted for less than that.
const CACHE_TTL_MS = 800
const CACHE_SIZE = 10_000

/** Who is who, yes or no, for a moment. Those who are nobody are remembered apart: they take no room from the others. */
export class AuthCache<Who> {
  readonly #known = new Map<string, CachedActor<Who>>()
  readonly #unknown = new Map<string, CachedActor<Who>>()

  recall(key: string, find: () => Promise<Who | null>): MaybePromise<Who | null> {
    const now = performance.now()
    const known = this.#known.get(key)
    if (known && known.until > now) return known.known
    // Also whoever is being looked up anew: one look-up is for all who ask meanwhile.
    const remembered = this.#unknown.get(key)
    if (remembered && remembered.until > now) return remembered.actor
    const fresh: CachedActor<Who> = { until: now + CACHE_TTL_MS, actor: find(), known: null }
    remember(this.#unknown, key, fresh)
    fresh.actor.then(
      (actor) => {
        // Whoever was forgotten meanwhile stays forgotten.
        if (!actor || this.#unknown.get(key) !== fresh) return
        this.#unknown.delete(key)
        fresh.known = actor
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

interface CachedActor<Who> {
  readonly until: number
  readonly actor: Promise<Who | null>
  /** What the promise has given; null: it has not, or it is nobody. */
  known: Who | null
}

/** The oldest goes first; all are remembered for as long, so that is the one that is over first. */
function remember<Who>(memory: Map<string, CachedActor<Who>>, key: string, fresh: CachedActor<Who>) {
  memory.delete(key)
  memory.set(key, fresh)
  if (memory.size > CACHE_SIZE) memory.delete(memory.keys().next().value!)
}

/** Looks up who somebody is by what they bring: a key, or an access token. */
export class Authenticator {
  readonly #store: KeyStore
  readonly #tokens: TokenVerifier
  readonly #keys = new AuthCache<StoredKey>()
  readonly #programs = new AuthCache<ActorOf<'token'>>()
  readonly #throttle = new AuthThrottle()
  readonly #cells: Cells

  constructor(store: KeyStore, tokens: TokenVerifier, cells: Cells = NO_CELLS) {
    this.#store = store
    this.#tokens = tokens
    this.#cells = cells
  }

  /** `address`: where it comes from, for those who try many keys. */
  identify(authorization: string | undefined, address: string): MaybePromise<Bearer> {
    const token = /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1]
    if (!token) throw new Problem('missing_api_key', 'Missing API key in the authorization header.')
    if (!ACCESS_TOKEN.test(token)) return this.identifyKey(token, address)
    const program = this.#recall(this.#programs, token, address, () => this.#tokens.verify(token))
    return whenKnown(program, (found) => requireProgram(found ?? this.#refuseOtherIssuer(token)))
  }

  /** Where nothing but a key will do: SMTP, and signing in to the dashboard. */
  identifyKey(token: string, address: string): MaybePromise<ActorOf<'key'>> {
    const key = this.#recall(this.#keys, token, address, () => this.#find(token))
    return whenKnown(key, (found) => requireUsable(found ?? this.#refuseOtherCell(token)))
  }

  /** A key that nobody knows here, and that says where it was made. */
  #refuseOtherCell(token: string): null {
    const cell = cellOfKey(token)
    if (cell === null || cell === this.#cells.own || !this.#cells.urls.has(cell)) return null
    throw new Problem('wrong_cell', `This API key belongs to ${livesIn(cell, this.#cells.urls.get(cell))}`)
  }

  /** The same of an access token, by its issuer. */
  #refuseOtherIssuer(token: string): null {
    const cell = cellOfAccessToken(token, this.#cells)
    if (cell === null) return null
    throw new Problem('wrong_cell', `This access token belongs to ${livesIn(cell, this.#cells.urls.get(cell))}`)
  }

  forget() {
    this.#keys.forget()
    this.#programs.forget()
  }

  #recall<Who>(cache: AuthCache<Who>, token: string, address: string, find: () => Promise<Who | null>) {
    const digest = hash('sha256', token, 'base64')
    return cache.recall(digest, () => this.#throttle.lookUp(digest, address, find))
  }

  async #find(token: string): Promise<StoredKey | null> {
    const digest = tokenDigest(token)
    const candidates = await this.#store.findByPrefix(tokenPrefix(token))
    return candidates.find(({ tokenSha256 }) => timingSafeEqual(tokenSha256, digest)) ?? null
  }
}

function requireProgram(actor: ActorOf<'token'> | null): ActorOf<'token'> {
  if (!actor) throw new Problem('invalid_access_token', 'Access token is invalid or expired.')
  return actor
}

function requireUsable(key: StoredKey | null): ActorOf<'key'> {
  if (!key) throw new Problem('invalid_api_key', 'API key is invalid')
  if (key.refusal) throw new Problem(key.refusal.kind, key.refusal.message)
  return key.actor
}

/** Keys changed: the next request looks its key up again, and so does the next of each session. */
export function forgetKeys({ authenticator, sessions }: { authenticator: Authenticator; sessions: Sessions }) {
  authenticator.forget()
  sessions.forget()
}

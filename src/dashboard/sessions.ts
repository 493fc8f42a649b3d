import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { ActorOf } from '../http/actor.ts'
import { AuthCache, type Sessions as SessionsOfKernel } from '../http/auth.ts'
import { Problem } from '../http/problem.ts'
import type { Clock } from '../platform/clock.ts'
import type { Config } from '../platform/config.ts'
import type { Database } from '../platform/db/database.ts'
import { LinkSigner } from '../platform/links.ts'
import type { Sealer } from '../platform/secrets.ts'
import { deleteSession, findSession, insertSession } from './queries.ts'
import { isFromOurPage } from './same-origin.ts'

const SESSION_MS = 7 * 86_400_000

interface SessionParts {
  readonly db: Database
  readonly clock: Clock
  readonly config: Config
  readonly sealer: Sealer
}

/**
 * Who is signed in. The cookie names a row and is signed, so that a made-up one costs no look-up; the row says whether the session
 * and its key still exist. That answer is trusted as long as a key's: a revoked key ends its sessions within a second.
 */
export class Sessions implements SessionsOfKernel {
  readonly #parts: SessionParts
  readonly #signer: LinkSigner
  readonly #cache = new AuthCache<ActorOf<'session'>>()
  readonly #isSecure: boolean
  readonly #name: string

  constructor(parts: SessionParts) {
    this.#parts = parts
    const key = parts.sealer.deriveKey('sessions')
    this.#signer = new LinkSigner(key)
    this.#isSecure = parts.config.PUBLIC_URL?.startsWith('https:') ?? false
    // Browsers keep the cookies of all ports of a host together: each installation on a laptop has a name of its own.
    const installation = createHash('sha256').update(key).digest('hex').slice(0, 8)
    this.#name = `${this.#isSecure ? '__Host-' : ''}postwren_${installation}`
  }

  /** Opens a session for whoever has this key. Returns the cookie to set. */
  async open(key: { readonly team: string; readonly keyId: string }): Promise<string> {
    const now = this.#parts.clock.now()
    const expiresAt = new Date(now.getTime() + SESSION_MS)
    const id = await insertSession(this.#parts.db, key, now, expiresAt)
    return this.#cookie(this.#signer.sign('session', { team: key.team, id }, expiresAt), SESSION_MS / 1_000)
  }

  /** Ends the session, here and in every copy of its cookie. Returns the cookie that removes it from the browser. */
  async end({ team, identity }: ActorOf<'session'>): Promise<string> {
    await deleteSession(this.#parts.db, team, identity.id)
    this.forget()
    return this.#cookie('', 0)
  }

  /** A program's key always counts before a browser's cookie. */
  async identify(request: {
    readonly method: string
    readonly headers: IncomingHttpHeaders
  }): Promise<ActorOf<'session'> | null> {
    if (request.headers.authorization !== undefined || !this.#token(request.headers)) return null
    if (!isFromOurPage(request, this.#parts.config))
      throw new Problem('missing_api_key', 'A session is for the dashboard only. Other programs need an API key.')
    return this.require(request.headers)
  }

  /** The session of this browser, whichever page asked. */
  async require(headers: IncomingHttpHeaders): Promise<ActorOf<'session'>> {
    const token = this.#token(headers)
    const actor = token ? await this.#find(token) : null
    if (!actor) throw new Problem('missing_api_key', 'You are not signed in, or your session has ended.')
    return actor
  }

  forget() {
    this.#cache.forget()
  }

  #token({ cookie = '' }: IncomingHttpHeaders): string | undefined {
    if (cookie === '') return undefined
    return cookie
      .split(/; */)
      .find((pair) => pair.startsWith(`${this.#name}=`))
      ?.slice(this.#name.length + 1)
  }

  async #find(token: string): Promise<ActorOf<'session'> | null> {
    const { db, clock } = this.#parts
    const named = this.#signer.read('session', token, clock.now())
    if (!named) return null
    return this.#cache.recall(named.id!, () => findSession(db, named.team!, named.id!, clock.now()))
  }

  #cookie(value: string, maxAge: number) {
    const secure = this.#isSecure ? '; Secure' : ''
    return `${this.#name}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAge}${secure}`
  }
}

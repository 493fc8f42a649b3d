import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { findUserSession, insertUserSession, type NewSession } from '../../features/people/sessions.ts'
import type { Database } from '../../kernel/db/database.ts'
import type { ActorOf } from '../../kernel/http/actor.ts'
import { AuthCache, type Sessions as SessionsOfKernel } from '../../kernel/http/auth.ts'
import { Problem } from '../../kernel/http/problem.ts'
import type { Sealer } from '../../kernel/secrets.ts'
import type { Clock } from '../../platform/clock.ts'
import { isId } from '../../platform/ids.ts'
import { LinkSigner } from '../../platform/links.ts'
import type { Config } from '../../platform/settings/config.ts'
import { findSession, insertSession } from './queries.ts'
import { isFromOurPage } from './same-origin.ts'

const KEY_SESSION_MS = 7 * 86_400_000
/** The longest that browsers keep a cookie. How long a person's session lasts says its row. */
const COOKIE_SECONDS = 400 * 86_400

/** Which of their teams a person acts in. Two pages of one browser may show two teams. */
export const TEAM_HEADER = 'x-postwren-team'

/** Somebody at a browser: a person, or whoever has a key. */
export type Visitor = ActorOf<'session'> | ActorOf<'user'>

interface SessionParts {
  readonly db: Database
  readonly clock: Clock
  readonly config: Config
  readonly sealer: Sealer
}

/**
 * Who is signed in. The cookie names a row and is signed, so that a made-up one costs no look-up; the row says whether the session
 * and its key or membership still exist. That answer is trusted as long as a key's: what ends a session is noticed within a second.
 */
export class Sessions implements SessionsOfKernel {
  readonly #parts: SessionParts
  readonly #signer: LinkSigner
  readonly #cache = new AuthCache<Visitor>()
  readonly #isSecure: boolean
  readonly #name: string

  constructor(parts: SessionParts) {
    this.#parts = parts
    this.#signer = new LinkSigner(parts.sealer.deriveKeys('sessions'))
    this.#isSecure = parts.config.PUBLIC_URL?.startsWith('https:') ?? false
    // Browsers keep the cookies of all ports of a host together: each installation on a laptop has a name of its own.
    const name = parts.sealer.deriveOldestKey('sessions')
    const installation = createHash('sha256').update(name).digest('hex').slice(0, 8)
    this.#name = `${this.#isSecure ? '__Host-' : ''}postwren_${installation}`
  }

  /** Opens a session for whoever has this key. Returns the cookie to set. */
  async open(key: { readonly team: string; readonly keyId: string }): Promise<string> {
    const now = this.#parts.clock.now()
    const expiresAt = new Date(now.getTime() + KEY_SESSION_MS)
    const id = await insertSession(this.#parts.db, key, now, expiresAt)
    return this.#cookie(this.#signer.sign('session', { team: key.team, id }, expiresAt), KEY_SESSION_MS / 1_000)
  }

  /** Opens a session for a person. Returns the cookie to set. */
  async openFor(session: NewSession): Promise<string> {
    return this.cookieFor(await insertUserSession(this.#parts.db, session))
  }

  /** The cookie of a person's session. */
  cookieFor(id: string): string {
    return this.#cookie(this.#signer.sign('user session', { id }, null), COOKIE_SECONDS)
  }

  /** The cookie that removes a session from the browser. */
  get noCookie(): string {
    return this.#cookie('', 0)
  }

  /** A program's key always counts before a browser's cookie. */
  identify(request: { readonly method: string; readonly headers: IncomingHttpHeaders }): Promise<Visitor> | null {
    if (request.headers.authorization !== undefined || !this.#token(request.headers)) return null
    if (!isFromOurPage(request, this.#parts.config))
      throw new Problem('missing_api_key', 'Sessions work in the dashboard only. Use an API key.')
    return this.require(request.headers)
  }

  /** The session of this browser, whichever page asked. `team`: instead of the one that the header names. */
  async require(headers: IncomingHttpHeaders, team: unknown = headers[TEAM_HEADER]): Promise<Visitor> {
    const token = this.#token(headers)
    const actor = token ? await this.#find(token, typeof team === 'string' && isId(team) ? team : null) : null
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

  async #find(token: string, team: string | null): Promise<Visitor | null> {
    const { db, clock } = this.#parts
    const person = this.#signer.read('user session', token, clock.now())
    if (person) return this.#cache.recall(`${person.id} ${team}`, () => findUserSession(db, person.id!, team))
    const named = this.#signer.read('session', token, clock.now())
    if (!named) return null
    return this.#cache.recall(named.id!, () => findSession(db, named.team!, named.id!, clock.now()))
  }

  #cookie(value: string, maxAge: number) {
    const secure = this.#isSecure ? '; Secure' : ''
    return `${this.#name}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAge}${secure}`
  }
}

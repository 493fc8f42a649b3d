import type { IncomingHttpHeaders } from 'node:http'
import type { SignInSecrets } from '../../features/people/oidc/client.ts'
import type { Database } from '../../kernel/db/database.ts'
import type { Sealer } from '../../kernel/secrets.ts'
import type { Config } from '../../platform/settings/config.ts'

/** A sign-in that somebody has begun at a provider. */
export interface BegunSignIn extends SignInSecrets {
  readonly provider: string
  /** Where they wanted to go. */
  readonly next: string
}

/** Long enough to find a second factor. */
const VALID_SECONDS = 10 * 60
const CONTEXT = 'oidc sign-in'

/**
 * Keeps a sign-in that has begun with the browser that began it: sealed, so that nothing of it is known to anybody else and we keep
 * nothing. `Lax`, since the browser comes back from another site.
 */
export class OidcCookie {
  readonly #db: Database
  readonly #sealer: Sealer
  readonly #isSecure: boolean
  readonly #name: string

  constructor({ db, sealer, config }: { db: Database; sealer: Sealer; config: Config }) {
    this.#db = db
    this.#sealer = sealer
    this.#isSecure = config.PUBLIC_URL?.startsWith('https:') ?? false
    this.#name = `${this.#isSecure ? '__Host-' : ''}postwren_oidc`
  }

  make(begun: BegunSignIn): string {
    const exp = this.#db.clock.now().getTime() + VALID_SECONDS * 1_000
    const sealed = this.#sealer.seal(JSON.stringify({ ...begun, exp }), CONTEXT)
    return this.#cookie(sealed.toString('base64url'), VALID_SECONDS)
  }

  get none(): string {
    return this.#cookie('', 0)
  }

  /** Null: there is none, it is not ours, or it is too old. */
  read({ cookie = '' }: IncomingHttpHeaders): BegunSignIn | null {
    const prefix = `${this.#name}=`
    const value = cookie
      .split(/; */)
      .find((pair) => pair.startsWith(prefix))
      ?.slice(prefix.length)
    if (!value) return null
    try {
      const { exp, ...begun } = JSON.parse(this.#sealer.open(Buffer.from(value, 'base64url'), CONTEXT))
      return exp > this.#db.clock.now().getTime() ? begun : null
    } catch {
      return null
    }
  }

  #cookie(value: string, maxAge: number) {
    const secure = this.#isSecure ? '; Secure' : ''
    return `${this.#name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${secure}`
  }
}

import { hash, randomBytes } from 'node:crypto'
import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import type { Sealer } from '../../kernel/secrets.ts'
import { LinkSigner } from '../../platform/links.ts'

/** What a passkey is asked to sign for. An answer to one is none to another. */
export type Purpose = 'sign-in' | 'verification' | 'registration'

export interface Asked {
  readonly purpose: Purpose
  /** The session that it is asked in; null: nobody is signed in yet. */
  readonly session: string | null
}

/** Long enough to find the security key in the other bag. */
const VALID_MS = 5 * 60_000

/**
 * What passkeys sign. A challenge is a token of ours, so that those who ask for one and never answer leave nothing behind; one that
 * was answered is written down, so that no answer counts twice, whichever process gets it.
 */
export class Challenges {
  readonly #signer: LinkSigner

  constructor(sealer: Sealer) {
    this.#signer = new LinkSigner(sealer.deriveKeys('challenges'))
  }

  make({ purpose, session }: Asked, now: Date): Uint8Array<ArrayBuffer> {
    const payload = { nonce: randomBytes(16).toString('base64url'), ...(session && { session }) }
    return new TextEncoder().encode(this.#signer.sign(purpose, payload, new Date(now.getTime() + VALID_MS)))
  }

  /** Whether we have asked for this, a moment ago. `challenge` is as the browser repeats it. */
  isOurs(challenge: string, { purpose, session }: Asked, now: Date): boolean {
    const payload = this.#signer.read(purpose, Buffer.from(challenge, 'base64url').toString(), now)
    return payload !== null && (payload.session ?? null) === session
  }
}

/** False: it was answered before. */
export async function spendChallenge(db: Queryable, challenge: string): Promise<boolean> {
  const expiresAt = new Date(db.clock.now().getTime() + VALID_MS)
  const rows = await db.query(sql.write`
    insert into spent_challenges (sha256, expires_at) values (${hash('sha256', challenge, 'buffer')}, ${expiresAt})
    on conflict do nothing returning expires_at`)
  return rows.length > 0
}

import { randomBytes, randomUUID } from 'node:crypto'
import type { Queryable } from '../../kernel/db/database.ts'
import { tokenDigest } from '../../kernel/http/auth.ts'
import { clientOf } from '../../platform/client-address.ts'
import { TokenBuckets } from '../../platform/concurrency/token-buckets.ts'
import { readClientMetadata } from './client-metadata.ts'
import { saveClient } from './clients.ts'
import { OAuthError } from './error.ts'

const HOUR_MS = 3_600_000
const PER_ADDRESS = 20
/** Of all addresses together, in this process: each is a row of up to 16 kB that stays for a month. */
const OF_ALL = 1_000

/** Programs that make themselves known (RFC 7591). Nobody is asked, so it gives them nothing but a name on the page where people are. */
export class Registration {
  readonly #perAddress = new TokenBuckets({ limit: PER_ADDRESS, periodMs: HOUR_MS })
  readonly #ofAll = new TokenBuckets({ limit: OF_ALL, periodMs: HOUR_MS })

  /** `address`: who registers. Returns what the answer says. */
  async register(db: Queryable, given: unknown, address: string) {
    if (!this.#perAddress.take(clientOf(address)) || !this.#ofAll.take(''))
      throw new OAuthError('too_many_requests', 'Too many clients were registered. Try again in an hour.')
    const { authMethod, clientUri, ...metadata } = readClientMetadata(given)
    const secret = authMethod === 'none' ? null : randomBytes(32).toString('base64url')
    const id = randomUUID()
    const secretSha256 = secret === null ? null : tokenDigest(secret)
    await saveClient(db, { ...metadata, id, secretSha256, kind: 'registered' }, null)
    const { name, redirectUris, grantTypes, scopes, logoUri } = metadata
    return {
      client_id: id,
      client_id_issued_at: Math.floor(db.clock.now().getTime() / 1_000),
      client_name: name,
      redirect_uris: redirectUris,
      grant_types: grantTypes,
      response_types: ['code'],
      token_endpoint_auth_method: authMethod,
      scope: scopes.join(' '),
      ...(clientUri !== undefined && { client_uri: clientUri }),
      ...(logoUri !== null && { logo_uri: logoUri }),
      ...(secret !== null && { client_secret: secret, client_secret_expires_at: 0 }),
    }
  }
}

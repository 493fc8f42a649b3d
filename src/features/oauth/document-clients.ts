import type { HttpOutcome, OutgoingRequest } from '../../adapters/outgoing-http/outgoing-http.ts'
import type { Queryable } from '../../kernel/db/database.ts'
import { clientOf } from '../../platform/client-address.ts'
import { FairQueue } from '../../platform/concurrency/fair-queue.ts'
import { TokenBuckets } from '../../platform/concurrency/token-buckets.ts'
import type { OAuthClient } from './client.ts'
import { readClientMetadata } from './client-metadata.ts'
import { findClient, saveClient } from './clients.ts'
import { OAuthError } from './error.ts'

const MAX_BYTES = 5 * 1_024
const TIMEOUT_MS = 5_000
const MIN_CACHED_SECONDS = 300
const MAX_CACHED_SECONDS = 86_400
const MAX_URL = 2_048
/** Documents that one address can make us fetch. Anybody can ask, and it is others who are fetched from. */
const MAX_FETCHES_A_MINUTE = 20

/** What fetches from addresses that unknown clients name. */
export interface DocumentSource {
  send(request: OutgoingRequest): Promise<HttpOutcome>
}

/** Tells the two kinds of ids apart. */
export const isDocumentId = (id: string) => id.startsWith('https://')

/**
 * Clients whose id is the address of a document that says who they are. It is fetched when somebody is sent here by such a client,
 * and at no other time; whoever has been let in already needs it no more.
 */
export class DocumentClients {
  readonly #db: Queryable
  readonly #source: DocumentSource
  readonly #fetches = new TokenBuckets({ limit: MAX_FETCHES_A_MINUTE, periodMs: 60_000 })
  readonly #inFlight = new FairQueue({ slots: 8, perTenant: 2, waitingPerTenant: 10, waitMs: TIMEOUT_MS })

  constructor(db: Queryable, source: DocumentSource) {
    this.#db = db
    this.#source = source
  }

  /** `address`: who asks. */
  async find(id: string, address: string): Promise<OAuthClient> {
    checkId(id)
    const known = await findClient(this.#db, id)
    const now = this.#db.clock.now()
    // An older copy is of no use: it may name an address that its owner no longer has.
    if (known?.expiresAt && known.expiresAt > now) return known
    const asking = clientOf(address)
    if (!this.#fetches.take(asking))
      throw new OAuthError('too_many_requests', 'Too many different clients. Try again in a minute.')
    const { client, cachedSeconds } = await this.#inFlight.run(asking, () => this.#fetch(id))
    await saveClient(this.#db, client, new Date(now.getTime() + cachedSeconds * 1_000))
    return client
  }

  async #fetch(id: string): Promise<{ client: OAuthClient; cachedSeconds: number }> {
    const answer = await this.#source.send({
      method: 'GET',
      url: id,
      headers: { accept: 'application/json' },
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      maxRedirects: 0,
    })
    if (answer.kind !== 'answered') throw unreadable(answer.reason)
    if (answer.status < 200 || answer.status > 299) throw unreadable(`the server answered ${answer.status}`)
    const client = readDocument(id, answer.body.toString())
    return { client, cachedSeconds: cachedSeconds(answer.headers['cache-control']) }
  }
}

/** Compared character for character, so it must be written in the one way in which URLs are. */
function checkId(id: string) {
  const url = id.length <= MAX_URL && URL.canParse(id) ? new URL(id) : null
  const isPlain = url !== null && url.href === id && url.pathname !== '/' && !id.includes('#')
  if (!isPlain || url.username !== '' || url.password !== '')
    throw new OAuthError(
      'invalid_client',
      'The address of a client’s metadata is an https URL with a path, and nothing else.',
    )
}

export function readDocument(id: string, text: string): OAuthClient {
  const { host } = new URL(id)
  try {
    const document: unknown = JSON.parse(text)
    const { authMethod, redirectUris, logoUri, name, scopes, grantTypes } = readClientMetadata(document)
    const { client_id, client_secret, jwks, jwks_uri } = document as Record<string, unknown>
    if (client_id !== id) throw new Error('its `client_id` is not its own address')
    if (authMethod !== 'none' || client_secret !== undefined || jwks !== undefined || jwks_uri !== undefined)
      throw new Error('everybody can read it, so it has no secret and no key: `token_endpoint_auth_method` is `none`')
    const foreign = redirectUris.find((uri) => uri.startsWith('https:') && new URL(uri).host !== host)
    if (foreign) throw new Error(`\`${foreign}\` is not on the host of the document`)
    const ownLogo = logoUri !== null && new URL(logoUri).host === host ? logoUri : null
    return { id, name, logoUri: ownLogo, redirectUris, scopes, grantTypes, secretSha256: null, kind: 'document' }
  } catch (error) {
    throw unreadable(error instanceof SyntaxError ? 'it is not JSON' : (error as Error).message)
  }
}

const unreadable = (reason: string) => new OAuthError('invalid_client', `Client metadata cannot be used: ${reason}.`)

export function cachedSeconds(cacheControl: string | string[] | undefined): number {
  const [, seconds] = /(?:^|[\s,])max-age=(\d{1,9})/i.exec(String(cacheControl ?? '')) ?? []
  return Math.min(Math.max(Number(seconds ?? 0), MIN_CACHED_SECONDS), MAX_CACHED_SECONDS)
}

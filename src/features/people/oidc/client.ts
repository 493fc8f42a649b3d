import type { Configuration, CustomFetch, CustomFetchOptions } from 'openid-client'
import type { OutgoingHttp } from '../../../adapters/outgoing-http/outgoing-http.ts'
import { Problem } from '../../../kernel/http/problem.ts'
import type { OidcProvider } from '../../../platform/settings/oidc-setting.ts'

/** A provider has this long for each answer. People wait for it. */
const TIMEOUT_MS = 10_000
/** The largest document of a provider is its keys, some kB. */
const MAX_BYTES = 1024 * 1024
/** How long its addresses are believed. Its keys have rules of their own, in the library. */
const CACHE_TTL_MS = 3_600_000
/** One that is away is not asked again at once, by everybody who tries. */
const RETRY_AFTER_MS = 5_000

/** What one sign-in is held together by, besides its code. Only the browser that began has it. */
export interface SignInSecrets {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** What a provider says about somebody. */
export type Claims = Readonly<Record<string, unknown>>

/** The library is loaded with the first sign-in: most installations have no provider. */
const library = () => import('openid-client')

/** Talks to one provider: where to send people, and who they are when they come back. */
export class ProviderClient {
  readonly provider: OidcProvider
  readonly #http: OutgoingHttp
  readonly #timeoutMs: number
  #discovered: { readonly until: number; readonly configuration: Promise<Configuration> } | null = null

  constructor(provider: OidcProvider, http: OutgoingHttp, timeoutMs = TIMEOUT_MS) {
    this.provider = provider
    this.#http = http
    this.#timeoutMs = timeoutMs
  }

  /** Where somebody goes to sign in, and what will prove that it was they who went. */
  async begin(redirectUri: string): Promise<{ url: string; secrets: SignInSecrets }> {
    const { buildAuthorizationUrl, calculatePKCECodeChallenge, randomNonce, randomPKCECodeVerifier, randomState } =
      await library()
    const configuration = await this.#configuration()
    const secrets = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() }
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: this.provider.scopes.join(' '),
      response_type: 'code',
      state: secrets.state,
      nonce: secrets.nonce,
      code_challenge: await calculatePKCECodeChallenge(secrets.verifier),
      code_challenge_method: 'S256',
    })
    return { url: url.href, secrets }
  }

  /** Who has come back to this address. Throws a `Problem` that says why it is nobody. */
  async finish(address: URL, { state, nonce, verifier }: SignInSecrets): Promise<Claims> {
    const { authorizationCodeGrant, fetchUserInfo } = await library()
    const configuration = await this.#configuration()
    try {
      const tokens = await authorizationCodeGrant(configuration, address, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      const claims = tokens.claims()!
      if (!this.#lacks(claims) || !configuration.serverMetadata().userinfo_endpoint) return claims
      return { ...(await fetchUserInfo(configuration, tokens.access_token, claims.sub)), ...claims }
    } catch (error) {
      throw this.#explain(error)
    }
  }

  /** Many put into the ID token no more than they must. */
  #lacks(claims: Claims) {
    const { groups, groups_claim } = this.provider
    return claims.email === undefined || (groups !== undefined && claims[groups_claim] === undefined)
  }

  #configuration(): Promise<Configuration> {
    const now = performance.now()
    if (this.#discovered && this.#discovered.until > now) return this.#discovered.configuration
    const configuration = this.#discover()
    const discovered = { until: now + CACHE_TTL_MS, configuration }
    this.#discovered = discovered
    configuration.catch(() => {
      if (this.#discovered === discovered)
        this.#discovered = { until: performance.now() + RETRY_AFTER_MS, configuration }
    })
    return configuration
  }

  async #discover(): Promise<Configuration> {
    const { allowInsecureRequests, customFetch, discovery, enableNonRepudiationChecks, ...auth } = await library()
    const { issuer, client_id, client_secret } = this.provider
    const isPlain = issuer.startsWith('http:')
    try {
      return await discovery(
        new URL(issuer),
        client_id,
        undefined,
        (server, client, body, headers) => {
          const methods = server.token_endpoint_auth_methods_supported
          const authenticate =
            client_secret === undefined
              ? auth.None()
              : !methods || methods.includes('client_secret_basic')
                ? auth.ClientSecretBasic(client_secret)
                : auth.ClientSecretPost(client_secret)
          authenticate(server, client, body, headers)
        },
        {
          // The signature of an ID token is checked, too, and not only that it came through a connection to its issuer.
          execute: [enableNonRepudiationChecks, ...(isPlain ? [allowInsecureRequests] : [])],
          [customFetch]: this.#fetch,
          timeout: this.#timeoutMs / 1_000,
        },
      )
    } catch (error) {
      throw this.#explain(error)
    }
  }

  readonly #fetch: CustomFetch = async (url: string, { method, headers, body }: CustomFetchOptions) => {
    const outcome = await this.#http.send({
      method: method === 'POST' ? 'POST' : 'GET',
      url,
      headers,
      ...(body !== undefined && body !== null && { body: String(body) }),
      timeoutMs: this.#timeoutMs,
      maxBytes: MAX_BYTES,
    })
    if (outcome.kind !== 'answered') throw new Unreachable(outcome.reason)
    if (outcome.status >= 500) throw new Unreachable(`it answered ${outcome.status}`)
    const isEmpty = outcome.status === 204 || outcome.status === 304
    const type = outcome.headers['content-type']
    return new Response(isEmpty ? null : new Uint8Array(outcome.body), {
      status: outcome.status,
      headers: { ...(type && { 'content-type': type }) },
    })
  }

  /** For the person at the browser. Whoever runs the installation finds the cause in the log. */
  #explain(error: unknown): Problem {
    const { name } = this.provider
    if (error instanceof Problem) return error
    const unreachable = findUnreachable(error)
    const problem =
      unreachable !== null
        ? new Problem('service_unavailable', `${name} is not responding. Try again, or sign in another way.`)
        : new Problem('invalid_permission', `${name} did not identify you${codeOf(error)}. Start again.`)
    problem.cause = unreachable ?? error
    return problem
  }
}

class Unreachable extends Error {}

/** The library wraps what the request has thrown. */
function findUnreachable(error: unknown): Unreachable | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof Unreachable) return cause
  return null
}

/** The code of OAuth, such as `access_denied`: a word of the standard, and no untrusted text. */
function codeOf(error: unknown): string {
  const { error: code } = error as { error?: unknown }
  return typeof code === 'string' && /^[a-z_]{1,40}$/.test(code) ? ` (${code})` : ''
}

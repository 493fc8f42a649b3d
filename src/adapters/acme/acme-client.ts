import { setTimeout as wait } from 'node:timers/promises'
import type { HttpOutcome, OutgoingRequest } from '../outgoing-http/outgoing-http.ts'
import type { AccountKey } from './account-key.ts'

// ACME (RFC 8555), as much of it as getting a certificate takes. The client of npm that is kept (acme-client) brings a second HTTP client, which
// would go past the guarded one, and two libraries for certificates, of which we need a page (src/adapters/tls/der.ts).

export type ChallengeKind = 'http-01' | 'tls-alpn-01'

export interface AcmeOptions {
  readonly directoryUrl: string
  readonly http: { send(request: OutgoingRequest): Promise<HttpOutcome> }
  readonly key: AccountKey
  /** Where the authority has our account. Null: it is asked for it first. */
  readonly accountUrl: string | null
  /** An address that the authority may write to. */
  readonly contact?: string | undefined
}

export interface CertificateOrder {
  readonly names: readonly string[]
  /** PKCS #10. */
  readonly request: Buffer
  readonly kind: ChallengeKind
  /** Makes the answer to be found where the authority looks for it. */
  prepare(challenge: { readonly name: string; readonly token: string; readonly answer: string }): Promise<void>
  readonly signal: AbortSignal
}

/** What an authority said no with, in its words. */
export class AcmeRefusal extends Error {
  /** It is about us, and not about what was asked for: another name would hear the same. */
  readonly isGeneral: boolean

  constructor(message: string, { isGeneral = false } = {}) {
    super(message)
    this.isGeneral = isGeneral
  }
}

const TIMEOUT_MS = 30_000
const MAX_BYTES = 262_144
/** A nonce can be too old by the time it is used; a new one comes with the refusal. */
const MAX_TRIES = 5
const FIRST_WAIT_MS = 250
const MAX_PAUSE_MS = 5_000
/** For one state to change. */
const MAX_WAIT_MS = 120_000

interface Reply {
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: what is read of it is checked where it is used
  readonly body: any
}

export class AcmeClient {
  readonly #options: AcmeOptions
  #directory: { newNonce: string; newAccount: string; newOrder: string } | null = null
  #nonce: string | null = null
  #accountUrl: string | null

  constructor(options: AcmeOptions) {
    this.#options = options
    this.#accountUrl = options.accountUrl
  }

  /** Makes the account of the key, or finds it. Whoever sets the setting agrees to the terms of the authority. */
  async register(): Promise<string> {
    const { contact } = this.#options
    const { newAccount } = await this.#urls()
    const { headers } = await this.#post(newAccount, {
      termsOfServiceAgreed: true,
      ...(contact !== undefined && { contact: [`mailto:${contact}`] }),
    })
    this.#accountUrl = textOf(headers.location, 'the URL of the account')
    return this.#accountUrl
  }

  /** The certificate, with those of its authorities behind it, as PEM. */
  async issue({ names, request, kind, prepare, signal }: CertificateOrder): Promise<string> {
    const { newOrder } = await this.#urls()
    const made = await this.#post(newOrder, { identifiers: names.map((value) => ({ type: 'dns', value })) })
    const url = textOf(made.headers.location, 'the URL of the order')
    for (const authorization of listOf(made.body.authorizations))
      await this.#prove(authorization, { kind, prepare, signal })
    const ready = await this.#until(url, ['ready', 'valid'], signal)
    if (ready.status === 'ready')
      await this.#post(textOf(ready.finalize, 'where to finalize'), { csr: request.toString('base64url') })
    const { certificate } = await this.#until(url, ['valid'], signal)
    const { text } = await this.#post(textOf(certificate, 'the URL of the certificate'), null)
    return text
  }

  async #prove(url: string, { kind, prepare, signal }: Pick<CertificateOrder, 'kind' | 'prepare' | 'signal'>) {
    const { body } = await this.#post(url, null)
    // What we have shown lately is not asked for again.
    if (body.status === 'valid') return
    const name = textOf(body.identifier?.value, 'the name')
    const challenge = listOf<{ type?: unknown; token?: unknown; url?: unknown }>(body.challenges).find(
      ({ type }) => type === kind,
    )
    if (!challenge) throw new AcmeRefusal(`The authority offers no ${kind} for ${name}.`)
    const token = textOf(challenge.token, 'a token')
    if (!/^[\w-]{1,200}$/.test(token)) throw new AcmeRefusal('The authority answered without a token.')
    await prepare({ name, token, answer: `${token}.${this.#options.key.thumbprint}` })
    await this.#post(textOf(challenge.url, 'the URL of the challenge'), {})
    await this.#until(url, ['valid'], signal)
  }

  /** Asks again until it is in one of the states. */
  async #until(url: string, states: readonly string[], signal: AbortSignal) {
    let waitMs = FIRST_WAIT_MS
    for (let waitedMs = 0; waitedMs < MAX_WAIT_MS; waitedMs += waitMs, waitMs = Math.min(waitMs * 2, MAX_PAUSE_MS)) {
      const { body } = await this.#post(url, null)
      if (states.includes(body.status)) return body
      if (!['pending', 'processing', 'ready'].includes(body.status)) throw new AcmeRefusal(problemIn(body))
      await wait(waitMs, undefined, { signal })
    }
    throw new AcmeRefusal('The authority did not come to an end in time.')
  }

  async #urls() {
    if (this.#directory) return this.#directory
    const { body } = await this.#send({ method: 'GET', url: this.#options.directoryUrl })
    const [newNonce, newAccount, newOrder] = ['newNonce', 'newAccount', 'newOrder'].map((name) =>
      textOf(body[name], `\`${name}\``),
    )
    this.#directory = { newNonce: newNonce!, newAccount: newAccount!, newOrder: newOrder! }
    return this.#directory
  }

  async #post(url: string, payload: object | null): Promise<Reply> {
    const { key } = this.#options
    const { newNonce, newAccount } = await this.#urls()
    if (this.#accountUrl === null && url !== newAccount) await this.register()
    for (let tries = 1; ; tries++) {
      this.#nonce ??= textOf((await this.#send({ method: 'HEAD', url: newNonce })).headers['replay-nonce'], 'a nonce')
      const who = url === newAccount ? { jwk: key.jwk } : { kid: this.#accountUrl }
      const body = key.sign({ ...who, nonce: this.#nonce, url }, payload)
      this.#nonce = null
      try {
        return await this.#send({ method: 'POST', url, body, headers: { 'content-type': 'application/jose+json' } })
      } catch (error) {
        if (!(error instanceof BadNonce) || tries === MAX_TRIES) throw error
      }
    }
  }

  async #send(request: Pick<OutgoingRequest, 'method' | 'url' | 'body' | 'headers'>): Promise<Reply> {
    if (!request.url.startsWith('https://')) throw new AcmeRefusal('The authority named a URL without https.')
    const outcome = await this.#options.http.send({ ...request, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES })
    if (outcome.kind !== 'answered')
      throw new AcmeRefusal(`The authority could not be reached: ${outcome.reason}.`, { isGeneral: true })
    const { status, headers } = outcome
    const nonce = headers['replay-nonce']
    if (typeof nonce === 'string' && request.method !== 'HEAD') this.#nonce = nonce
    const text = outcome.body.toString('utf8')
    const body = /json/.test(headers['content-type'] ?? '') ? parsed(text) : {}
    if (status < 300) return { headers, text, body }
    const problem = problemIn(body) || `status ${status}`
    if (body.type === 'urn:ietf:params:acme:error:badNonce') throw new BadNonce(problem)
    throw new AcmeRefusal(problem, { isGeneral: body.type === RATE_LIMITED || status >= 500 })
  }
}

const RATE_LIMITED = 'urn:ietf:params:acme:error:rateLimited'

class BadNonce extends AcmeRefusal {}

const MAX_PROBLEM_LENGTH = 500

/** What the authority says is wrong, also with one of the names. */
function problemIn(body: {
  detail?: unknown
  error?: { detail?: unknown }
  status?: unknown
  challenges?: { error?: { detail?: unknown } }[]
}): string {
  const failed = Array.isArray(body.challenges) ? body.challenges.find((one) => one?.error)?.error : undefined
  const detail = body.detail ?? body.error?.detail ?? failed?.detail ?? body.status ?? ''
  return String(detail).slice(0, MAX_PROBLEM_LENGTH)
}

function parsed(text: string) {
  try {
    const body = JSON.parse(text)
    return typeof body === 'object' && body !== null ? body : {}
  } catch {
    return {}
  }
}

function textOf(value: unknown, what: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw new AcmeRefusal(`The authority answered without ${what}.`)
}

/** One for each name, and we ask for few. */
const listOf = <Item = string>(value: unknown): Item[] => (Array.isArray(value) ? value.slice(0, 100) : [])

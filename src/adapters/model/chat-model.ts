import type { Config } from '../../platform/settings/config.ts'
import { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import { type Answer, type Message, readAnswer, readModels, type Tool, writeRequest } from './protocol.ts'

const TIMEOUT_MS = 60_000
const MAX_ANSWER_BYTES = 1024 * 1024

export interface Question {
  readonly messages: readonly Message[]
  readonly tools: readonly Tool[]
  readonly signal: AbortSignal
  /** Set: a model on this machine is asked, and no other. */
  readonly isOnlyLoopback?: boolean
}

/** What came of it. What a server says when it refuses is for the log alone: it may tell of places that are the operator's. */
export type ModelOutcome =
  | ({ readonly kind: 'answered' } & Answer)
  | {
      readonly kind: 'failed'
      /** For everybody, a sentence. */
      readonly reason: string
      /** For the log. */
      readonly detail: string
      /** Another time it may answer. */
      readonly isTemporary: boolean
    }

/** How a server stands to us, as far as it tells without being asked anything. */
export type ModelStanding =
  /** `hasModel` is null when it does not say which it has. */
  { readonly kind: 'open'; readonly hasModel: boolean | null } | { readonly kind: 'closed'; readonly reason: string }

/** The model of the settings. The address is the operator's own, so it may be a private one; nobody else chooses where this goes. */
export class ChatModel {
  readonly #http = new OutgoingHttp({ allowPrivateAddresses: true })
  readonly #url: string
  readonly #model: string
  readonly #key: string | undefined
  readonly #timeoutMs: number

  constructor(settings: { url: string; model: string; key?: string | undefined; timeoutMs?: number }) {
    this.#url = settings.url.replace(/\/+$/, '')
    this.#model = settings.model
    this.#key = settings.key
    this.#timeoutMs = settings.timeoutMs ?? TIMEOUT_MS
  }

  /** Never throws for what the server does, only when the signal says that nobody waits any more. */
  async ask({ messages, tools, signal, isOnlyLoopback = false }: Question): Promise<ModelOutcome> {
    const outcome = await this.#http.send({
      method: 'POST',
      url: `${this.#url}/chat/completions`,
      headers: { 'content-type': 'application/json', ...this.#authorization() },
      body: writeRequest(this.#model, messages, tools),
      timeoutMs: this.#timeoutMs,
      maxBytes: MAX_ANSWER_BYTES,
      signal,
      isOnlyLoopback,
    })
    switch (outcome.kind) {
      case 'answered':
        return this.#read(outcome.status, outcome.body.toString())
      case 'refused':
        return this.#failure('The model cannot be asked.', outcome.reason, false)
      case 'failed':
        return this.#failure('The model could not be reached.', outcome.reason, true)
      case 'timed_out':
        return this.#failure('The model took too long to answer.', outcome.reason, true)
      case 'too_large':
        return this.#failure('The response of the model was too long.', outcome.reason, false)
    }
  }

  /** Asks for the list of models: a question to one of them would cost something, and load it. */
  async lookUp(timeoutMs: number): Promise<ModelStanding> {
    const outcome = await this.#http.send({
      ...{ method: 'GET', url: `${this.#url}/models`, headers: this.#authorization(), timeoutMs },
      maxBytes: MAX_ANSWER_BYTES,
    })
    if (outcome.kind === 'too_large') return { kind: 'open', hasModel: null }
    if (outcome.kind !== 'answered') return { kind: 'closed', reason: outcome.reason }
    const { status } = outcome
    if (status === 401 || status === 403) return { kind: 'closed', reason: `it refuses the key (${status})` }
    if (status >= 500) return { kind: 'closed', reason: `it answers ${status}` }
    const models = status === 200 ? readModels(outcome.body.toString()) : null
    // Ollama leaves out a tag that goes without saying.
    return { kind: 'open', hasModel: models && [this.#model, `${this.#model}:latest`].some((name) => models.has(name)) }
  }

  #authorization(): Record<string, string> {
    return this.#key === undefined ? {} : { authorization: `Bearer ${this.#key}` }
  }

  #read(status: number, body: string): ModelOutcome {
    if (status < 200 || status > 299) {
      const isTemporary = status >= 500 || status === 429 || status === 408
      return this.#failure(`The model refused to answer (${status}).`, body, isTemporary)
    }
    const answer = readAnswer(body)
    return answer
      ? { kind: 'answered', ...answer }
      : this.#failure('The response of the model could not be parsed.', body, true)
  }

  /** Servers are known to repeat the key that they do not like. */
  #failure(reason: string, reply: string, isTemporary: boolean): ModelOutcome {
    const detail = (this.#key ? reply.replaceAll(this.#key, '…') : reply).slice(0, 300)
    return { kind: 'failed', reason, detail, isTemporary }
  }
}

/** Null: the installation has no model. */
export const chatModelOf = ({ AGENT_URL, AGENT_MODEL, AGENT_KEY }: Config): ChatModel | null =>
  AGENT_URL && AGENT_MODEL ? new ChatModel({ url: AGENT_URL, model: AGENT_MODEL, key: AGENT_KEY }) : null

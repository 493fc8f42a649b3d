import type { Config } from '../../platform/settings/config.ts'
import { isLoopback } from '../../platform/settings/loopback.ts'
import { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import { readRspamd } from './rspamd.ts'
import { askSpamd, readSpamd } from './spamd.ts'

export interface SpamRule {
  readonly name: string
  readonly score: number
  readonly description: string
}

export interface SpamScore {
  readonly score: number
  /** From here on it is spam. */
  readonly threshold: number
  /** What the score is made of, the weightiest first. */
  readonly rules: readonly SpamRule[]
}

export type SpamOutcome =
  | { readonly kind: 'scored'; readonly score: SpamScore }
  | { readonly kind: 'failed'; readonly reason: string }

const TIMEOUT_MS = 10_000
const MAX_ANSWER_BYTES = 512 * 1024
const MOST_RULES = 200

/** The spam filter of the settings: SpamAssassin by its own protocol, or Rspamd by HTTP. The address is the operator's own. */
export class SpamFilter {
  readonly #http = new OutgoingHttp({ allowPrivateAddresses: true })
  readonly #url: URL
  readonly #timeoutMs: number

  constructor(url: string, timeoutMs = TIMEOUT_MS) {
    this.#url = new URL(url)
    this.#timeoutMs = timeoutMs
  }

  /** Whether it runs on this machine. Nothing of a sandbox leaves that. */
  get isHere(): boolean {
    return isLoopback(this.#url.hostname.replace(/^\[|\]$/g, ''))
  }

  /** Never throws for what the filter does. */
  async scoreOf(message: Buffer): Promise<SpamOutcome> {
    const { kind, text } =
      this.#url.protocol === 'spamd:' ? await this.#askSpamd(message) : await this.#askRspamd(message)
    if (kind === 'failed') return { kind, reason: text }
    const score = this.#url.protocol === 'spamd:' ? readSpamd(text) : readRspamd(text)
    if (score === null) return { kind: 'failed', reason: 'its answer cannot be understood' }
    const rules = [...score.rules].sort((a, b) => Math.abs(b.score) - Math.abs(a.score)).slice(0, MOST_RULES)
    return { kind: 'scored', score: { ...score, rules } }
  }

  #askSpamd(message: Buffer) {
    const [host, port] = [this.#url.hostname.replace(/^\[|\]$/g, ''), Number(this.#url.port || 783)]
    return askSpamd({ host, port, message, timeoutMs: this.#timeoutMs, maxBytes: MAX_ANSWER_BYTES })
  }

  async #askRspamd(message: Buffer): Promise<{ kind: 'answered' | 'failed'; text: string }> {
    const outcome = await this.#http.send({
      method: 'POST',
      url: new URL('checkv2', `${this.#url.href.replace(/\/*$/, '')}/`).href,
      // It has come from nowhere yet: without an address, Rspamd gives points for the host that it does not know.
      headers: { ip: '127.0.0.1' },
      body: message,
      timeoutMs: this.#timeoutMs,
      maxBytes: MAX_ANSWER_BYTES,
    })
    if (outcome.kind !== 'answered') return { kind: 'failed', text: outcome.reason }
    if (outcome.status !== 200) return { kind: 'failed', text: `it answered ${outcome.status}` }
    return { kind: 'answered', text: outcome.body.toString() }
  }
}

/** Null: the installation has none. */
export const spamFilterOf = ({ SPAMD_URL }: Config): SpamFilter | null => (SPAMD_URL ? new SpamFilter(SPAMD_URL) : null)

import { setTimeout as wait } from 'node:timers/promises'
import type { Outcome, Untried } from '../../mail/outcome.ts'
import type { Clock } from '../../platform/clock.ts'
import { Semaphore } from '../../platform/concurrency/semaphore.ts'
import type { HttpOutcome, OutgoingHttp, OutgoingRequest } from '../outgoing-http/outgoing-http.ts'
import type { Destination, Envelope } from '../smtp-client/destination.ts'
import type { SendLimits } from '../smtp-client/sender.ts'

/** A service that takes mail over HTTP. */
export interface MailApi {
  /** For people. */
  readonly host: string
  /** A request that hands over the message. */
  request(envelope: Envelope, message: Buffer): Promise<ApiRequest>
  /** What an answer comes to. */
  judge(answer: ApiAnswer): Outcome
  /** One that finds out whether the login is good, and changes nothing. */
  check(): Promise<ApiRequest>
}

export type ApiRequest = Pick<OutgoingRequest, 'method' | 'url' | 'headers' | 'body'>
export type ApiAnswer = Extract<HttpOutcome, { kind: 'answered' }>

/** Who gives up on an answer earlier does not know what became of the mail. */
const ANSWER_MS = 120_000
const MAX_ANSWER_BYTES = 64 * 1024
const BUSY_SECONDS = 30
const WITHDRAWN: Untried = { kind: 'postponed', seconds: 0 }

/** Sends mail through an API, as `SmtpSender` does through SMTP: outcomes are values, and an answer that is lost is an uncertain one. */
export class ApiSender {
  readonly #api: MailApi
  readonly #http: OutgoingHttp
  readonly #clock: Clock
  readonly #slots: Semaphore
  readonly #underway = new Set<Promise<unknown>>()
  readonly #cutOff = new AbortController()
  #isClosed = false

  constructor(api: MailApi, parts: { http: OutgoingHttp; clock: Clock; connections: number }) {
    this.#api = api
    this.#http = parts.http
    this.#clock = parts.clock
    this.#slots = new Semaphore(parts.connections)
  }

  async send(
    _destination: Destination,
    envelope: Envelope,
    message: Buffer,
    limits: SendLimits = {},
  ): Promise<readonly (Outcome | Untried)[]> {
    const { isLowPriority = false } = limits
    const sending = this.#slots.run(1, () => this.#send(envelope, message, limits), { isLowPriority })
    this.#underway.add(sending)
    try {
      const outcome = await sending
      return envelope.to.map(() => outcome)
    } finally {
      this.#underway.delete(sending)
    }
  }

  /** What takes no mail is a route's matter. */
  pausedUntil(): Date | null {
    return null
  }

  async close(graceMs = 10_000) {
    this.#isClosed = true
    const ended = Promise.allSettled(this.#underway)
    await Promise.race([ended, wait(graceMs, undefined, { ref: false })])
    this.#cutOff.abort(new Error('this process is stopping'))
    await ended
    await this.#http.close(0)
  }

  async #send(
    envelope: Envelope,
    message: Buffer,
    { startBefore, fence, pace, onSent, onStep }: SendLimits,
  ): Promise<Outcome | Untried> {
    if (this.#isClosed) return WITHDRAWN
    if (startBefore && startBefore < this.#clock.now()) return { kind: 'postponed', seconds: BUSY_SECONDS }
    const restsUntil = pace?.restsUntil()
    if (restsUntil && restsUntil > this.#clock.now())
      return { kind: 'postponed', seconds: Math.ceil((restsUntil.getTime() - this.#clock.now().getTime()) / 1_000) }
    if (fence && !(await fence.mayBegin())) return WITHDRAWN
    const request = await this.#api.request(envelope, message)
    if (fence && !fence.isOurs()) return WITHDRAWN
    onStep?.('turn came')
    const startedMs = this.#clock.now().getTime()
    const answer = await this.#exchange(request)
    onSent?.()
    const outcome = this.#judge(answer)
    pace?.heard([outcome], startedMs)
    return outcome
  }

  async #exchange(request: ApiRequest): Promise<HttpOutcome> {
    const bounds = {
      timeoutMs: ANSWER_MS,
      maxBytes: MAX_ANSWER_BYTES,
      whenTooLarge: 'cut',
      signal: this.#cutOff.signal,
    } as const
    try {
      return await this.#http.send({ ...request, ...bounds })
    } catch (error) {
      if (!this.#cutOff.signal.aborted) throw error
      return { kind: 'failed', reason: (error as Error).message }
    }
  }

  #judge(answer: HttpOutcome): Outcome {
    const { host } = this.#api
    if (answer.kind === 'answered') return { ...this.#api.judge(answer), host }
    return { ...unanswered(host, answer), host }
  }
}

/** What a request that got no answer comes to. */
export const unanswered = (
  host: string,
  { kind, reason, isUnsent: hasNotLeft }: Exclude<HttpOutcome, { kind: 'answered' }>,
): Extract<Outcome, { kind: 'deferred' }> => {
  // Our own rules refuse before anything leaves.
  const isUnsent = hasNotLeft === true || kind === 'refused'
  return {
    kind: 'deferred',
    isThrottled: false,
    ...(isUnsent
      ? { reply: `451 4.4.1 ${host}: ${reason}`, unreachable: isTls(reason) ? 'tls' : 'connection' }
      : {
          reply: `451 4.4.2 ${host}: ${reason} after the message was sent; it may have been delivered`,
          isUncertain: true,
        }),
    ...{
      class: isUnsent ? 'no_answer_from_host' : 'bad_connection',
      rule: 'api/unanswered',
      about: 'site',
      means: 'trouble',
    },
  }
}

const isTls = (reason: string) => /certificate|self.signed|\bssl\b|\btls\b/i.test(reason)

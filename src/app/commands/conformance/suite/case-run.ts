import { setTimeout as delay } from 'node:timers/promises'
import type { Difference } from './case.ts'
import { type Client, type Reply, Unanswered } from './client.ts'
import { type Leftovers, readJson } from './leftovers.ts'
import { methodOf, type OperationId, pathOf } from './operations.ts'
import type { Receiver } from './receiver.ts'
import { brief, type Mismatch, mismatches, type Shape } from './shape.ts'

/** The server has no such operation. */
export class OperationMissing extends Error {
  readonly operation: OperationId

  constructor(operation: OperationId, status: number) {
    super(`${operation}, which answers ${status}`)
    this.operation = operation
  }
}
/** What a case needs cannot be had: it says nothing about the server. */
export class Skipped extends Error {}
/** What follows makes no sense after a difference. */
export class CaseAborted extends Error {}

// biome-ignore lint/suspicious/noExplicitAny: whatever a server may answer
export type Json = any

export interface CallOptions {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>> | string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly key?: string | null
}

/** What several cases need, made once: a segment, a published template. */
export interface Fixture<Value> {
  make(trial: CaseRun): Promise<Value>
}

export interface WorldOptions {
  readonly client: Client
  readonly leftovers: Leftovers
  readonly tag: string
  /** The sender of all mail. */
  readonly from: string
  readonly receiver: Receiver
  /** Where the server reaches the receiver; null: it cannot. */
  readonly webhookUrl: string | null
  /** A mail server that hands what it takes to the server; null: there is none. */
  readonly smtp: { readonly host: string; readonly port: number } | null
  /** A key of another account; null: nobody has given one. */
  readonly otherKey: string | null
  /** For whom it takes mail. */
  readonly receiveAt: string | null
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** What all cases of a run share. */
export class SuiteRun {
  readonly options: WorldOptions
  readonly fixtures = new Map<Fixture<unknown>, Promise<unknown>>()
  /** Operations that the server does not have. */
  readonly missing = new Set<OperationId>()
  /** Operations that have succeeded: a 404 of theirs is about an object, not about the route. */
  readonly present = new Set<OperationId>()
  #names = 0

  constructor(options: WorldOptions) {
    this.options = options
  }

  /** A name that nobody else uses, in this run or another. */
  fresh(word: string): string {
    return `${word}-${this.options.tag}-${++this.#names}`
  }
}

const MAX_DIFFERENCES = 5
const WAIT_MS = 20_000
const POLL_MS = 200

/** One case at work: its requests, and where answers differ. */
export class CaseRun {
  readonly world: SuiteRun
  readonly differences: Difference[] = []

  constructor(world: SuiteRun) {
    this.world = world
  }

  get from(): string {
    return this.world.options.from
  }

  fresh(word = 'conformance'): string {
    return this.world.fresh(word)
  }

  /** Takes all mail, and is nobody. */
  address(): string {
    return `delivered+${this.fresh('cf')}@resend.dev`
  }

  async call(operation: OperationId, options: CallOptions = {}): Promise<Answer> {
    const { params = {}, query, body, headers, key } = options
    for (const [name, value] of Object.entries(params))
      if (typeof value !== 'string') throw new CaseAborted(`${operation}: there is no ${name}`)
    const search = typeof query === 'string' ? query : new URLSearchParams(query).toString()
    const path = pathOf(operation, params) + (search === '' ? '' : `?${search}`)
    const { client, leftovers } = this.world.options
    const request = { method: methodOf(operation), path }
    try {
      const reply = await client.send({
        ...{ ...request, body },
        ...(headers && { headers }),
        ...(key !== undefined && { key }),
      })
      const answer = new Answer({ trial: this, operation, request: `${request.method} ${path}`, reply })
      if (reply.status < 300) {
        this.world.present.add(operation)
        const { otherKey } = this.world.options
        const isOthers = otherKey !== null && key === otherKey
        leftovers.made(operation, { body: answer.body, request: body, key: isOthers ? otherKey : undefined })
      }
      if (reply.status < 300 && request.method === 'DELETE') leftovers.removed(`DELETE ${path}`)
      return answer
    } catch (error) {
      if (request.method === 'POST') leftovers.unsure(operation)
      if (!(error instanceof Unanswered)) throw error
      this.differs(`${request.method} ${path}`, { expected: 'an answer', actual: error.message })
      throw new CaseAborted(error.message)
    }
  }

  /** For what a case is not about, but needs. */
  async made(operation: OperationId, options: CallOptions = {}): Promise<Json> {
    const { status, body } = await this.call(operation, options)
    if (NO_ROUTE.includes(status) && !this.world.present.has(operation)) throw new OperationMissing(operation, status)
    if (status < 300 && typeof body === 'object' && body !== null) return body
    const said = typeof body?.message === 'string' ? `: ${body.message.slice(0, 120)}` : ''
    throw new Skipped(`needs ${operation}, which answers ${status}${said}`)
  }

  async need<Value>(fixture: Fixture<Value>): Promise<Value> {
    const { fixtures } = this.world
    const made = fixtures.get(fixture) ?? fixture.make(new CaseRun(this.world))
    fixtures.set(fixture, made)
    try {
      return (await made) as Value
    } catch (error) {
      throw error instanceof CaseAborted ? new Skipped(`needs ${error.message}`) : error
    }
  }

  differs(request: string, { expected, actual }: { readonly expected: string; readonly actual: string }) {
    if (this.differences.length < MAX_DIFFERENCES) this.differences.push({ request, expected, actual })
  }

  /** One fact that is no field of an answer. */
  check(request: string, { expected, isTrue, actual }: { expected: string; isTrue: boolean; actual: unknown }) {
    if (!isTrue) this.differs(request, { expected, actual: typeof actual === 'string' ? actual : brief(actual) })
  }

  skip(reason: string): never {
    throw new Skipped(reason)
  }

  /** Asks again until there is an answer, for what the contract leaves to later. */
  async until<Value>(what: string, ask: () => Promise<Value | undefined | false>): Promise<Value> {
    const deadline = performance.now() + WAIT_MS
    for (;;) {
      const found = await ask()
      if (found) return found
      if (performance.now() > deadline) {
        this.differs(what, { expected: what, actual: `not within ${WAIT_MS / 1_000} s` })
        throw new CaseAborted(what)
      }
      await delay(POLL_MS, undefined, { signal: this.world.options.signal })
    }
  }
}

const NO_ROUTE = [404, 405, 501]

interface Exchange {
  readonly trial: CaseRun
  readonly operation: OperationId
  /** Its method and path. */
  readonly request: string
  readonly reply: Reply
}

/** An answer, to be compared with the contract. */
export class Answer {
  readonly #trial: CaseRun
  readonly #operation: OperationId
  readonly request: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Json

  constructor({ trial, operation, request, reply }: Exchange) {
    this.#trial = trial
    this.#operation = operation
    this.request = request
    this.status = reply.status
    this.headers = reply.headers
    this.text = reply.text
    this.body = readJson(reply.text)
  }

  /** A success with this status and shape. Gives back the body. */
  is(status: number, shape: Shape): Json {
    this.#requireRoute()
    if (this.status !== status) this.#differs({ path: 'status', expected: String(status), actual: this.#summary() })
    if (this.status >= 300) throw new CaseAborted(this.request)
    this.#requireJson()
    for (const mismatch of mismatches(this.body, shape)) this.#differs(mismatch)
    if (this.body?.statusCode !== undefined)
      this.#differs({ path: 'statusCode', expected: 'no `statusCode` in a success', actual: brief(this.body) })
    return this.body ?? {}
  }

  /** A refusal in the form of all refusals. */
  fails(status: number | readonly number[], names: string | readonly string[], message?: RegExp) {
    const statuses = [status].flat() as number[]
    if (!statuses.includes(this.status)) this.#requireRoute()
    const expected = `${statuses.join(' or ')} ${[names].flat().join(' or ')}`
    if (!statuses.includes(this.status)) return this.#differs({ path: '', expected, actual: this.#summary() })
    this.#requireJson()
    const { name, statusCode, message: said } = this.body ?? {}
    if (![names].flat().includes(name)) this.#differs({ path: '', expected, actual: this.#summary() })
    if (statusCode !== this.status)
      this.#differs({ path: 'statusCode', expected: String(this.status), actual: brief(statusCode) })
    if (typeof said !== 'string' || said === '' || (message && !message.test(said)))
      this.#differs({ path: 'message', expected: message ? String(message) : 'a text', actual: brief(said) })
  }

  /** For what looks like the id of another route to a server that does not have this one. */
  isNotThere(): never {
    throw new OperationMissing(this.#operation, this.status)
  }

  #requireRoute() {
    if (NO_ROUTE.includes(this.status) && !this.#trial.world.present.has(this.#operation)) this.isNotThere()
  }

  #requireJson() {
    const type = this.headers.get('content-type') ?? 'nothing'
    if (this.body === undefined)
      this.#differs({ path: 'body', expected: 'JSON', actual: brief(this.text.slice(0, 200)) })
    else if (!/^application\/json\b/i.test(type))
      this.#differs({ path: 'content-type', expected: 'application/json', actual: type })
  }

  #summary(): string {
    const { name, message } = this.body ?? {}
    const said = [name, message].filter((part) => typeof part === 'string').join(': ')
    return said === '' ? String(this.status) : `${this.status} ${said.slice(0, 160)}`
  }

  #differs({ path, expected, actual }: Mismatch) {
    const where = path === '' ? '' : `${path}: `
    this.#trial.differs(this.request, { expected: `${where}${expected}`, actual })
  }
}

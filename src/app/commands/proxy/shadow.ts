import { setTimeout as wait } from 'node:timers/promises'
import { compareBodies } from './compare.ts'
import { decodeBody } from './decode.ts'
import { type Difference, type Exchange, isWriting, type Judged, notComparable, type Verdict } from './exchange.ts'
import { learnPairs } from './learn.ts'
import { type Operation, operationOf } from './operations.ts'
import type { OurSide } from './our-side.ts'
import type { LoadedPairs, Pairs } from './pairs.ts'
import { idsIn, rewriteRequest } from './rewrite.ts'
import { compareSent } from './sent.ts'
import { shortened } from './shorten.ts'
import type { ShadowTeam, ShadowTeams } from './teams.ts'
import { judgeWebhook } from './webhook-events.ts'
import { WEBHOOK } from './webhook-intake.ts'

export interface ShadowParts {
  readonly ourSide: OurSide
  readonly teams: ShadowTeams
  readonly pairs: Pairs
  /** How long an event of the upstream waits for the same one on our side. */
  readonly eventWaitMs?: number
  /** When a read that differs is done again. */
  readonly retryDelaysMs?: readonly number[]
}

const RETRY_DELAYS_MS = [300, 1_000, 3_000]
const MAX_BELIEVED = 10_000

/** Does on our side what the application did at the upstream, and says how the answers differ. */
export class Shadow {
  readonly #parts: ShadowParts
  /** Kinds of difference that did not go away. */
  readonly #believed = new Set<string>()

  constructor(parts: ShadowParts) {
    this.#parts = parts
  }

  async judge(exchange: Exchange): Promise<Judged> {
    if (exchange.method === WEBHOOK) return judgeWebhook(exchange, this.#parts)
    const operation = operationOf(exchange.method, exchange.path)
    return { operation: operation.name, verdict: await this.#judge(exchange, operation) }
  }

  async #judge(exchange: Exchange, operation: Operation): Promise<Verdict> {
    const theirBody = await decodeBody(exchange.answerBody, exchange.answerHeaders['content-encoding'])
    const requestBody = await decodeBody(exchange.requestBody, exchange.requestHeaders['content-encoding'])
    if (!theirBody || !requestBody) return notComparable('encoded')
    const theirs = answerOf(exchange.status, exchange.answerHeaders['content-type'], theirBody)
    const early = judgeAlone(theirs, operation)
    if (early) return early

    const team = await this.#parts.teams.of(exchange.key)
    const ids = await this.#parts.pairs.load(team.id, idsIn(exchange.path, textOf(requestBody), textOf(theirBody)))
    const request = rewriteRequest(
      { path: exchange.path, body: requestBody, contentType: exchange.requestHeaders['content-type'] ?? '' },
      (id) => ids.ourIdOf(id),
    )
    if (request.hasUnknownIds && theirs.status !== 404) return notComparable('unknown_object')
    const ask = async () => {
      const { status, contentType, body } = await this.#parts.ourSide.call({
        ...{ method: exchange.method, headers: exchange.requestHeaders, token: team.token },
        ...{ path: request.path, body: request.body },
      })
      const ours = answerOf(status, contentType, body)
      if (status < 500) await this.#learn({ exchange, operation, theirs, ours, team, ids })
      return { ours, verdict: judgeAnswers(theirs, ours, { operation: operation.id, ids, body }) }
    }
    const { ours, verdict } = await ask()
    if (verdict.kind === 'different' && exchange.isConcurrent) return notComparable('concurrent')
    if (!isWriting(exchange.method)) return this.#settle(operation, verdict, ask)
    return this.#addSent(verdict, { operation, exchange, theirs, ours, team, request: requestBody })
  }

  /**
   * What was read may still be under way on our side: an import, a broadcast. A difference of a new kind is looked at again before it is
   * believed; one that has been believed costs no more time.
   */
  async #settle(operation: Operation, first: Verdict, ask: () => Promise<{ verdict: Verdict }>): Promise<Verdict> {
    let verdict = first
    for (const delayMs of this.#parts.retryDelaysMs ?? RETRY_DELAYS_MS) {
      if (verdict.kind !== 'different' || this.#isBelieved(operation, verdict)) return verdict
      await wait(delayMs)
      verdict = (await ask()).verdict
    }
    if (verdict.kind === 'different' && this.#believed.size < MAX_BELIEVED)
      for (const { path } of verdict.differences) this.#believed.add(`${operation.name} ${path}`)
    return verdict
  }

  #isBelieved({ name }: Operation, { differences }: Verdict & { kind: 'different' }) {
    return differences.every(({ path }) => this.#believed.has(`${name} ${path}`))
  }

  /** Of emails that both sides accepted, also what ours would have sent. */
  async #addSent(verdict: Verdict, { exchange, operation, theirs, ours, team, request }: Sending): Promise<Verdict> {
    if (exchange.isHurried) return verdict
    const isSending = operation.id === 'emails.send' || operation.id === 'emails.batch'
    if (
      !isSending ||
      theirs.status >= 300 ||
      ours.status >= 300 ||
      verdict.kind === 'not_comparable' ||
      verdict.kind === 'failed'
    )
      return verdict
    const { id, data } = (ours.value ?? {}) as { id?: string; data?: { id: string }[] }
    const ourIds = data?.map((item) => item.id) ?? (id ? [id] : [])
    const differences = await compareSent({ request: JSON.parse(request.toString('utf8')), ourIds }, (path) =>
      this.#parts.ourSide.call({ method: 'GET', path, headers: {}, body: NO_BODY, token: team.token }),
    )
    if (differences.length === 0) return verdict
    const others = verdict.kind === 'different' ? verdict.differences : []
    return different([...others, ...differences], verdict.extras)
  }

  async #learn({ exchange, operation, theirs, ours, team, ids }: Learning) {
    if (theirs.status >= 300 || ours.status >= 300) return
    const isAboutOneObject = isWriting(exchange.method) || operation.isByName
    const pairs = learnPairs({ isAboutOneObject, theirs: theirs.value, ours: ours.value }, ids).map(([their, our]) => ({
      theirs: their,
      ours: our,
    }))
    ids.add(pairs, exchange)
    await this.#parts.pairs.add(team.id, pairs, exchange)
    const { token } = (theirs.value ?? {}) as { token?: unknown }
    if (operation.id === 'api-keys.create' && typeof token === 'string') await this.#parts.teams.addKey(token, team)
  }
}

interface Learning {
  readonly exchange: Exchange
  readonly operation: Operation
  readonly theirs: Answer
  readonly ours: Answer
  readonly team: ShadowTeam
  readonly ids: LoadedPairs
}

interface Sending extends Omit<Learning, 'ids'> {
  readonly request: Buffer
}

const NO_BODY = Buffer.alloc(0)

interface Answer {
  readonly status: number
  readonly mediaType: string
  readonly isJson: boolean
  /** Undefined: no JSON, or none that can be read. */
  readonly value: unknown
}

function answerOf(status: number, contentType: string | undefined, body: Buffer): Answer {
  const mediaType = (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase()
  try {
    return { status, mediaType, isJson: true, value: JSON.parse(body.toString('utf8')) }
  } catch {
    return { status, mediaType, isJson: false, value: undefined }
  }
}

/** Ids are ASCII, whatever the rest is. */
const textOf = (body: Buffer) => body.toString('latin1')

/** What can be said without asking our side. */
function judgeAlone(theirs: Answer, operation: Operation): Verdict | null {
  const { status } = theirs
  const name = nameOf(theirs)
  if (status === 429 || status >= 500) return notComparable('upstream_failed')
  if (name === 'concurrent_idempotent_requests' || name === 'resource_locked') return notComparable('concurrent')
  if (status === 401 || (status === 403 && /api_key|permission/.test(name))) return notComparable('key_refused')
  // Its domains, its plan, its quota: on our side nothing leaves, so anybody may be the sender.
  if (status === 403) return notComparable('account_rule')
  if (!operation.isOurs) {
    if (status >= 400 || !theirs.isJson) return notComparable('not_in_contract')
    return {
      kind: 'different',
      differences: [{ path: 'status', theirs: String(status), ours: 'no such operation' }],
      extras: [],
    }
  }
  if (operation.id.startsWith('emails.receiving.')) return notComparable('received_mail')
  // About domains of other accounts, which are not here.
  if (operation.id.startsWith('domains.claims.')) return notComparable('account_rule')
  // Each side has events of its own, under ids of its own.
  if (/^webhooks\.events\.(?!list)/.test(operation.id)) return notComparable('unknown_object')
  return null
}

const nameOf = ({ value }: Answer) => String((value as { name?: unknown } | null | undefined)?.name ?? '')

function judgeAnswers(theirs: Answer, ours: Answer, { body, ...context }: Context & { body: Buffer }): Verdict {
  if (ours.status < 500) return compareAnswers(theirs, ours, context)
  return { kind: 'failed', detail: shortened(`${ours.status} ${body.toString('utf8', 0, 300)}`) }
}

interface Context {
  readonly operation: string
  readonly ids: LoadedPairs
}

function compareAnswers(theirs: Answer, ours: Answer, context: Context): Verdict {
  if (theirs.status !== ours.status)
    return different([{ path: 'status', theirs: statusText(theirs), ours: statusText(ours) }])
  const headers: Difference[] =
    theirs.mediaType === ours.mediaType
      ? []
      : [{ path: 'header content-type', theirs: theirs.mediaType || '(absent)', ours: ours.mediaType || '(absent)' }]
  if (!theirs.isJson && !ours.isJson) return headers.length > 0 ? different(headers) : { kind: 'same', extras: [] }
  if (theirs.isJson !== ours.isJson)
    return different([...headers, { path: 'body', theirs: jsonText(theirs), ours: jsonText(ours) }])
  const { differences, extras } = compareBodies(theirs.value, ours.value, context)
  const all = [...headers, ...differences]
  return all.length > 0 ? different(all, extras) : { kind: 'same', extras }
}

const different = (differences: readonly Difference[], extras: readonly string[] = []): Verdict => ({
  kind: 'different',
  differences,
  extras,
})

const jsonText = ({ isJson }: Answer) => (isJson ? 'JSON' : 'no JSON')

function statusText({ status, value }: Answer): string {
  if (status < 400) return String(status)
  const { name, message } = (value ?? {}) as { name?: unknown; message?: unknown }
  return shortened([status, name, message].filter((part) => typeof part !== 'undefined').join(' '))
}

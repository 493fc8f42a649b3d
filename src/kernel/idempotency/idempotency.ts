import { createHash } from 'node:crypto'
import { slicesOf } from '../../platform/concurrency/long-text.ts'
import type { Database } from '../db/database.ts'
import { Problem } from '../http/problem.ts'
import { findKey, holdKey, type IdempotentRequest, releaseKey } from './queries.ts'

/** What a client says to make a request happen once, however often it comes. */
export type IdempotencyKey = string | string[] | undefined

/** A request that may have a key, and what has to be the same when the key comes again. */
export interface KeyedRequest {
  readonly team: string
  readonly endpoint: string
  readonly key: IdempotencyKey
  readonly body: unknown
  /** True: the work may take its time, so the key is held in the database meanwhile, where other processes see it. */
  readonly takesTime?: boolean
}

/** Thrown by work that finds its key taken: another process was faster, and nothing of this request is to stay. */
export class KeyTaken extends Error {}

/**
 * Does something once. With an idempotency key a request that was answered before gets the same answer again and nothing is done; one
 * that runs at the same time is refused; a failed one leaves the key free, so that a corrected one can use it. `work` is given the request
 * with its key, or null without one, and claims the key in the statement that does the work (`claimKeys`, `claimKey`). When that
 * throws `KeyTaken`, the answer of the other process is the answer, once there is one.
 */
export const withIdempotencyKey = <Answer extends object>(
  services: { readonly db: Database; readonly keysInFlight: KeysInFlight },
  keyed: KeyedRequest,
  work: (request: IdempotentRequest | null) => Promise<Answer>,
): Promise<Answer> => (keyed.key === undefined ? work(null) : once(services, keyed, work))

async function once<Answer extends object>(
  { db, keysInFlight }: { readonly db: Database; readonly keysInFlight: KeysInFlight },
  keyed: KeyedRequest,
  work: (request: IdempotentRequest | null) => Promise<Answer>,
): Promise<Answer> {
  const request = await readKey(keyed)
  const name = keysInFlight.add(request)
  try {
    const known = await findAnswer(db, request)
    if (known) return known as Answer
    if (keyed.takesTime && !(await holdKey(db, request))) throw inProgress()
    return await work(request).catch(async (error: unknown) => {
      if (error instanceof KeyTaken) return (await requireAnswer(db, request)) as Answer
      // What cannot be released now is free again when this process, or some time, is over.
      if (keyed.takesTime) await releaseKey(db, request).catch(() => {})
      throw error
    })
  } finally {
    keysInFlight.delete(name)
  }
}

const MAX_KEY_LENGTH = 256

async function readKey({ team, endpoint, key: header, body }: KeyedRequest): Promise<IdempotentRequest> {
  const key = String(header)
  if (key.length < 1 || key.length > MAX_KEY_LENGTH)
    throw new Problem(
      'invalid_idempotency_key',
      `The idempotency key must be between 1 and ${MAX_KEY_LENGTH} characters.`,
    )
  return { team, endpoint, key, bodySha256: await digestOf(body) }
}

const LONG_TEXT = 64 * 1024

/** Long texts stand in it with digests of their own, made slice by slice: 40 MB in one go would keep everybody else waiting. */
async function digestOf(body: unknown): Promise<Buffer> {
  const digests = new Map<unknown, string>()
  for (const text of longTextsIn(body)) {
    const hash = createHash('sha256')
    for await (const slice of slicesOf(text)) hash.update(slice)
    digests.set(text, hash.digest('hex'))
  }
  const inPlace = (_name: string, value: unknown) => digests.get(value) ?? value
  const json = digests.size === 0 ? JSON.stringify(body) : JSON.stringify(body, inPlace)
  return createHash('sha256').update(json).digest()
}

function longTextsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.length > LONG_TEXT ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(longTextsIn) : []
}

const inProgress = () =>
  new Problem('concurrent_idempotent_requests', 'Another request with the same idempotency key is in progress.')

/** The keys whose requests are under way in this process. */
export class KeysInFlight {
  readonly #names = new Set<string>()

  /** Returns the name under which it is to be deleted. */
  add({ team, endpoint, key }: IdempotentRequest): string {
    const name = `${team} ${endpoint} ${key}`
    if (this.#names.has(name)) throw inProgress()
    this.#names.add(name)
    return name
  }

  delete(name: string) {
    this.#names.delete(name)
  }
}

/** The answer that the first request with this key got, or null when there was none in the last day. */
async function findAnswer(db: Database, idempotent: IdempotentRequest): Promise<object | null> {
  const known = await findKey(db, idempotent)
  if (!known) return null
  if (!known.isSame)
    throw new Problem('invalid_idempotent_request', 'This idempotency key has been used with another request body.')
  if (known.response === null) throw inProgress()
  return known.response
}

async function requireAnswer(db: Database, request: IdempotentRequest): Promise<object> {
  const answer = await findAnswer(db, request)
  if (!answer) throw inProgress()
  return answer
}

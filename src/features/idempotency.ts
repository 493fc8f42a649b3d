import { createHash } from 'node:crypto'
import type { Database } from '../kernel/db/database.ts'
import { Problem } from '../kernel/http/problem.ts'
import { slicesOf } from '../platform/concurrency/long-text.ts'
import { findKey, holdKey, type Once, releaseKey } from './emails/delivery/idempotency-keys.ts'

/** What a client says to make a request happen once, however often it comes. */
export type IdempotencyKey = string | string[] | undefined

const MAX_KEY_LENGTH = 256

export async function readKey(
  team: string,
  endpoint: string,
  header: IdempotencyKey,
  body: unknown,
): Promise<Once | null> {
  if (header === undefined) return null
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

export const inProgress = () =>
  new Problem('concurrent_idempotent_requests', 'Another request with the same idempotency key is in progress.')

/** The keys whose requests are under way in this process. */
export class KeysInFlight {
  readonly #keys = new Set<string>()

  async hold<Result>(once: Once | null, work: () => Promise<Result>): Promise<Result> {
    if (!once) return work()
    const name = `${once.team} ${once.endpoint} ${once.key}`
    if (this.#keys.has(name)) throw inProgress()
    this.#keys.add(name)
    try {
      return await work()
    } finally {
      this.#keys.delete(name)
    }
  }
}

/**
 * Does something once. With an idempotency key a request that was answered before gets the same answer again and nothing is done; one
 * that runs at the same time is refused; a failed one leaves the key free, so that a corrected one can use it. `work` takes the key in
 * the statement that does it, and gives null when another process was faster: its answer is the answer, once there is one.
 */
export function answerOnce<Answer extends object>(
  { db, keysInFlight }: { readonly db: Database; readonly keysInFlight: KeysInFlight },
  once: Once | null,
  work: () => Promise<Answer | null>,
): Promise<Answer> {
  return keysInFlight.hold(once, async () => {
    const answer = (once && (await findAnswer(db, once))) ?? (await work()) ?? (await findAnswer(db, once!))
    if (!answer) throw inProgress()
    return answer as Answer
  })
}

/** The same for what may take its time: it holds the key meanwhile, so that other processes see it. */
export const answerOnceHolding = <Answer extends object>(
  services: { readonly db: Database; readonly keysInFlight: KeysInFlight },
  once: Once | null,
  { takesTime }: { readonly takesTime: boolean },
  work: () => Promise<Answer | null>,
): Promise<Answer> =>
  answerOnce(services, once, async () => {
    if (!once || !takesTime) return work()
    if (!(await holdKey(services.db, once))) throw inProgress()
    try {
      return await work()
    } catch (error) {
      // What cannot be given back now is free again when this process, or some time, is over.
      await releaseKey(services.db, once).catch(() => {})
      throw error
    }
  })

/** The answer that the first request with this key got, or null when there was none in the last day. */
async function findAnswer(db: Database, once: Once): Promise<object | null> {
  const known = await findKey(db, once)
  if (!known) return null
  if (!known.isSame)
    throw new Problem('invalid_idempotent_request', 'This idempotency key has been used with another request body.')
  if (known.response === null) throw inProgress()
  return known.response
}

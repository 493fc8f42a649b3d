import { createHash } from 'node:crypto'
import { isFreeFor } from '../../delivery/idempotency-keys.ts'
import { Problem } from '../../http/problem.ts'
import type { Database } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import { slicesOf } from './long-text.ts'

const MAX_KEY_LENGTH = 256

/** A request that is to happen once, and the one that it must not happen beside. */
export interface Once {
  readonly team: string
  readonly endpoint: string
  readonly key: string
  readonly bodySha256: Buffer
}

export async function readKey(
  team: string,
  endpoint: string,
  header: string | string[] | undefined,
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

/** The answer that the first request with this key got, or null when there was none in the last day. */
export async function findAnswer(db: Database, { team, endpoint, key, bodySha256 }: Once): Promise<object | null> {
  const [row] = await db.query<{ isSame: boolean; response: object | null }>(sql`
    select body_sha256 = ${bodySha256} as "isSame", response from idempotency_keys held
    where team_id = ${team} and endpoint = ${endpoint} and key = ${key} and not ${isFreeFor(db.presence.node)}`)
  if (!row) return null
  if (!row.isSame)
    throw new Problem('invalid_idempotent_request', 'This idempotency key has been used with another request body.')
  if (row.response === null) throw inProgress()
  return row.response
}

/** Takes the key for a request that will be at work for a while, so that other processes see it. */
export async function claimKey(db: Database, { team, endpoint, key, bodySha256 }: Once) {
  const rows = await db.query(sql`
    insert into idempotency_keys as held (team_id, endpoint, key, body_sha256, holder, created_at)
    values (${team}, ${endpoint}, ${key}, ${bodySha256}, ${db.presence.node}, now())
    on conflict (team_id, endpoint, key) do update set
      body_sha256 = excluded.body_sha256, holder = excluded.holder, response = null, created_at = excluded.created_at
    where ${isFreeFor(db.presence.node)}
    returning key`)
  if (rows.length === 0) throw inProgress()
}

export const releaseKey = (db: Database, { team, endpoint, key }: Once) =>
  db.query(sql`
    delete from idempotency_keys
    where team_id = ${team} and endpoint = ${endpoint} and key = ${key} and holder = ${db.presence.node}`)

/** Deletes some of what is past its day, and tells whether there may be more. */
export async function deleteKeysBefore(db: Database, moment: Date, limit: number): Promise<boolean> {
  const rows = await db.query(sql`
    delete from idempotency_keys where (team_id, endpoint, key) in (
      select team_id, endpoint, key from idempotency_keys where created_at < ${moment} limit ${limit})
    returning key`)
  return rows.length === limit
}

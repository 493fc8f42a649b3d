import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import type { Database, Queryable } from '../../kernel/db/database.ts'
import { toJson } from '../../kernel/db/rows.ts'
import { sql } from '../../kernel/db/sql.ts'
import type { Sealer } from '../../kernel/secrets.ts'

export const ALGORITHM = 'ES256'

const DAY_MS = 86_400_000
/** How long a key signs. */
const SIGNING_PERIOD_MS = 90 * DAY_MS
/** How long one stays after its successor has come: a hundred times as long as what it has signed is good for. */
const STAYS_MS = DAY_MS
/** Another process makes a new one once in 90 days. */
const CACHE_TTL_MS = 60_000
/** Whoever makes up names of keys makes us look no more often. */
const LOOKED_UP_AGAIN_MS = 1_000

const KEYS_LOCK = 7_077_015

interface StoredKey {
  readonly id: string
  readonly privateKey: Buffer
  readonly publicKey: JWK
}

interface KeySet {
  readonly readAt: number
  readonly signing: { readonly id: string; readonly key: CryptoKey }
  readonly verifying: ReadonlyMap<string, CryptoKey>
  readonly published: readonly JWK[]
}

interface Parts {
  readonly db: Database
  readonly sealer: Sealer
}

/** What signs access tokens, and what tells whether we have signed one. The first one is made when it is needed. */
export class SigningKeys {
  readonly #parts: Parts
  #keys: Promise<KeySet> | null = null

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async signing() {
    return (await this.#recall(CACHE_TTL_MS)).signing
  }

  /** As they are published: the public halves. */
  async published(): Promise<readonly JWK[]> {
    return (await this.#recall(CACHE_TTL_MS)).published
  }

  async find(id: string): Promise<CryptoKey | undefined> {
    const known = (await this.#recall(CACHE_TTL_MS)).verifying.get(id)
    return known ?? (await this.#recall(LOOKED_UP_AGAIN_MS)).verifying.get(id)
  }

  async #recall(forMs: number): Promise<KeySet> {
    const known = await this.#keys
    if (known && performance.now() - known.readAt < forMs) return known
    const reading = readKeys(this.#parts)
    this.#keys = reading
    // What could not be read is asked for again.
    reading.catch(() => {
      if (this.#keys === reading) this.#keys = null
    })
    return reading
  }
}

async function readKeys({ db, sealer }: Parts): Promise<KeySet> {
  const readAt = performance.now()
  const found = await findKeys(db)
  const keys = found.length > 0 ? found : await renewKeys({ db, sealer })
  const [newest] = keys
  const privateKey: JWK = JSON.parse(sealer.open(newest!.privateKey, contextOf(newest!.id)))
  const verifying = keys.map(
    async ({ id, publicKey }) => [id, (await importJWK(publicKey, ALGORITHM)) as CryptoKey] as const,
  )
  return {
    readAt,
    signing: { id: newest!.id, key: (await importJWK(privateKey, ALGORITHM)) as CryptoKey },
    verifying: new Map(await Promise.all(verifying)),
    published: keys.map(({ id, publicKey }) => ({ ...publicKey, kid: id, alg: ALGORITHM, use: 'sig' })),
  }
}

/** Makes a key when there is none, or when the newest has signed for long enough; deletes those that nothing is signed with any more. */
export function renewKeys({ db, sealer }: Parts): Promise<readonly StoredKey[]> {
  return db.transaction(async (trx) => {
    // Of processes that find none at the same time, one makes it.
    await trx.query(sql`select pg_advisory_xact_lock(${KEYS_LOCK})`)
    const now = trx.clock.now().getTime()
    const [fresh] = await trx.query(
      sql`select id from oauth_keys where created_at > ${new Date(now - SIGNING_PERIOD_MS)} limit 1`,
    )
    if (!fresh) await insertKey(trx, sealer)
    await trx.query(sql.write`
      delete from oauth_keys k where exists (
        select from oauth_keys newer where newer.created_at > k.created_at and newer.created_at < ${new Date(now - STAYS_MS)})`)
    return findKeys(trx)
  })
}

async function insertKey(db: Queryable, sealer: Sealer) {
  const { privateKey, publicKey } = await generateKeyPair(ALGORITHM, { extractable: true })
  const published = await exportJWK(publicKey)
  const id = await calculateJwkThumbprint(published)
  const sealed = sealer.seal(JSON.stringify(await exportJWK(privateKey)), contextOf(id))
  await db.query(sql.write`
    insert into oauth_keys (id, private_key, public_key, created_at)
    values (${id}, ${sealed}, ${toJson(published)}::jsonb, ${db.clock.now()})`)
}

const contextOf = (id: string) => `oauth:${id}`

const findKeys = (db: Queryable) =>
  db.query<StoredKey>(sql`
    select id, private_key as "privateKey", public_key as "publicKey" from oauth_keys order by created_at desc, id`)

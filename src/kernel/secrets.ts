import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import type pg from 'pg'
import type { Config } from '../platform/settings/config.ts'
import type { Database, Queryable } from './db/database.ts'
import { sql } from './db/sql.ts'
import { makeKey, readKeys, settleKeyFiles, wrongKey } from './secret-key-files.ts'

/** Everything that is done with the secret key. The key itself stays inside. */
export interface Sealer {
  /** Encrypts. The context says what the text is (`dkim:<domain>:<selector>`): it only opens again with the same one. */
  seal(text: string, context: string): Buffer
  /** Throws when the bytes, the context or the key are not those of `seal`, of this key or of one that is known besides. */
  open(sealed: Buffer, context: string): string
  /** A key of its own for each purpose: who learns one learns neither the others nor the secret key. For what is signed now. */
  deriveKey(purpose: string): Buffer
  /** The same of all keys that are known, the current one first: for checking what was signed by any of them. */
  deriveKeys(purpose: string): readonly Buffer[]
  /** Adds keys of another installation to those of a purpose, also for whoever has asked for them already: what it has signed is read here from now on. */
  adopt(purpose: string, keys: readonly Buffer[]): void
  /** The same of the oldest key: it stays when another one takes over. */
  deriveOldestKey(purpose: string): Buffer
  /** A keyed digest that stays the same when another secret key takes over: for what is compared, and cannot be made again. */
  digest(text: string): Buffer
  /** The same by every key that digests may be of, its own first: also those that came with teams of other installations. */
  digests(text: string): readonly Buffer[]
  /** Whether it was sealed with the current key. */
  isCurrent(sealed: Buffer, context: string): boolean
}

/** What keys of digests are adopted as. They are made at random and derived from none. */
export const DIGESTS = 'digests'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** The first byte of what is sealed. Another way of sealing gets another number, and both can be opened. */
const FORMAT = Buffer.from([1])

/** One key: what it seals, and what is derived from it. */
class KeyOfSealer {
  readonly #secretKey: Buffer
  readonly #sealingKey: Buffer

  constructor(secretKey: Buffer) {
    this.#secretKey = secretKey
    this.#sealingKey = this.derive('seal')
  }

  derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#secretKey, '', `postwren:${purpose}`, 32))
  }

  seal(text: string, context: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(CIPHER, this.#sealingKey, nonce).setAAD(Buffer.from(context))
    const hidden = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([FORMAT, nonce, cipher.getAuthTag(), hidden])
  }

  open(sealed: Buffer, context: string): string {
    if (sealed[0] !== FORMAT[0]) throw new Error('sealed in a format that this version does not know')
    const nonce = sealed.subarray(1, 1 + NONCE_BYTES)
    const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES)
    const hidden = sealed.subarray(1 + NONCE_BYTES + TAG_BYTES)
    const decipher = createDecipheriv(CIPHER, this.#sealingKey, nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(context)).setAuthTag(tag)
    return Buffer.concat([decipher.update(hidden), decipher.final()]).toString('utf8')
  }

  opens(sealed: Buffer, context: string): boolean {
    try {
      this.open(sealed, context)
      return true
    } catch {
      return false
    }
  }
}

/** `next`: a key that takes over soon. `retired`: those from before this one, the oldest last. `digestKey`: the one that stays. */
export function createSealer(
  secretKey: Buffer,
  {
    next,
    retired = [],
    digestKey,
  }: { next?: Buffer | undefined; retired?: readonly Buffer[]; digestKey?: Buffer | undefined } = {},
): Sealer {
  const current = new KeyOfSealer(secretKey)
  const older = retired.map((key) => new KeyOfSealer(key))
  const others = [...(next ? [new KeyOfSealer(next)] : []), ...older]
  const ofDigests = digestKey ?? current.derive(DIGESTS)
  const byPurpose = new Map<string, Buffer[]>([[DIGESTS, [ofDigests]]])
  const deriveKeys = (purpose: string): Buffer[] => {
    const keys = byPurpose.get(purpose) ?? [current, ...others].map((key) => key.derive(purpose))
    byPurpose.set(purpose, keys)
    return keys
  }
  return {
    digest: (text) => hmac(ofDigests, text),
    digests: (text) => deriveKeys(DIGESTS).map((key) => hmac(key, text)),
    deriveKey: (purpose) => current.derive(purpose),
    deriveKeys,
    adopt(purpose, keys) {
      const known = deriveKeys(purpose)
      for (const key of keys) if (!known.some((one) => one.equals(key))) known.push(key)
    },
    deriveOldestKey: (purpose) => (older.at(-1) ?? current).derive(purpose),
    seal: (text, context) => current.seal(text, context),
    isCurrent: (sealed, context) => current.opens(sealed, context),
    open: (sealed, context) =>
      ([current, ...others].find((key) => key.opens(sealed, context)) ?? current).open(sealed, context),
  }
}

const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest()

const SECRET_KEY_LOCK = 7_077_003

/** What a key leaves in the database: nobody learns the key from it. */
export const markOf = (key: string): Buffer => new KeyOfSealer(Buffer.from(key, 'hex')).derive('mark')

/** Short, for people and lists. */
export const markName = (mark: Buffer) => mark.toString('hex').slice(0, 12)

/** The keys of an installation that this process knows, and how they stand. */
export interface KnownKeys {
  readonly current: string
  /** Takes over with `postwren secret-key rotate`. */
  readonly next: string | undefined
}

/**
 * The sealer of this installation. The first start makes the key, unless a setting brings one, and leaves its mark in the
 * database; a process that comes with another key is refused before it can seal anything that the others cannot open.
 */
export function openSealer(db: Database, config: Config): Promise<Sealer> {
  return db.transaction(async (trx) => {
    await lockSecretKey(trx)
    const mark = await findMark(trx)
    const known = findSecretKeys(config, mark) ?? { current: makeKey(config), next: undefined }
    if (!mark) await trx.query(sql.write`insert into secret_key_mark (mark) values (${markOf(known.current)})`)
    settleKeyFiles(config, known.current)
    const retired = await openRetiredKeys(trx, known.current)
    const keys = [known.current, ...(known.next ? [known.next] : [])]
    db.presence.advertise({ secretKeys: keys.map((key) => markName(markOf(key))) })
    const sealer = sealerOf(known, retired)
    return sealerOf(known, retired, await ensureDigestKey(trx, sealer))
  })
}

/** Of ten processes that start at once, one makes the key and the mark; the others find both. */
export const lockSecretKey = (db: Queryable) => db.query(sql`select pg_advisory_xact_lock(${SECRET_KEY_LOCK})`)

export const sealerOf = ({ current, next }: KnownKeys, retired: readonly string[], digestKey?: Buffer): Sealer =>
  createSealer(bytesOf(current), {
    next: next === undefined ? next : bytesOf(next),
    retired: retired.map(bytesOf),
    digestKey,
  })

const DIGEST_KEY_CONTEXT = 'digest-key'

/** Sealed like any other secret, and sealed anew when the secret key changes. */
export const SEALED_DIGEST_KEY = { table: 'digest_keys', column: 'sealed_key', context: `'${DIGEST_KEY_CONTEXT}'` }

/** Made by whoever starts first. */
async function ensureDigestKey(db: Queryable, sealer: Sealer): Promise<Buffer> {
  const find = () => db.query<{ sealed: Buffer }>(sql`select sealed_key as sealed from digest_keys`)
  const [known] = await find()
  if (known) return Buffer.from(sealer.open(known.sealed, DIGEST_KEY_CONTEXT), 'hex')
  const key = randomBytes(32)
  await db.query(sql.write`
    insert into digest_keys (sealed_key) values (${sealer.seal(key.toString('hex'), DIGEST_KEY_CONTEXT)})`)
  return key
}

const bytesOf = (key: string) => Buffer.from(key, 'hex')

/** The keys of the settings or the data folder; undefined: none yet, and none needed. Throws when none is that of the mark. */
export function findSecretKeys(config: Config, mark: Buffer | undefined): KnownKeys | undefined {
  const keys = readKeys(config)
  const candidates = [keys.current, keys.next].filter((key) => key !== undefined)
  const current = mark ? candidates.find((key) => timingSafeEqual(mark, markOf(key))) : candidates[0]
  // The one from before a rotation may still be called the current one in the settings. It is retired, whatever they say.
  const next = current === keys.current && keys.next !== current ? keys.next : undefined
  if (current !== undefined) return { current, next }
  if (mark) throw wrongKey(config, keys)
  return undefined
}

const contextOf = (mark: Buffer) => `secret-key:${mark.toString('hex')}`

/** The newest first. */
async function openRetiredKeys(db: Queryable, current: string): Promise<string[]> {
  const rows = await db.query<{ mark: Buffer; sealed: Buffer }>(sql`
    select mark, sealed_key as sealed from retired_secret_keys order by retired_at desc`)
  const sealer = createSealer(bytesOf(current))
  return rows.map(({ mark, sealed }) => sealer.open(sealed, contextOf(mark)))
}

/**
 * Lets the next key take over: from now on it is the one of the mark. The key before it, and those before that, are kept sealed with it, since what
 * they have signed is still out there. Gives the sealer that opens all and seals with the new one.
 */
export async function replaceSecretKey(db: Queryable, { current, next }: Required<KnownKeys>): Promise<Sealer> {
  if (next === undefined) throw new Error('There is no next key')
  const retired = [current, ...(await openRetiredKeys(db, current))]
  const sealer = sealerOf({ current: next, next: undefined }, retired)
  const now = db.clock.now().getTime()
  await db.query(sql.write`delete from retired_secret_keys`)
  for (const [age, key] of retired.entries()) {
    const mark = markOf(key)
    const sealed = sealer.seal(key, contextOf(mark))
    await db.query(sql.write`
      insert into retired_secret_keys (mark, sealed_key, retired_at) values (${mark}, ${sealed}, ${new Date(now - age)})`)
  }
  await db.query(sql.write`update secret_key_mark set mark = ${markOf(next)}`)
  return sealer
}

/** The mark that the first start has left; undefined: there was none yet. */
export async function readMark(client: pg.ClientBase): Promise<Buffer | undefined> {
  const { rows } = await client.query<{ isThere: boolean }>(
    `select to_regclass('secret_key_mark') is not null as "isThere"`,
  )
  if (!rows[0]!.isThere) return undefined
  return (await client.query<{ mark: Buffer }>('select mark from secret_key_mark')).rows[0]?.mark
}

export async function findMark(db: Queryable): Promise<Buffer | undefined> {
  const [row] = await db.query<{ mark: Buffer }>(sql`select mark from secret_key_mark`)
  return row?.mark
}

/** Keys from before the current one, by what they have left behind; the newest first. */
export const listRetiredKeys = (db: Queryable) =>
  db.query<{ mark: Buffer; retired_at: Date }>(sql`
    select mark, retired_at from retired_secret_keys order by retired_at desc`)

/** What they have signed is not read any more, by processes that start after this. Gives how many there were. */
export const deleteRetiredKeys = async (db: Queryable): Promise<number> =>
  (await db.query(sql.write`delete from retired_secret_keys returning 1`)).length

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { writeDurablySync } from '../platform/durable-file.ts'
import type { Config } from '../platform/settings/config.ts'
import { PRIVATE_FOLDER } from '../platform/settings/data-folder.ts'
import { SettingError } from '../platform/settings/settings.ts'
import type { Database, Transaction } from './db/database.ts'
import { sql } from './db/sql.ts'

/** Everything that is done with the secret key. The key itself stays inside. */
export interface Sealer {
  /** Encrypts. The context says what the text is (`dkim:<domain>:<selector>`): it only opens again with the same one. */
  seal(text: string, context: string): Buffer
  /** Throws when the bytes, the context or the key are not those of `seal`. */
  open(sealed: Buffer, context: string): string
  /** A key of its own for each purpose: who learns one learns neither the others nor the secret key. */
  deriveKey(purpose: string): Buffer
}

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** The first byte of what is sealed. Another way of sealing gets another number, and both can be opened. */
const FORMAT = Buffer.from([1])

export function createSealer(secretKey: Buffer): Sealer {
  const deriveKey = (purpose: string) => Buffer.from(hkdfSync('sha256', secretKey, '', `postwren:${purpose}`, 32))
  const sealingKey = deriveKey('seal')
  return {
    deriveKey,
    seal(text, context) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, sealingKey, nonce).setAAD(Buffer.from(context))
      const hidden = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([FORMAT, nonce, cipher.getAuthTag(), hidden])
    },
    open(sealed, context) {
      if (sealed[0] !== FORMAT[0]) throw new Error('sealed in a format that this version does not know')
      const nonce = sealed.subarray(1, 1 + NONCE_BYTES)
      const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES)
      const hidden = sealed.subarray(1 + NONCE_BYTES + TAG_BYTES)
      const decipher = createDecipheriv(CIPHER, sealingKey, nonce, { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(context)).setAuthTag(tag)
      return Buffer.concat([decipher.update(hidden), decipher.final()]).toString('utf8')
    },
  }
}

const SECRET_KEY_LOCK = 7_077_003

/**
 * The sealer of this installation. The first start makes the key, unless a setting brings one, and leaves its mark in the
 * database; a process that comes with another key is refused before it can seal anything that the others cannot open.
 */
export function openSealer(db: Database, config: Config): Promise<Sealer> {
  return db.transaction(async (trx) => {
    // Of ten processes that start at once, one makes the key and the mark; the others find both.
    await trx.query(sql`select pg_advisory_xact_lock(${SECRET_KEY_LOCK})`)
    const mark = await findMark(trx)
    const key = findSecretKey(config, mark) ?? makeKey(config.DATA_DIR, keyFile(config))
    const sealer = createSealer(Buffer.from(key, 'hex'))
    if (!mark) await trx.query(sql.write`insert into secret_key_mark (mark) values (${markOf(sealer)})`)
    return sealer
  })
}

const keyFile = ({ DATA_DIR }: Config) => join(DATA_DIR, 'secret-key')

const markOf = (sealer: Sealer) => sealer.deriveKey('mark')

/** The key of the settings or the data folder; undefined: none yet, and none needed. Throws when it is not that of the mark. */
export function findSecretKey(config: Config, mark: Buffer | undefined): string | undefined {
  const file = keyFile(config)
  const key = config.SECRET_KEY ?? readKey(file)
  if (!mark) return key
  if (key === undefined)
    throw new SettingError(
      `This database needs its secret key, and there is none in ${file}. Set POSTWREN_SECRET_KEY to it; the process that created the database has it in \`secret-key\` of its data folder.`,
    )
  if (!timingSafeEqual(mark, markOf(createSealer(Buffer.from(key, 'hex')))))
    throw new SettingError(
      `This database was created with another secret key than the one ${config.SECRET_KEY ? 'in POSTWREN_SECRET_KEY' : `in ${file}`}. Set POSTWREN_SECRET_KEY to that key: without it DKIM keys and webhook secrets cannot be read.`,
    )
  return key
}

/** The mark that the first start has left; undefined: there was none yet. */
export async function readMark(client: pg.ClientBase): Promise<Buffer | undefined> {
  const { rows } = await client.query<{ isThere: boolean }>(
    `select to_regclass('secret_key_mark') is not null as "isThere"`,
  )
  if (!rows[0]!.isThere) return undefined
  return (await client.query<{ mark: Buffer }>('select mark from secret_key_mark')).rows[0]?.mark
}

async function findMark(trx: Transaction): Promise<Buffer | undefined> {
  const [row] = await trx.query<{ mark: Buffer }>(sql`select mark from secret_key_mark`)
  return row?.mark
}

function readKey(file: string): string | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw unusable(file, error)
  }
  if (!/^[0-9a-f]{64}$/i.test(text))
    throw new SettingError(`${file} does not hold a secret key: it must be 64 hexadecimal digits.`)
  return text
}

/**
 * Writes the key beside its place, makes sure that it is on the disk, and only then gives it its name. A link does not replace
 * what is there, so that of two processes with one folder and two databases the later one takes the key of the earlier.
 */
function makeKey(folder: string, file: string): string {
  const key = randomBytes(32).toString('hex')
  const draft = `${file}.${process.pid}`
  try {
    mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER })
    writeDurablySync(draft, `${key}\n`)
    linkSync(draft, file)
    return key
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return readKey(file)!
    throw unusable(file, error)
  } finally {
    rmSync(draft, { force: true })
  }
}

const unusable = (file: string, error: unknown) =>
  new SettingError(
    `The secret key cannot be kept in ${file} (${(error as NodeJS.ErrnoException).code}): make the folder writable, choose another with POSTWREN_DATA_DIR, or set POSTWREN_SECRET_KEY.`,
  )

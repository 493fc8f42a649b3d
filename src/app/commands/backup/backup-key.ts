import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { OperatorError } from '../command.ts'
import type { BackupStore } from './store.ts'

/** What backups of one folder are encrypted with, so that they can share blobs. It is kept in the folder, sealed with the passphrase. */
export interface BackupKey {
  /** The context is the name under which the bytes are stored: exchanged files do not open. */
  seal(content: Buffer, context: string): Buffer
  /** Throws `DamagedBackup` when a byte, the context or the key is another one. */
  open(sealed: Buffer, context: string): Buffer
  /** Who has the key has written this text. */
  sign(text: string): string
}

/** Something in the folder is not what a backup has written there. */
export class DamagedBackup extends OperatorError {}

const KEY_FILE = 'key.json'
const FORMAT = 1
const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** What is sealed is larger than what was given by this. */
export const SEAL_BYTES = NONCE_BYTES + TAG_BYTES

/** 128 MB of memory and some tenths of a second for each guess at a passphrase. Fixed by the format: a file cannot ask for more. */
const SCRYPT = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 }

export function createBackupKey(secret: Buffer): BackupKey {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', secret, '', `postwren backup:${purpose}`, 32))
  const sealing = derive('seal')
  const signing = derive('sign')
  return {
    seal(content, context) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, sealing, nonce).setAAD(Buffer.from(context))
      const hidden = cipher.update(content)
      cipher.final()
      return Buffer.concat([nonce, cipher.getAuthTag(), hidden])
    },
    open(sealed, context) {
      const decipher = createDecipheriv(CIPHER, sealing, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      try {
        decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(NONCE_BYTES, SEAL_BYTES))
        const content = decipher.update(sealed.subarray(SEAL_BYTES))
        decipher.final()
        return content
      } catch (cause) {
        throw new DamagedBackup(`${context} of the backup is damaged.`, { cause })
      }
    },
    sign: (text) => createHmac('sha256', signing).update(text).digest('hex'),
  }
}

const deriveFrom = (passphrase: string, salt: Buffer) =>
  promisify<string, Buffer, number, object, Buffer>(scrypt)(passphrase.normalize('NFC'), salt, 32, SCRYPT)

/** The key of a folder, or null when there is none yet. */
export async function openBackupKey(store: BackupStore, passphrase: string): Promise<BackupKey | null> {
  const bytes = await store.get(KEY_FILE, 10_000)
  if (!bytes) return null
  const { salt, sealed } = readKeyFile(bytes, store.address)
  const wrapping = createBackupKey(await deriveFrom(passphrase, salt))
  try {
    return createBackupKey(wrapping.open(sealed, KEY_FILE))
  } catch (cause) {
    throw new OperatorError(
      `POSTWREN_BACKUP_PASSPHRASE is not the passphrase of the backups in ${store.address}, or ${KEY_FILE} there is damaged.`,
      { cause },
    )
  }
}

export async function makeBackupKey(store: BackupStore, passphrase: string): Promise<BackupKey> {
  const [salt, secret] = [randomBytes(32), randomBytes(32)]
  const wrapping = createBackupKey(await deriveFrom(passphrase, salt))
  const sealed = wrapping.seal(secret, KEY_FILE).toString('base64')
  const content = { format: FORMAT, kdf: 'scrypt', salt: salt.toString('base64'), sealed_key: sealed }
  await store.put(KEY_FILE, Buffer.from(`${JSON.stringify(content, null, 2)}\n`))
  return createBackupKey(secret)
}

function readKeyFile(bytes: Buffer, address: string) {
  try {
    const { format, salt, sealed_key } = JSON.parse(bytes.toString())
    if (format !== FORMAT || typeof salt !== 'string' || typeof sealed_key !== 'string')
      throw new Error('another format')
    return { salt: Buffer.from(salt, 'base64'), sealed: Buffer.from(sealed_key, 'base64') }
  } catch (cause) {
    throw new DamagedBackup(`${KEY_FILE} in ${address} is damaged, or of a newer Postwren.`, { cause })
  }
}

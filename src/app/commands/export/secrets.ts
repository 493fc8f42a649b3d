import { randomBytes, scryptSync } from 'node:crypto'
import { contextOf as dkimContext } from '../../../features/domains/keys.ts'
import { contextOf as webhookContext } from '../../../features/webhooks/delivery/secrets.ts'
import { createSealer, type Sealer } from '../../../kernel/secrets.ts'
import { OperatorError } from '../command.ts'

// Secrets that an installation keeps sealed. An export has them opened, or sealed with a passphrase; an import seals them with its own key.

type Row = Readonly<Record<string, string>>

interface SealedColumn {
  readonly column: string
  /** What it was sealed as: it only opens again with the same one. */
  contextOf(row: Row): string
}

/** By kind. The column is left out of the file of the kind. */
export const SEALED_COLUMNS: Readonly<Record<string, SealedColumn>> = {
  domain_keys: {
    column: 'private_key',
    contextOf: (row) => dkimContext(row.domain_id!, row.selector!),
  },
  webhook_secrets: { column: 'secret', contextOf: (row) => webhookContext(row.webhook_id!) },
}

/** The kind of the keys that the digests of erased addresses are of. They belong to no row. */
export const DIGEST_KEYS = 'digest_keys'

const DIGEST_KEY = /^[0-9a-f]{64}$/

export const isDigestKey = (value: string) => DIGEST_KEY.test(value)

/** One line of `secrets.jsonl`. */
export interface SecretLine {
  readonly kind: string
  /** The primary key of its row. */
  readonly key: Row
  readonly value: string
}

const SALT_BYTES = 16
const COST = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 }

/** How values are written: as they are, or sealed with a passphrase, in base64. */
export interface Envelope {
  readonly salt: string | null
  wrap(value: string, line: Omit<SecretLine, 'value'>): string
  unwrap(value: string, line: Omit<SecretLine, 'value'>): string
}

export const PLAIN: Envelope = { salt: null, wrap: (value) => value, unwrap: (value) => value }

export function sealedBy(passphrase: string, salt = randomBytes(SALT_BYTES).toString('base64')): Envelope {
  const bytes = Buffer.from(salt, 'base64')
  if (bytes.length !== SALT_BYTES) throw new OperatorError('The manifest does not say how the secrets are sealed.')
  const sealer = createSealer(scryptSync(passphrase, bytes, 32, COST))
  return {
    salt,
    wrap: (value, line) => sealer.seal(value, contextOf(line)).toString('base64'),
    unwrap(value, line) {
      try {
        return sealer.open(Buffer.from(value, 'base64'), contextOf(line))
      } catch {
        throw new OperatorError(
          'POSTWREN_BACKUP_PASSPHRASE is not the one that the secrets of this export are sealed with.',
        )
      }
    },
  }
}

const contextOf = ({ kind, key }: Omit<SecretLine, 'value'>) => `export:${kind}:${Object.values(key).join(':')}`

export function openLine(sealer: Sealer, { kind, key }: Omit<SecretLine, 'value'>, sealed: Buffer): string {
  try {
    return sealer.open(sealed, SEALED_COLUMNS[kind]!.contextOf(key))
  } catch (error) {
    throw new OperatorError(`A secret of ${kind} cannot be opened with the secret key of this installation.`, {
      cause: error,
    })
  }
}

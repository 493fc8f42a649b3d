import type { RunText } from './catalogue.ts'

/** Raised when older versions would misread an export. New kinds and fields do not raise it: who does not know them ignores them. */
export const FORMAT = 1

export const MANIFEST = 'manifest.json'
/** While an export is being written, and after one that was cut. */
export const UNFINISHED = 'unfinished.json'
export const SECRETS = 'secrets'
export const BLOBS = 'blobs'

/** Whether `secrets.jsonl` is there, and how it is written. */
export type SecretsMode = 'plain' | 'sealed' | 'left_out'

/** Of a file `<name>.jsonl`. */
export interface FileSummary {
  readonly rows: number
  readonly bytes: number
  readonly sha256: string
}

export interface Manifest {
  readonly object: 'export'
  readonly format: number
  /** Of the Postwren that wrote it. */
  readonly version: string
  /** The last migration of its database. */
  readonly schema: string
  /** The moment that the export shows. */
  readonly exported_at: string
  readonly scope: 'all' | 'team'
  readonly teams: number
  readonly kinds: Readonly<Record<string, FileSummary & { readonly fields: readonly string[] }>>
  readonly secrets: FileSummary & {
    readonly mode: SecretsMode
    readonly salt: string | null
    /** How many keys the digests of erased addresses may be of; not there: there are no such digests. */
    readonly digest_keys?: number
  }
  readonly blobs: FileSummary & { readonly content_bytes: number; readonly missing: number }
}

export const fileOf = (name: string) => `${name}.jsonl`

/** JSON has times in UTC, and numbers as they are. */
export const SESSION = { TimeZone: 'UTC', extra_float_digits: '1', bytea_output: 'hex' } as const

export async function lastMigration(run: RunText): Promise<string> {
  const [row] = (await run('select max(name) as name from schema_migrations')) as { name: string }[]
  return row!.name
}

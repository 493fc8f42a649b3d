import Type, { type Static } from 'typebox'
import { fits } from '../../../kernel/http/validate.ts'
import { OperatorError } from '../command.ts'
import { type BackupKey, DamagedBackup } from './backup-key.ts'
import type { BackupStore } from './store.ts'

/** A backup of another format is of another Postwren. Rises when an older one could not read it. */
const FORMAT = 1

const MANIFEST = 'manifest.json'

/** A hundred thousand parts are a terabyte and more. */
const MAX_MANIFEST_BYTES = 64 * 1024 * 1024

/** No path, and nothing that a statement would have to quote. */
const Name = Type.String({ pattern: '^[a-z_][a-z0-9_]{0,62}$' })
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

const PartShape = Type.Object({ bytes: Count, sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }) })

const TableShape = Type.Object({
  name: Name,
  columns: Type.Array(Name, { maxItems: 1_600 }),
  rows: Count,
  bytes: Count,
  /** Of all rows, in whatever order. */
  fingerprint: Type.String({ pattern: '^[0-9a-f]{32}$' }),
  parts: Type.Array(PartShape),
})

const ManifestShape = Type.Object({
  format: Type.Literal(FORMAT),
  name: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d-\\d\\d-\\d\\dZ-[0-9a-f]{8}$' }),
  created_at: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }),
  /** Of Postwren, and of PostgreSQL. */
  version: Type.String({ maxLength: 100 }),
  postgres: Type.String({ maxLength: 100 }),
  migrations: Type.Array(
    Type.Object({
      name: Type.String({ pattern: '^[a-z0-9_]{1,200}\\.sql$' }),
      checksum: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    }),
    { maxItems: 10_000 },
  ),
  tables: Type.Array(TableShape, { maxItems: 10_000 }),
  sequences: Type.Array(
    Type.Object({ name: Name, value: Type.Union([Type.Null(), Type.String({ pattern: '^-?\\d{1,19}$' })]) }),
    { maxItems: 10_000 },
  ),
  blobs: Type.Object({
    count: Count,
    bytes: Count,
    /** Named by a row, and not in the blob store when the backup was made. */
    missing: Count,
    /** Of the list of their keys. */
    parts: Type.Array(PartShape),
  }),
  settings: PartShape,
})

export type Part = Static<typeof PartShape>
export type BackedUpTable = Static<typeof TableShape>
export type Manifest = Static<typeof ManifestShape>

export const partName = (file: string, index: number) => `${file}.${String(index + 1).padStart(5, '0')}`
export const tableFile = ({ name }: Pick<Manifest, 'name'>, table: string) => `${name}/tables/${table}`
export const blobListFile = ({ name }: Pick<Manifest, 'name'>) => `${name}/blobs`
export const settingsFile = ({ name }: Pick<Manifest, 'name'>) => `${name}/settings`

/** Backups are sorted by when they were begun. */
export const backupName = (at: Date, installation: string) =>
  `${at.toISOString().slice(0, 19).replaceAll(':', '-')}Z-${installation}`

const isBackupName = (name: string) => fits(ManifestShape.properties.name, name)

export async function writeManifest(store: BackupStore, key: BackupKey, manifest: Manifest) {
  const text = JSON.stringify({ manifest, signature: key.sign(JSON.stringify(manifest)) }, null, 1)
  await store.put(`${manifest.name}/${MANIFEST}`, Buffer.from(`${text}\n`))
}

/** Null: the backup is not complete. */
async function readManifest(store: BackupStore, key: BackupKey, name: string): Promise<Manifest | null> {
  const bytes = await store.get(`${name}/${MANIFEST}`, MAX_MANIFEST_BYTES)
  if (!bytes) return null
  const damaged = (cause?: unknown) =>
    new DamagedBackup(`${MANIFEST} of the backup ${name} is damaged, or was not written by Postwren.`, { cause })
  let content: { manifest?: Record<string, unknown>; signature?: unknown } | null
  try {
    content = JSON.parse(bytes.toString())
  } catch (error) {
    throw damaged(error)
  }
  const manifest = content?.manifest
  if (typeof manifest?.format === 'number' && manifest.format > FORMAT)
    throw new OperatorError(
      `The backup ${name} was made by a newer Postwren (${String(manifest.version).slice(0, 20)}).`,
    )
  if (!fits(ManifestShape, manifest) || manifest?.name !== name) throw damaged()
  if (key.sign(JSON.stringify(manifest)) !== content?.signature) throw damaged()
  return manifest as unknown as Manifest
}

/** The names of backups that are there, complete or not, the newest first. */
export const listBackups = async (store: BackupStore) => (await store.folders()).filter(isBackupName).sort().reverse()

export const isComplete = async (store: BackupStore, name: string) => (await store.size(`${name}/${MANIFEST}`)) !== null

/** The backup of this name, or the newest that is complete. */
export async function findManifest(store: BackupStore, key: BackupKey, name: string | undefined): Promise<Manifest> {
  if (name !== undefined && !isBackupName(name))
    throw new OperatorError('--name must be the name of a backup, like 2026-01-31T12-00-00Z-0123abcd.')
  for (const candidate of name === undefined ? await listBackups(store) : [name]) {
    const manifest = await readManifest(store, key, candidate)
    if (manifest) return manifest
  }
  throw new OperatorError(
    name === undefined
      ? `There is no complete backup in ${store.address}.`
      : `There is no complete backup ${name} in ${store.address}.`,
  )
}

import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { ARCHIVE_PREFIX, type BlobStore } from '../../../adapters/blobs/blob-store.ts'
import { type Manifest, type Part, putManifest } from '../../../kernel/partitions/archive.ts'

// The files of the archive (`kernel/partitions/archive.ts`), and how one is replaced. A manifest says what is in its files: what a file is about to become is
// noted there first, then the file is replaced, then the note becomes what it says. Whoever is cut off leaves one of the two contents, and a manifest that knows it.

/** Where rows of one table and period are. */
export interface ArchiveFolder {
  readonly path: string
  /** `email_bodies` */
  readonly table: string
  /** Parquet files, also those that a process has left which was cut off before it wrote the manifest. */
  readonly files: readonly string[]
}

/** By the day on which the period begins, the oldest first. Parts of an email are archived under the same day. */
export async function readArchive(blobs: BlobStore): Promise<Map<string, ArchiveFolder[]>> {
  const keys: string[] = []
  for await (const key of blobs.archived()) if (key.endsWith('.parquet')) keys.push(key)
  const folders = new Map<string, string[]>()
  for (const key of keys.sort()) {
    const path = key.slice(0, key.lastIndexOf('/'))
    folders.set(path, [...(folders.get(path) ?? []), key])
  }
  const days = new Map<string, ArchiveFolder[]>()
  for (const [path, files] of folders) {
    const [, table = '', day = ''] = path.slice(ARCHIVE_PREFIX.length - 1).split('/')
    days.set(day, [...(days.get(day) ?? []), { path, table: table.replaceAll('-', '_'), files }])
  }
  return new Map([...days].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Copies a file of the archive to a path. False: it has gone meanwhile. */
export async function copyFile(blobs: BlobStore, key: string, path: string): Promise<boolean> {
  const content = await blobs.open(key)
  if (content === null) return false
  await pipeline(content, createWriteStream(path, { mode: 0o600 }))
  return true
}

/** Null: none, or one that nobody can read. Then its files count for nothing, and are written again if their rows are still there. */
export async function readManifest(blobs: BlobStore, { path }: ArchiveFolder): Promise<Manifest | null> {
  const content = await blobs.get(`${path}/manifest.json`)
  try {
    const manifest: Manifest | null = content && JSON.parse(content.toString('utf8'))
    return Array.isArray(manifest?.files) ? manifest : null
  } catch {
    return null
  }
}

const withPart = (manifest: Manifest, part: Part): Manifest => {
  const files = manifest.files.map((one) => (one.key === part.key ? part : one))
  return { ...manifest, files, rows: files.reduce((sum, { rows }) => sum + rows, 0) }
}

export async function replaceFile(
  blobs: BlobStore,
  folder: ArchiveFolder,
  { key, path, rows }: { key: string; path: string; rows: number },
) {
  const content = await readFile(path)
  const next = { rows, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') }
  const manifest = await readManifest(blobs, folder)
  const part = manifest?.files.find((one) => one.key === key)
  if (manifest && part) await putManifest(blobs, folder.path, withPart(manifest, { ...part, next }))
  await blobs.put(key, content)
  if (manifest && part) await putManifest(blobs, folder.path, withPart(manifest, { key, ...next }))
}

/** What somebody has left who was cut off: the manifest says which of the two contents its file has. */
export async function settleManifest(
  blobs: BlobStore,
  folder: ArchiveFolder,
  { key, path }: { key: string; path: string },
) {
  const manifest = await readManifest(blobs, folder)
  const part = manifest?.files.find((one) => one.key === key)
  if (!manifest || !part?.next) return
  const { next, ...before } = part
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  const isReplaced = hash.digest('hex') === next.sha256
  await putManifest(blobs, folder.path, withPart(manifest, isReplaced ? { key, ...next } : before))
}

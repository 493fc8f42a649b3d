import { type BlobStore, requireKey } from '../../../adapters/blobs/blob-store.ts'
import type { Progress } from '../progress.ts'
import { type BackupKey, DamagedBackup, SEAL_BYTES } from './backup-key.ts'
import type { Part } from './manifest.ts'
import { readParts } from './parts.ts'
import { type BackupStore, blobName } from './store.ts'

/** Each is waited for, by the disk or the network, more than worked at. */
const CONCURRENCY = 8

/** A blob is one message with its attachments at most: anything larger was not written by us. */
const MAX_BLOB_BYTES = 512 * 1024 * 1024

export interface BlobOptions {
  readonly store: BackupStore
  readonly key: BackupKey
  /** Of the list of keys. */
  readonly file: string
  readonly parts: readonly Part[]
  readonly progress: Progress
}

export interface CopiedBlobs {
  readonly count: number
  readonly bytes: number
  /** Blobs that were there from an earlier backup, or from one that was cut off. */
  readonly known: number
  readonly missing: readonly string[]
}

/** Of those that are missing at the source, as many are named. */
const MAX_NAMED = 3

/** From the blob store into the backup. One that is there already is complete, and a blob is never changed. */
export async function saveBlobs(
  blobs: BlobStore,
  options: BlobOptions,
): Promise<CopiedBlobs & { missingCount: number }> {
  const { store, key, progress } = options
  const result = { count: 0, bytes: 0, known: 0, missing: [] as string[], missingCount: 0 }
  progress.begin('Blobs', 0)
  await forEachKey(options, async (blob) => {
    const name = blobName(blob)
    const size = await store.size(name)
    const content = size === null ? await blobs.get(blob) : null
    if (size === null && content === null) {
      result.missingCount++
      if (result.missing.length < MAX_NAMED) result.missing.push(blob)
      return
    }
    if (content) await store.put(name, key.seal(content, name))
    else result.known++
    result.count++
    result.bytes += content?.length ?? size! - SEAL_BYTES
    progress.add(1)
  })
  return result
}

/** From the backup into the blob store. `missing` were so when the backup was made. */
export async function restoreBlobs(blobs: BlobStore, options: BlobOptions & { missing: number }) {
  let missing = 0
  options.progress.begin('Blobs', 0)
  await forEachKey(options, async (blob) => {
    options.progress.add(1)
    const present = await blobs.open(blob)
    present?.destroy()
    if (present) return
    const content = await readBlob(options, blob)
    if (content) await blobs.put(blob, content)
    else missing++
  })
  requireAll(missing, options.missing)
}

/** Opens each of them. */
export async function checkBlobs(options: BlobOptions & { missing: number }) {
  let missing = 0
  options.progress.begin('Blobs', 0)
  await forEachKey(options, async (blob) => {
    options.progress.add(1)
    if (!(await readBlob(options, blob))) missing++
  })
  requireAll(missing, options.missing)
}

function requireAll(missing: number, expected: number) {
  if (missing > expected) throw new DamagedBackup(`${missing - expected} blobs of the backup are missing.`)
}

async function readBlob({ store, key }: BlobOptions, blob: string): Promise<Buffer | null> {
  const name = blobName(blob)
  const stored = await store.get(name, MAX_BLOB_BYTES)
  return stored && key.open(stored, name)
}

/** Several at a time. The first failure ends it when those in flight have ended. */
async function forEachKey(options: BlobOptions, work: (key: string) => Promise<void>) {
  const keys = keysOf(options)
  const run = async () => {
    try {
      for (let next = await keys.next(); !next.done; next = await keys.next()) await work(next.value)
    } catch (error) {
      await keys.return(undefined)
      throw error
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: CONCURRENCY }, run))
  const failed = ended.find(({ status }) => status === 'rejected')
  if (failed) throw (failed as PromiseRejectedResult).reason
}

async function* keysOf(options: BlobOptions): AsyncGenerator<string> {
  let rest = ''
  for await (const bytes of readParts(options, options.parts)) {
    const lines = (rest + bytes.toString('latin1')).split('\n')
    rest = lines.pop()!
    for (const key of lines) {
      requireKey(key)
      yield key
    }
  }
}

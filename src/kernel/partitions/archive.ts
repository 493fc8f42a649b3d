import { createHash } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ARCHIVE_PREFIX, type BlobStore } from '../../adapters/blobs/blob-store.ts'
import type { ParquetColumn, ParquetWriter } from '../../adapters/parquet/parquet.ts'
import type { Config } from '../../platform/settings/config.ts'
import type { Database } from '../db/database.ts'
import { type ArchivedColumn, findColumns, PACKED, readLines, SIZE_CLASSES } from './archived-rows.ts'
import type { PartitionedTable } from './tables.ts'
import { inTemporaryFolder } from './temporary.ts'

// A partition as Parquet files in the blob store, before it is dropped. Rows are read in pages by their key, each page a statement of its own, so that no snapshot
// grows old; lines go to a temporary file, and each file becomes a part of the archive. The manifest comes last: without it the parts count for nothing.
// Whoever is cut off begins anew, and writes the same names again.

/** Of lines in one part: what is in memory at once is the part, compressed. */
const PART_BYTES = 64 * 1024 * 1024
/** DuckDB has a buffer as large as a line may be. */
const MIN_LINE_BYTES = 1024 * 1024

export interface ArchiveServices {
  readonly db: Database
  readonly blobs: BlobStore
  readonly config: Config
  readonly writer: ParquetWriter
}

interface Content {
  readonly rows: number
  readonly bytes: number
  readonly sha256: string
}

export interface Part extends Content {
  readonly key: string
  /** What it is about to be replaced with: whoever is cut off in between finds one of the two. */
  readonly next?: Content
}

/** What says that a partition is archived, and how to see that its files are whole. */
export interface Manifest {
  readonly table: string
  readonly partition: string
  readonly rows: number
  readonly columns: readonly ParquetColumn[]
  readonly files: readonly Part[]
  readonly archived_at: string
}

/** `archive/email-bodies/2026-11-16`: the table, and the day on which the period begins; `before` is what was there before the periods. */
export function archiveFolder(table: string, partition: string): string {
  const [, year, month, day] = /_p(\d{4})(\d{2})(\d{2})$/.exec(partition) ?? []
  return `${ARCHIVE_PREFIX}${table.replaceAll('_', '-')}/${year === undefined ? 'before' : `${year}-${month}-${day}`}`
}

/** The job that writes archives. */
export const ARCHIVING_JOB = 'retention.drop-periods'

/** Durable when it resolves. */
export function archivePartition(
  { db, blobs, config, writer }: ArchiveServices,
  { name: table, hasPackedBodies = false }: PartitionedTable,
  { partition, signal }: { partition: string; signal: AbortSignal },
): Promise<Manifest> {
  return inTemporaryFolder(config, async (folder) => {
    const base = archiveFolder(table, partition)
    const columns = await findColumns(db, partition)
    // What is packed is written as what is in it: others are to read it.
    const written = columns.filter(({ name }) => !hasPackedBodies || name !== PACKED).map(parquetColumn)
    const files: Part[] = []
    for (const sizes of SIZE_CLASSES)
      for await (const chunk of chunksOf(
        readLines(db, { partition, columns, sizes, hasPackedBodies }),
        join(folder, 'lines'),
        signal,
      )) {
        const key = `${base}/${String(files.length + 1).padStart(4, '0')}.parquet`
        const target = join(folder, 'part.parquet')
        const maxLineBytes = Math.max(MIN_LINE_BYTES, chunk.maxLineBytes + 1)
        await writer.write({
          ...chunk,
          maxLineBytes,
          columns: written,
          target,
          temporaryFolder: folder,
        })
        const content = await readFile(target)
        await blobs.put(key, content)
        const sha256 = createHash('sha256').update(content).digest('hex')
        files.push({ key, rows: chunk.rows, bytes: content.length, sha256 })
      }
    const rows = files.reduce((sum, file) => sum + file.rows, 0)
    const archived_at = db.clock.now().toISOString()
    const manifest = { table, partition, rows, columns: written, files, archived_at }
    await putManifest(blobs, base, manifest)
    return manifest
  })
}

export const putManifest = (blobs: BlobStore, folder: string, manifest: Manifest) =>
  blobs.put(`${folder}/manifest.json`, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`))

const parquetColumn = ({ name, type }: ArchivedColumn): ParquetColumn => ({ name, type })

interface Chunk {
  readonly lines: string
  readonly rows: number
  readonly maxLineBytes: number
}

/** The lines in a file, one chunk after the other: a file is there until the next one is asked for. */
async function* chunksOf(
  pages: AsyncIterable<readonly string[]>,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<Chunk> {
  let file = await open(path, 'w', 0o600)
  let [rows, bytes, maxLineBytes] = [0, 0, 0]
  try {
    for await (const lines of pages) {
      signal.throwIfAborted()
      const text = Buffer.from(`${lines.join('\n')}\n`)
      await file.write(text)
      rows += lines.length
      bytes += text.length
      for (const line of lines) maxLineBytes = Math.max(maxLineBytes, Buffer.byteLength(line))
      if (bytes < PART_BYTES) continue
      await file.close()
      yield { lines: path, rows, maxLineBytes }
      file = await open(path, 'w', 0o600)
      ;[rows, bytes, maxLineBytes] = [0, 0, 0]
    }
  } finally {
    await file.close()
  }
  if (rows > 0) yield { lines: path, rows, maxLineBytes }
}

import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { BlobStore } from '../../../adapters/blobs/blob-store.ts'
import { renewNotes } from '../../../kernel/blobs/loose-blobs.ts'
import type { Database } from '../../../kernel/db/database.ts'
import { OperatorError } from '../command.ts'
import type { Progress } from '../progress.ts'
import { blobPath, requireFile } from './folder.ts'
import { BLOBS, fileOf, type Manifest } from './format.ts'
import { readObjects } from './lines.ts'

/** Larger than any attachment or message that Postwren takes. */
const MAX_BLOB_BYTES = 256 * 1024 * 1024
const AT_ONCE = 4

const KEY = /^[a-z0-9-]{1,40}\/([0-9a-f-]{36})(?:\/[a-z0-9-]{1,60}){1,3}$/

interface BlobLine {
  readonly key: string
  readonly size: number
  readonly sha256: string
}

/**
 * Puts the blobs of an export into the store, noted as nobody's: the rows that name them take them over when they commit, and if they never
 * do the sweep removes them. Gives the keys of blobs that the other installation had lost.
 */
export async function importBlobs(
  { db, blobs, progress }: { db: Database; blobs: BlobStore; progress: Progress },
  { folder, manifest, teams }: { folder: string; manifest: Manifest; teams: ReadonlySet<string> },
): Promise<ReadonlySet<string>> {
  const path = join(folder, fileOf(BLOBS))
  const missing = new Set<string>()
  let done = 0
  for await (const objects of readObjects(path, manifest.blobs)) {
    const lines: BlobLine[] = []
    for (const { key, size, sha256 } of objects) {
      const team = typeof key === 'string' ? KEY.exec(key)?.[1] : undefined
      if (typeof key !== 'string' || !team || !teams.has(team))
        throw new OperatorError(
          `${path}: ${JSON.stringify(key)?.slice(0, 100)} is not the key of a blob of these teams.`,
        )
      if (size === null) missing.add(key)
      else lines.push({ key, size: Number(size), sha256: String(sha256) })
    }
    if (
      !(await renewNotes(
        db,
        lines.map(({ key }) => key),
      ))
    )
      throw new OperatorError(
        'Blobs of this team are just being removed, since it was deleted here. Try again in an hour.',
      )
    for (let at = 0; at < lines.length; at += AT_ONCE) {
      await Promise.all(
        lines.slice(at, at + AT_ONCE).map(async (line) => blobs.put(line.key, await readBlob(folder, line))),
      )
      done += Math.min(AT_ONCE, lines.length - at)
      progress.show('blobs', done, manifest.blobs.rows)
    }
  }
  return missing
}

async function readBlob(folder: string, { key, size, sha256 }: BlobLine): Promise<Buffer> {
  const path = join(folder, blobPath(key))
  if (!(size >= 0 && size <= MAX_BLOB_BYTES)) throw new OperatorError(`${path} is too large.`)
  await requireFile(path, size)
  // A folder on the way there could be a link.
  if ((await realpath(path)) !== join(await realpath(folder), blobPath(key)))
    throw new OperatorError(`${path} is not in the folder of the export.`)
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  const content = await file.readFile().finally(() => file.close())
  if (createHash('sha256').update(content).digest('hex') !== sha256)
    throw new OperatorError(`${path} was changed after the export: its SHA-256 is another one.`)
  return content
}

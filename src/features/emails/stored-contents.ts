import type { BlobStore } from '../../adapters/blobs/blob-store.ts'
import { noteBlobs } from '../../kernel/blobs/loose-blobs.ts'
import { isUnavailable } from '../../platform/database-errors.ts'
import type { Services } from '../services.ts'

/** What is kept beside the database, under its key. */
export interface StoredContent {
  readonly blob: string
  /** A function is asked when its turn comes, so that one of many is in memory at a time. */
  readonly content: Buffer | (() => Promise<Buffer>)
}

/**
 * Stores contents, then does what names them. What is not named is not kept: when `work` fails, they are gone again. They are noted
 * before, so that what a crash leaves is found.
 */
export async function withStored<Result>(
  { db, blobs }: Pick<Services, 'db' | 'blobs'>,
  contents: readonly StoredContent[],
  work: () => Promise<Result>,
): Promise<Result> {
  await noteBlobs(
    db,
    contents.map(({ blob }) => blob),
  )
  try {
    for (const { blob, content } of contents)
      await blobs.put(blob, typeof content === 'function' ? await content() : content)
  } catch (error) {
    await forget(contents, blobs)
    throw error
  }
  try {
    return await work()
  } catch (error) {
    // A connection that broke may have broken after the commit: then the contents are named, and needed.
    if (!isUnavailable(error)) await forget(contents, blobs)
    throw error
  }
}

async function forget(contents: readonly StoredContent[], blobs: BlobStore) {
  await Promise.allSettled(contents.map(({ blob }) => blobs.remove(blob)))
}

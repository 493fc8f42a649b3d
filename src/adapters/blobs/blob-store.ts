import type { Readable } from 'node:stream'

/** Bodies, attachments and raw messages, by key. Content under a key is written once and never changed in place. */
export interface BlobStore {
  /** Durable when it resolves. A second put under the same key replaces the first, at once and completely. */
  put(key: string, content: Buffer): Promise<void>
  get(key: string): Promise<Buffer | null>
  open(key: string): Promise<Readable | null>
  /** Removing what is not there is fine: a clean-up may run twice. */
  remove(key: string): Promise<void>
  /** The keys of what is archived, in any order. */
  archived(): AsyncIterable<string>
}

/**
 * What is not larger may as well be a value in a row, where one commit makes many of them durable at once. Each larger one has a flush
 * of its own: they are few, and would make a commit long for the others.
 */
export const MAX_ROW_BYTES = 256 * 1024

/** The store does not do its work at the moment: who asks later may be served. */
export class BlobStoreAway extends Error {}

/** What is archived is a tree of files with the names that tools expect, wherever blobs are. */
export const ARCHIVE_PREFIX = 'archive/'

const MAX_KEY_LENGTH = 200
const KEY = /^(?:[a-z0-9-]+(\/[a-z0-9-]+)*|archive(\/[a-z0-9-]+)+\.(?:parquet|json))$/

/** Whether it is the key of a file of the archive, whoever has put it there. */
export const isArchived = (key: string): boolean =>
  key.startsWith(ARCHIVE_PREFIX) && /\.(?:parquet|json)$/.test(key) && KEY.test(key) && key.length <= MAX_KEY_LENGTH

/** Keys become paths and URLs, so nothing gets in that means something there. We make all keys ourselves: a wrong one is a bug. */
export function requireKey(key: string) {
  if (!KEY.test(key) || key.length > MAX_KEY_LENGTH)
    throw new Error(`Not a key of a blob: ${JSON.stringify(key.slice(0, 300))}`)
}

import { createHash, randomUUID } from 'node:crypto'
import { open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { flushFolder, makeDurableFolder, writeDurably } from '../../platform/durable-file.ts'
import { ARCHIVE_PREFIX, type BlobStore, isArchived, requireKey } from './blob-store.ts'

/** Blobs as files of one folder. What `put` has promised survives a power cut: file and folder are flushed, in this order. */
export class FileBlobStore implements BlobStore {
  readonly #folder: string
  readonly #folders = new Map<string, Promise<void>>()

  constructor(folder: string) {
    this.#folder = resolve(folder)
  }

  async put(key: string, content: Buffer) {
    const path = this.#pathOf(key)
    const temporary = `${path}.${randomUUID()}${UNFINISHED}`
    try {
      await this.#ensureFolder(dirname(path))
      await writeDurably(temporary, content)
      await rename(temporary, path)
    } catch (error) {
      this.#folders.delete(dirname(path))
      await rm(temporary, { force: true })
      throw error
    }
    // One process writes an archive: what is left beside it is of one that was cut off, and nobody would ever look at it.
    if (key.startsWith(ARCHIVE_PREFIX)) await this.#removeUnfinished(path)
    await flushFolder(dirname(path))
  }

  async get(key: string) {
    return orNull(readFile(this.#pathOf(key)))
  }

  async open(key: string): Promise<Readable | null> {
    return (await orNull(open(this.#pathOf(key))))?.createReadStream() ?? null
  }

  /** And what a crash has left of writing it. */
  async remove(key: string) {
    const path = this.#pathOf(key)
    await rm(path, { force: true })
    await this.#removeUnfinished(path)
  }

  async *archived(): AsyncGenerator<string> {
    const names = (await orNull(readdir(join(this.#folder, ARCHIVE_PREFIX), { recursive: true }))) ?? []
    for (const name of names) {
      const key = `${ARCHIVE_PREFIX}${name.replaceAll('\\', '/')}`
      if (isArchived(key)) yield key
    }
  }

  async #removeUnfinished(path: string) {
    const names = (await orNull(readdir(dirname(path)))) ?? []
    for (const name of names.filter((one) => isUnfinished(one, basename(path))))
      await rm(join(dirname(path), name), { force: true })
  }

  /**
   * Spread over 4,096 folders by a hash: our keys begin with a kind and a time-ordered id, so their own first letters would put
   * everything of a year into one folder. What is archived is few, and for people to find. `_` stands for `/` and cannot be in a key.
   */
  #pathOf(key: string): string {
    requireKey(key)
    if (key.startsWith(ARCHIVE_PREFIX)) return join(this.#folder, key)
    const spread = createHash('sha256').update(key).digest('hex').slice(0, 3)
    return join(this.#folder, spread, key.replaceAll('/', '_'))
  }

  /** Once in the life of the process for each folder, and for all who wait: a put must not resolve before its folder is durable. */
  #ensureFolder(folder: string): Promise<void> {
    const known = this.#folders.get(folder)
    if (known) return known
    const making = makeDurableFolder(folder)
    this.#folders.set(folder, making)
    return making
  }
}

const UNFINISHED = '.tmp'

/** No key has a dot and this end, so this is of no other blob. */
const isUnfinished = (name: string, blob: string) => name.startsWith(`${blob}.`) && name.endsWith(UNFINISHED)

async function orNull<Value>(reading: Promise<Value>): Promise<Value | null> {
  try {
    return await reading
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, gunzip, gzip } from 'node:zlib'
import { type BackupKey, DamagedBackup, SEAL_BYTES } from './backup-key.ts'
import { type Part, partName } from './manifest.ts'
import type { BackupStore } from './store.ts'

// A long text as parts of bounded size, each compressed and sealed by itself: it needs no more memory than a few of them, and a bucket takes
// them as it takes blobs.

/** Of text. Compressed it is a fifth of that. */
export const PART_BYTES = 8 * 1024 * 1024
/** What does not get smaller gets a little larger. */
const MAX_STORED_BYTES = PART_BYTES + 64 * 1024

/** Parts that are compressed and written while the next one is filled. */
const MAX_IN_FLIGHT = 3

export interface PartOptions {
  readonly store: BackupStore
  readonly key: BackupKey
  /** The name without its number. */
  readonly file: string
}

export const describePart = (stored: Buffer): Part => ({
  bytes: stored.length,
  sha256: createHash('sha256').update(stored).digest('hex'),
})

export class PartWriter {
  readonly #options: PartOptions
  readonly #parts: Part[] = []
  readonly #inFlight = new Set<Promise<void>>()
  #buffer = Buffer.allocUnsafe(PART_BYTES)
  #filled = 0
  #count = 0
  #failure: unknown
  #bytes = 0

  constructor(options: PartOptions) {
    this.#options = options
  }

  /** Of text, so far. */
  get bytes(): number {
    return this.#bytes
  }

  /** Takes a copy. A promise: no more until it resolves. */
  write(bytes: Buffer): Promise<void> | undefined {
    if (this.#failure) throw this.#failure
    this.#bytes += bytes.length
    for (let at = 0; at < bytes.length; ) {
      const taken = bytes.copy(this.#buffer, this.#filled, at)
      at += taken
      this.#filled += taken
      if (this.#filled === PART_BYTES) this.#flush()
    }
    if (this.#inFlight.size >= MAX_IN_FLIGHT) return this.#whenFree()
  }

  async end(): Promise<Part[]> {
    if (this.#filled > 0) this.#flush()
    await Promise.all(this.#inFlight)
    if (this.#failure) throw this.#failure
    return this.#parts
  }

  #flush() {
    const content = this.#buffer.subarray(0, this.#filled)
    const index = this.#count++
    this.#buffer = Buffer.allocUnsafe(PART_BYTES)
    this.#filled = 0
    const work = this.#store(content, index)
      .catch((error) => {
        this.#failure ??= error
      })
      .then(() => void this.#inFlight.delete(work))
    this.#inFlight.add(work)
  }

  async #whenFree() {
    while (this.#inFlight.size >= MAX_IN_FLIGHT) await Promise.race(this.#inFlight)
    if (this.#failure) throw this.#failure
  }

  async #store(content: Buffer, index: number) {
    const { store, key, file } = this.#options
    const name = partName(file, index)
    const stored = key.seal(await promisify(gzip)(content, { level: constants.Z_BEST_SPEED }), name)
    await store.put(name, stored)
    this.#parts[index] = describePart(stored)
  }
}

/** One file as it was written, or `DamagedBackup`. */
export async function readStored({ store, file }: Omit<PartOptions, 'key'>, { bytes, sha256 }: Part): Promise<Buffer> {
  const stored = await store.get(file, MAX_STORED_BYTES + SEAL_BYTES)
  if (!stored) throw new DamagedBackup(`${file} of the backup is missing.`)
  if (stored.length !== bytes || describePart(stored).sha256 !== sha256)
    throw new DamagedBackup(`${file} of the backup is damaged.`)
  return stored
}

/** The text again, part by part. The next one is read while the caller uses this one. */
export async function* readParts({ store, key, file }: PartOptions, parts: readonly Part[]): AsyncGenerator<Buffer> {
  const read = async (index: number) => {
    const name = partName(file, index)
    const stored = await readStored({ store, file: name }, parts[index]!)
    const content = key.open(stored, name)
    return promisify(gunzip)(content, { maxOutputLength: PART_BYTES }).catch((cause) => {
      throw new DamagedBackup(`${name} of the backup is damaged.`, { cause })
    })
  }
  let next = parts.length > 0 ? read(0) : null
  for (let index = 1; next; index++) {
    const content = await next
    next = index < parts.length ? read(index) : null
    next?.catch(() => {})
    yield content
  }
}

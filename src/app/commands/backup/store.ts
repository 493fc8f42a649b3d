import { createHash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { access, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { flushFolder, makeDurableFolder, writeDurably } from '../../../platform/durable-file.ts'
import { OperatorError } from '../command.ts'

/** Where backups are: a folder or a bucket. Names are paths of ours; what is under one was written at once or is not there. */
export interface BackupStore {
  /** For people, without secrets. */
  readonly address: string
  /** Durable when it resolves. */
  put(name: string, content: Buffer): Promise<void>
  /** Null: there is none. Refused: one that is larger. */
  get(name: string, maxBytes: number): Promise<Buffer | null>
  /** Its size; null: there is none. */
  size(name: string): Promise<number | null>
  /** The names of the folders at the top. */
  folders(): Promise<string[]>
  /** With all that is in it. */
  removeFolder(name: string): Promise<void>
}

/** Names are made of what a manifest says, and a manifest may be anybody's. */
const NAME = /^[A-Za-z0-9][\w.-]*(\/[A-Za-z0-9_][\w.-]*)*$/

export function requireName(name: string) {
  if (!NAME.test(name) || name.length > 300) throw new Error(`Not a name in a backup: ${JSON.stringify(name)}`)
}

/** Blobs are spread over 256 folders: all of a year in one would make each look slow. `_` stands for `/`, and cannot be in a key. */
export const blobName = (key: string) =>
  `blobs/${createHash('sha256').update(key).digest('hex').slice(0, 2)}/${key.replaceAll('/', '_')}`

const UNFINISHED = '.unfinished'

export class FolderStore implements BackupStore {
  readonly address: string
  readonly #folders = new Map<string, Promise<void>>()

  constructor(folder: string) {
    this.address = resolve(folder)
  }

  put(name: string, content: Buffer) {
    return this.#explain('written', async () => {
      const path = this.#pathOf(name)
      const draft = `${path}.${randomUUID().slice(0, 8)}${UNFINISHED}`
      await this.#ensureFolder(dirname(path))
      try {
        await writeDurably(draft, content)
        await rename(draft, path)
      } catch (error) {
        await rm(draft, { force: true })
        throw error
      }
      await flushFolder(dirname(path))
    })
  }

  get(name: string, maxBytes: number) {
    return this.#explain('read', async () => {
      const size = await this.size(name)
      if (size === null) return null
      if (size > maxBytes) throw new OperatorError(`${this.address}/${name} is larger than any file of a backup.`)
      return readFile(this.#pathOf(name))
    })
  }

  size(name: string) {
    return this.#explain('read', async () => {
      const found = await stat(this.#pathOf(name)).catch(orMissing)
      return found?.isFile() ? found.size : null
    })
  }

  folders() {
    return this.#explain('read', async () => {
      const entries = (await readdir(this.address, { withFileTypes: true }).catch(orMissing)) ?? []
      return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
    })
  }

  removeFolder(name: string) {
    return this.#explain('written', () => rm(this.#pathOf(name), { recursive: true, force: true }))
  }

  /** Said before an hour of work, and not after it. */
  async requireWritable() {
    await this.#explain('written', async () => {
      await this.#ensureFolder(this.address)
      await access(this.address, constants.W_OK)
    })
  }

  #pathOf(name: string): string {
    requireName(name)
    return join(this.address, name)
  }

  #ensureFolder(folder: string): Promise<void> {
    const known = this.#folders.get(folder)
    if (known) return known
    const making = makeDurableFolder(folder)
    this.#folders.set(folder, making)
    return making
  }

  async #explain<Result>(verb: string, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (error instanceof OperatorError || code === undefined) throw error
      const advice = DISK_FULL.has(code) ? ': the disk is full. Make space and run the command again.' : ` (${code}).`
      throw new OperatorError(`${this.address} cannot be ${verb}${advice}`, { cause: error })
    }
  }
}

const DISK_FULL = new Set(['EDQUOT', 'ENOSPC'])

function orMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
  throw error
}

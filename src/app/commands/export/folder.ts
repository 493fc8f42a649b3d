import { createHash } from 'node:crypto'
import { chmod, type FileHandle, lstat, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { requireKey } from '../../../adapters/blobs/blob-store.ts'
import { flushFolder } from '../../../platform/durable-file.ts'
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../../../platform/settings/data-folder.ts'
import { OperatorError } from '../command.ts'
import { BLOBS, type FileSummary, fileOf, MANIFEST, UNFINISHED } from './format.ts'

const WRITE_BYTES = 256 * 1024

/** Where the content of a blob is: spread over 4,096 folders, by the first digits of the SHA-256 of its key. */
export function blobPath(key: string): string {
  requireKey(key)
  const spread = createHash('sha256').update(key).digest('hex').slice(0, 3)
  return join(BLOBS, spread, key.replaceAll('/', '_'))
}

/** A folder that an export is written into. Without a manifest, which comes last, it is not complete. */
export class ExportFolder {
  readonly path: string
  readonly #blobFolders = new Set<string>()

  private constructor(path: string) {
    this.path = path
  }

  /** A new folder, an empty one, or one that a cut export has left: what it had of rows is written again, and its blobs are kept. */
  static async prepare(given: string): Promise<ExportFolder> {
    const path = resolve(given)
    await mkdir(path, { recursive: true, mode: PRIVATE_FOLDER })
    const names = await readdir(path)
    if (names.includes(MANIFEST) && !names.includes(UNFINISHED))
      throw new OperatorError(`${path} already has an export. Choose another folder, or delete this one first.`)
    if (names.length > 0 && !names.includes(UNFINISHED))
      throw new OperatorError(`${path} is not empty. Choose a folder for the export alone.`)
    if (names.includes(UNFINISHED)) await removeAbandoned(join(path, UNFINISHED))
    await chmod(path, PRIVATE_FOLDER)
    const folder = new ExportFolder(path)
    await folder.#claim()
    for (const name of names)
      if (name === MANIFEST || name.endsWith(fileOf(''))) await rm(join(path, name), { force: true })
    await mkdir(join(path, BLOBS), { recursive: true, mode: PRIVATE_FOLDER })
    return folder
  }

  /** Of two that begin at once, one makes the file. */
  async #claim() {
    const file = join(this.path, UNFINISHED)
    const handle = await open(file, 'wx', PRIVATE_FILE).catch((error) => {
      throw error.code === 'EEXIST' ? new OperatorError(`Another export is being written into ${this.path}.`) : error
    })
    await handle.writeFile(`${JSON.stringify({ pid: process.pid })}\n`)
    await handle.sync()
    await handle.close()
    await flushFolder(this.path)
  }

  create(name: string): Promise<LinesWriter> {
    return LinesWriter.create(join(this.path, fileOf(name)))
  }

  /** The size and digest of a blob that is written already. */
  async findBlob(key: string): Promise<Omit<FileSummary, 'rows'> | null> {
    const handle = await open(join(this.path, blobPath(key)), 'r').catch(() => null)
    if (!handle) return null
    this.#blobFolders.add(dirname(join(this.path, blobPath(key))))
    const hash = createHash('sha256')
    let bytes = 0
    for await (const chunk of handle.createReadStream()) {
      hash.update(chunk)
      bytes += chunk.length
    }
    return { bytes, sha256: hash.digest('hex') }
  }

  /** Its final name says that it is whole. */
  async writeBlob(key: string, content: Readable): Promise<Omit<FileSummary, 'rows'>> {
    const path = join(this.path, blobPath(key))
    await mkdir(dirname(path), { recursive: true, mode: PRIVATE_FOLDER })
    this.#blobFolders.add(dirname(path))
    const draft = `${path}.tmp`
    const hash = createHash('sha256')
    let bytes = 0
    const file = await open(draft, 'w', PRIVATE_FILE)
    try {
      for await (const chunk of content) {
        hash.update(chunk)
        bytes += chunk.length
        await file.write(chunk)
      }
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
    return { bytes, sha256: hash.digest('hex') }
  }

  /** When everything else is on the disk. */
  async finish(manifest: object) {
    // Two that began at the same moment with what a cut export had left.
    if ((await pidIn(join(this.path, UNFINISHED))) !== process.pid)
      throw new OperatorError(`Another export is being written into ${this.path}.`)
    for (const folder of [...this.#blobFolders, join(this.path, BLOBS), this.path]) await flushFolder(folder)
    const draft = join(this.path, `${MANIFEST}.tmp`)
    const file = await open(draft, 'w', PRIVATE_FILE)
    await file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`)
    await file.sync()
    await file.close()
    await rename(draft, join(this.path, MANIFEST))
    await flushFolder(this.path)
    await rm(join(this.path, UNFINISHED))
    await flushFolder(this.path)
  }
}

/** A file of lines, with what the manifest says of it. */
export class LinesWriter {
  readonly #file: FileHandle
  readonly #hash = createHash('sha256')
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #rows = 0
  #bytes = 0

  private constructor(file: FileHandle) {
    this.#file = file
  }

  static async create(path: string): Promise<LinesWriter> {
    return new LinesWriter(await open(path, 'wx', PRIVATE_FILE))
  }

  get rows() {
    return this.#rows
  }

  /** Each with its line break. */
  async add(lines: readonly Buffer[]) {
    for (const line of lines) {
      this.#hash.update(line)
      this.#bytes += line.length
      this.#waitingBytes += line.length
      this.#waiting.push(line)
    }
    this.#rows += lines.length
    if (this.#waitingBytes >= WRITE_BYTES) await this.#write()
  }

  async addObject(object: object) {
    await this.add([Buffer.from(`${JSON.stringify(object)}\n`)])
  }

  async #write() {
    const waiting = this.#waiting
    this.#waiting = []
    this.#waitingBytes = 0
    if (waiting.length > 0) await this.#file.writev(waiting)
  }

  async close(): Promise<FileSummary> {
    await this.#write()
    await this.#file.sync()
    await this.#file.close()
    return { rows: this.#rows, bytes: this.#bytes, sha256: this.#hash.digest('hex') }
  }
}

async function removeAbandoned(file: string) {
  const pid = await pidIn(file)
  if (pid && pid !== process.pid && isRunning(pid))
    throw new OperatorError(`Another export is being written into ${dirname(file)}, by process ${pid}.`)
  await rm(file, { force: true })
}

/** Null: a crash came before it was written. */
async function pidIn(file: string): Promise<number | null> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return Number(/"pid":(\d+)/.exec(text)?.[1] ?? 0) || null
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** For whoever reads an export: a file of this size that is no link. */
export async function requireFile(path: string, bytes?: number) {
  const found = await lstat(path).catch(() => null)
  if (!found) throw new OperatorError(`${path} is missing.`)
  if (!found.isFile()) throw new OperatorError(`${path} is not a regular file.`)
  if (bytes !== undefined && found.size !== bytes)
    throw new OperatorError(`${path} has ${found.size} bytes, and the manifest says ${bytes}.`)
}

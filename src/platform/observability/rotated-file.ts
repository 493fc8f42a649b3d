import { type FileHandle, open, readdir, rename, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Clock } from '../clock.ts'

export interface RotatedFileOptions {
  readonly path: string
  /** Of one file; a batch more can be in it. */
  readonly maxBytes: number
  /** With the one that is being written. */
  readonly maxFiles: number
  readonly clock: Pick<Clock, 'now'>
}

/** As in `attempts.jsonl.2026-11-15T01-20-30-123Z-4711`: in the order of time, and two processes never take the same. */
const ROTATED = /^\.\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z-\d+$/

/** Nobody but the operator is to read it: it says who got mail. */
const MODE = 0o600

/**
 * A file of lines that is put aside when it is long enough, and of which the oldest go. Several processes may write to one path: each write is whole
 * lines at the end (O_APPEND), and who finds that the file was put aside opens the new one. After a crash the last line may be cut off; the next
 * process begins on a line of its own.
 */
export class RotatedFile {
  readonly #options: RotatedFileOptions
  #file: FileHandle | null = null
  /** The last line in it has no end. */
  #isCutOff = false

  constructor(options: RotatedFileOptions) {
    this.#options = options
  }

  /** Throws when not all could be written. One call at a time. */
  async append(lines: readonly string[]) {
    const file = await this.#current()
    const text = `${this.#isCutOff ? '\n' : ''}${lines.join('\n')}\n`
    const bytes = Buffer.from(text)
    try {
      for (let written = 0; written < bytes.length; ) {
        // A disk that becomes full takes a part.
        this.#isCutOff = written > 0
        written += (await file.write(bytes, written)).bytesWritten
      }
      this.#isCutOff = false
    } catch (error) {
      await this.close()
      throw error
    }
  }

  async close() {
    const file = this.#file
    this.#file = null
    await file?.close().catch(() => {})
  }

  async #current(): Promise<FileHandle> {
    const { path, maxBytes } = this.#options
    const there = await stat(path).catch(() => null)
    if (there?.isFile() && there.size >= maxBytes) await this.#putAside()
    else if (this.#file && there && there.ino === (await this.#file.stat()).ino) return this.#file
    await this.close()
    this.#file = await open(path, 'a+', MODE)
    this.#isCutOff = await endsInside(this.#file)
    return this.#file
  }

  /** Another process may have done so just now: then what is put aside is short, and nothing is lost. */
  async #putAside() {
    const { path, clock } = this.#options
    const moment = clock.now().toISOString().replace(/[:.]/g, '-')
    await rename(path, `${path}.${moment}-${process.pid}`).catch(() => {})
    await this.#deleteOldest()
  }

  async #deleteOldest() {
    const { path, maxFiles } = this.#options
    const [folder, name] = [dirname(path), basename(path)]
    const rotated = (await readdir(folder))
      .filter((one) => one.startsWith(name) && ROTATED.test(one.slice(name.length)))
      .sort()
    const old = rotated.slice(0, Math.max(0, rotated.length - (maxFiles - 1)))
    for (const one of old) await unlink(join(folder, one)).catch(() => {})
  }
}

async function endsInside(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat()
  if (size === 0) return false
  const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return bytesRead === 1 && buffer[0] !== 0x0a
}

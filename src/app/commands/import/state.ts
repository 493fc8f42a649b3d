import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { OperatorError } from '../command.ts'
import type { Kind, ReportData } from './report.ts'

/** How far an import has come. */
export interface Progress {
  readonly done: Kind[]
  /** Of the list that is being read: behind which item to go on. */
  cursor: { readonly kind: Kind; readonly list: string; readonly after: string | null } | null
  /** Lists of this kind that are through. */
  readonly lists: string[]
  /** Ids there that are another one here. */
  readonly ids: Record<string, string>
  readonly report: ReportData
}

const FORMAT = 1

/** Keeps the progress in a file: a run that was killed goes on where it stopped. The API key is not in it. */
export class ImportState {
  readonly #path: string | null
  readonly #source: string
  readonly progress: Progress
  readonly isResumed: boolean

  private constructor(path: string | null, source: string, found: Progress | null) {
    this.#path = path
    this.#source = source
    this.isResumed = found !== null
    this.progress = found ?? {
      ...{ done: [], cursor: null, lists: [], ids: {} },
      report: { counts: {}, skipped: [], notes: [], dns: [], keys: [] },
    }
  }

  /** `about`: what makes two imports the same one. A file about another import is replaced. No path: nothing is kept. */
  static open(path: string | null, about: readonly string[]): ImportState {
    // The key is among them: a digest tells two accounts apart and gives none away.
    const source = createHash('sha256').update(JSON.stringify(about)).digest('hex').slice(0, 16)
    return new ImportState(path, source, path === null ? null : read(path, source))
  }

  save() {
    if (this.#path === null) return
    const temporary = `${this.#path}.${process.pid}.new`
    try {
      mkdirSync(dirname(this.#path), { recursive: true })
      writeFileSync(temporary, JSON.stringify({ format: FORMAT, source: this.#source, ...this.progress }), {
        mode: 0o600,
      })
      renameSync(temporary, this.#path)
    } catch (error) {
      throw new OperatorError(`The progress cannot be written: ${(error as Error).message}. Name a file with --state.`)
    }
  }

  end() {
    if (this.#path !== null) rmSync(this.#path, { force: true })
  }
}

function read(path: string, source: string): Progress | null {
  try {
    const found = JSON.parse(readFileSync(path, 'utf8'))
    return found.format === FORMAT && found.source === source ? found : null
  } catch {
    return null
  }
}

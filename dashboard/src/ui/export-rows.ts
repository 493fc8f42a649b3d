import { csvLine } from '../../../src/mail/csv.ts'
import { ApiProblem } from '../api.ts'

/** More is for a program: the API has the same lists. */
export const MAX_EXPORT_ROWS = 50_000

const PAGE = 100
const LIMITED_WAIT_MS = 1_000

export type CsvColumn<One> = readonly [name: string, value: (item: One) => string | number | boolean | null | undefined]

interface ListPage<One> {
  readonly has_more: boolean
  readonly data: readonly One[]
}

interface ExportOptions<One> {
  readonly columns: readonly CsvColumn<One>[]
  read(page: { limit: number; after: string | undefined }): Promise<ListPage<One>>
  readonly onProgress: (rows: number) => void
  readonly signal: AbortSignal
  readonly maxRows?: number
}

interface Exported {
  readonly parts: readonly string[]
  readonly rows: number
  /** There are more rows than an export has. */
  readonly isCut: boolean
}

/** A list as the lines of a CSV file, page by page. */
export async function exportRows<One extends { id: string }>(options: ExportOptions<One>): Promise<Exported> {
  const { columns, read, onProgress, signal, maxRows = MAX_EXPORT_ROWS } = options
  const parts = [csvLine(columns.map(([name]) => name))]
  let rows = 0
  for (let after: string | undefined; ; ) {
    signal.throwIfAborted()
    const { data, has_more } = await whenNotLimited(
      () => read({ limit: Math.min(PAGE, maxRows - rows), after }),
      signal,
    )
    parts.push(data.map((item) => csvLine(columns.map(([, value]) => value(item)))).join(''))
    rows += data.length
    onProgress(rows)
    const isFull = rows >= maxRows
    if (!has_more || data.length === 0 || isFull) return { parts, rows, isCut: has_more && isFull }
    after = data.at(-1)!.id
  }
}

/** Whoever asks too often in a second asks again in the next one. */
async function whenNotLimited<Answer>(ask: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof ApiProblem && error.status === 429)) throw error
      await new Promise((resolve) => setTimeout(resolve, LIMITED_WAIT_MS))
      signal.throwIfAborted()
    }
  }
}

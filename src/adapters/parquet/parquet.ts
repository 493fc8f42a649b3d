import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

// Parquet files, written by DuckDB. It is an optional package of 60 MB with native code: it runs in a process of its own, which is loaded when it is needed, has a bound
// on its memory, and takes nobody with it when it ends.

const MEMORY_LIMIT = '512MB'
/** Rows of a group: readers skip whole groups by their smallest and largest values. */
const ROW_GROUP = 20_000
/** How files are written. */
export const AS_PARQUET = `(format parquet, compression zstd, row_group_size ${ROW_GROUP})`
const TIMEOUT_MS = 10 * 60_000

/** A column as it is in a line of JSON, and its type in the file. `BLOB`s are written in hexadecimal digits there. */
export interface ParquetColumn {
  readonly name: string
  readonly type:
    | 'UUID'
    | 'VARCHAR'
    | 'VARCHAR[]'
    | 'UUID[]'
    | 'BIGINT'
    | 'DOUBLE'
    | 'BOOLEAN'
    | 'TIMESTAMP'
    | 'DATE'
    | 'BLOB'
}

export interface ParquetFile {
  /** A JSON object in each line. */
  readonly lines: string
  /** The longest line, at most. */
  readonly maxLineBytes: number
  readonly columns: readonly ParquetColumn[]
  /** Where the file is written. */
  readonly target: string
  readonly temporaryFolder: string
}

/** Runs a statement for each line of its standard input, and answers each with a line: what went wrong, or the rows. */
const PROGRAM = `
const lines = require('node:readline').createInterface({ input: process.stdin })
let connection
let last = Promise.resolve()
lines.on('line', (line) => {
  last = last.then(async () => {
    let answer = {}
    try {
      const { module, settings, statement } = JSON.parse(line)
      const { DuckDBInstance } = require(module)
      connection ??= await (await DuckDBInstance.create(':memory:', settings)).connect()
      answer = { rows: (await connection.runAndReadAll(statement)).getRowObjectsJson() }
    } catch (error) {
      answer = { error: String(error.message ?? error).split('\\n')[0] }
    }
    process.stdout.write(JSON.stringify(answer) + '\\n')
  })
})
lines.on('close', () => last.then(() => process.exit(0)))`

export const ARCHIVE_WITHOUT_DUCKDB =
  'POSTWREN_RETENTION_ARCHIVE is `parquet`, and the package @duckdb/node-api is not installed: no old period is deleted. Install it, or set `off`.'

/** What nobody is to take for granted. */
export const ARCHIVE_OF_PERIODS =
  'Old periods are archived as Parquet files. What is deleted row by row, as where a team keeps more or less than the others, is not archived.'

/** Null: it is not installed. */
function findModule(): string | null {
  try {
    return createRequire(import.meta.url).resolve('@duckdb/node-api')
  } catch {
    return null
  }
}

export const isDuckDbInstalled = () => findModule() !== null

/** Whether files can be written at all: the package is there, and its native part runs on this machine. */
export async function hasDuckDb(): Promise<boolean> {
  if (!isDuckDbInstalled()) return false
  const writer = new ParquetWriter()
  try {
    await writer.run('select 1', tmpdir())
    return true
  } catch {
    return false
  } finally {
    writer.close()
  }
}

interface Answer {
  readonly error?: string
  readonly rows?: readonly Readonly<Record<string, unknown>>[]
}

/** Writes one file after the other. To be closed. */
export class ParquetWriter {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly #answers: AsyncIterator<string>

  constructor() {
    // Without the environment, which has secrets that nobody in there needs.
    this.#child = spawn(process.execPath, ['-e', PROGRAM], { env: {}, stdio: ['pipe', 'pipe', 'ignore'] })
    this.#child.on('error', () => {})
    this.#child.stdin.on('error', () => {})
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
  }

  async write(file: ParquetFile): Promise<void> {
    const types = file.columns.map(({ name, type }) => `${quoted(name)}: '${type === 'BLOB' ? 'VARCHAR' : type}'`)
    const values = file.columns.map(({ name, type }) =>
      type === 'BLOB' ? `unhex(${identifier(name)}) as ${identifier(name)}` : identifier(name),
    )
    await this.run(
      `copy (select ${values.join(', ')} from read_json(${quoted(file.lines)}, format = 'newline_delimited',
        compression = 'uncompressed', maximum_object_size = ${file.maxLineBytes}, columns = {${types.join(', ')}}))
      to ${quoted(file.target)} ${AS_PARQUET}`,
      file.temporaryFolder,
    )
  }

  /** Gives the rows, as they are in JSON. */
  async run(statement: string, temporaryFolder: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const settings = { threads: '1', memory_limit: MEMORY_LIMIT, temp_directory: temporaryFolder }
    // One that never answers ends, and so does whoever waits for it.
    const timer = setTimeout(() => this.close(), TIMEOUT_MS)
    this.#child.stdin.write(`${JSON.stringify({ module: findModule(), settings, statement })}\n`)
    const { value, done } = await this.#answers.next().finally(() => clearTimeout(timer))
    const answer: Answer = done ? { error: 'its process has ended' } : JSON.parse(value)
    if (answer.error !== undefined) throw new Error(`DuckDB failed: ${answer.error}`)
    return answer.rows ?? []
  }

  close() {
    this.#child.kill('SIGKILL')
  }
}

export const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`
export const identifier = (name: string) => `"${name.replaceAll('"', '""')}"`

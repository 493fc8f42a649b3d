import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'

// Parquet files, written by DuckDB. It is an optional package of 60 MB with native code: it runs in a process of its own, which is loaded when it is needed, has a bound
// on its memory, and takes nobody with it when it ends.

const MEMORY_LIMIT = '512MB'
/** Rows of a group: readers skip whole groups by their smallest and largest values. */
const ROW_GROUP = 20_000
const TIMEOUT_MS = 10 * 60_000

/** A column as it is in a line of JSON, and its type in the file. `BLOB`s are written in hexadecimal digits there. */
export interface ParquetColumn {
  readonly name: string
  readonly type: 'UUID' | 'VARCHAR' | 'VARCHAR[]' | 'UUID[]' | 'BIGINT' | 'DOUBLE' | 'BOOLEAN' | 'TIMESTAMP' | 'DATE' | 'BLOB'
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

/** Reads a task from its standard input. A failure is its message on the standard error. */
const PROGRAM = `
let text = ''
process.stdin.on('data', (chunk) => (text += chunk)).on('end', async () => {
  try {
    const { module, settings, statement } = JSON.parse(text)
    const { DuckDBInstance } = require(module)
    const connection = await (await DuckDBInstance.create(':memory:', settings)).connect()
    await connection.run(statement)
    process.exit(0)
  } catch (error) {
    process.stderr.write(String(error.message ?? error), () => process.exit(1))
  }
})`

/** Null: it is not installed. */
function findModule(): string | null {
  try {
    return createRequire(import.meta.url).resolve('@duckdb/node-api')
  } catch {
    return null
  }
}

/** Whether files can be written at all: the package is there, and its native part runs on this machine. */
export async function hasDuckDb(): Promise<boolean> {
  if (findModule() === null) return false
  return run('select 1', { temporaryFolder: '/nonexistent' }).then(
    () => true,
    () => false,
  )
}

export async function writeParquet(file: ParquetFile, signal?: AbortSignal): Promise<void> {
  const types = file.columns.map(({ name, type }) => `${quoted(name)}: '${type === 'BLOB' ? 'VARCHAR' : type}'`)
  const values = file.columns.map(({ name, type }) =>
    type === 'BLOB' ? `unhex(${identifier(name)}) as ${identifier(name)}` : identifier(name),
  )
  await run(
    `copy (select ${values.join(', ')} from read_json(${quoted(file.lines)}, format = 'newline_delimited',
      compression = 'uncompressed', maximum_object_size = ${file.maxLineBytes}, columns = {${types.join(', ')}}))
    to ${quoted(file.target)} (format parquet, compression zstd, row_group_size ${ROW_GROUP})`,
    { temporaryFolder: file.temporaryFolder, signal },
  )
}

async function run(
  statement: string,
  { temporaryFolder, signal }: { temporaryFolder: string; signal?: AbortSignal | undefined },
) {
  const module = findModule()
  if (module === null) throw new Error('@duckdb/node-api is not installed')
  const settings = { threads: '1', memory_limit: MEMORY_LIMIT, temp_directory: temporaryFolder }
  // Without the environment, which has secrets that nobody in there needs.
  const child = spawn(process.execPath, ['-e', PROGRAM], {
    env: {},
    stdio: ['pipe', 'ignore', 'pipe'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    ...(signal && { signal }),
  })
  let reason = ''
  child.stderr.on('data', (chunk: Buffer) => {
    if (reason.length < 2_000) reason += chunk.toString()
  })
  child.stdin.on('error', () => {})
  child.stdin.end(JSON.stringify({ module, settings, statement }))
  const [code, killedBy] = (await once(child, 'close')) as [number | null, string | null]
  if (code !== 0) throw new Error(`DuckDB failed: ${reason.trim().split('\n')[0] || `ended by ${killedBy ?? code}`}`)
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`
const identifier = (name: string) => `"${name.replaceAll('"', '""')}"`

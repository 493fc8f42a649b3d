import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { readHeader, readRecords } from '../../../../features/contacts/imports/csv.ts'
import { OperatorError } from '../../command.ts'
import { JsonSplitter } from './json-records.ts'

/** A row of a list, by the names of its columns or fields. Null: it could not be read. */
export interface ListRecord {
  readonly line: number
  readonly fields: Readonly<Record<string, unknown>> | null
}

const START_BYTES = 128 * 1024

/** The rows of a file of CSV or JSON, which its beginning tells apart. A file of any size is read in pieces. */
export async function* readList(path: string): AsyncGenerator<ListRecord> {
  const start = await beginningOf(path)
  const text = start
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart()
  if (text === '') throw new OperatorError('The file is empty.')
  if (/^[[{]/.test(text)) return yield* readJson(path)
  if (text.includes('\0')) throw new OperatorError('The file is neither CSV nor JSON in UTF-8.')
  yield* readCsv(path, start)
}

async function beginningOf(path: string): Promise<Buffer> {
  try {
    const file = await open(path, 'r')
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(START_BYTES), 0, START_BYTES, 0)
      return buffer.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  } catch (error) {
    throw new OperatorError(`The file cannot be read: ${(error as Error).message}`)
  }
}

const bytesFrom = (path: string) => (start: number) =>
  createReadStream(path, { start, highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>

async function* readJson(path: string): AsyncGenerator<ListRecord> {
  const splitter = new JsonSplitter()
  for await (const piece of bytesFrom(path)(0)) yield* splitter.push(piece)
  yield* splitter.end()
}

async function* readCsv(path: string, start: Buffer): AsyncGenerator<ListRecord> {
  const header = await readHeader(start)
  if (!header) throw new OperatorError('The first line of the file must name the columns.')
  // Lists for bulk imports of some services have no names, only addresses and reasons.
  const isNamed = !header.names.some((name) => name.includes('@'))
  const names = isNamed ? header.names : ['email', 'reason']
  const [offset, linesBefore] = isNamed ? [header.end, linesIn(start.subarray(0, header.end))] : [0, 0]
  const records = readRecords(bytesFrom(path), offset, header.delimiter)
  for await (const { values, line } of records)
    yield {
      line: linesBefore + line,
      fields: values && Object.fromEntries(names.map((name, index) => [name, values[index] ?? ''])),
    }
}

const linesIn = (bytes: Buffer) => bytes.reduce((lines, byte) => (byte === 0x0a ? lines + 1 : lines), 0)

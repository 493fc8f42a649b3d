import type { CsvError, Options } from 'csv-parse'

/** A longer record is a quote that was never closed. */
const MAX_RECORD_BYTES = 64 * 1024
/** Each broken record costs a fresh start behind it; a file of nothing else is not a CSV file. */
const MAX_BROKEN_RECORDS = 1_000

const TOLERANT: Options = {
  relax_quotes: true,
  relax_column_count: true,
  skip_empty_lines: true,
  record_delimiter: ['\r\n', '\n'],
  max_record_size: MAX_RECORD_BYTES,
}

/** One record and the byte behind it; null for one that could not be read. */
export interface CsvRecord {
  readonly values: readonly string[] | null
  readonly end: number
  /** On which it ends, counted from where reading began. */
  readonly line: number
}

/** Reads bytes from a place to the end, in pieces. */
export type ReadFrom = (offset: number) => AsyncIterable<Buffer>

/** The names of the columns, the separator between them, and where the first record begins. */
export async function readHeader(start: Buffer): Promise<{ names: string[]; delimiter: string; end: number } | null> {
  // Most services never import, and it is large.
  const { parse } = await import('csv-parse/sync')
  const lines = start
    .toString('utf8', 0, MAX_RECORD_BYTES)
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
  const line = lines.find((text) => text !== '') ?? ''
  const delimiter = [',', ';', '\t'].find((candidate) => line.includes(candidate)) ?? ','
  try {
    const options = { ...TOLERANT, bom: true, delimiter, to: 1, info: true } as const
    const [first] = parse(start, options) as unknown as { record: string[]; info: { bytes: number } }[]
    return first ? { names: first.record.map((name) => name.trim()), delimiter, end: first.info.bytes } : null
  } catch {
    return null
  }
}

/**
 * The records behind `offset`. A record that cannot be read (nearly always a quote that is never closed) is given as null and
 * costs only its own line: reading starts again on the next one.
 */
export async function* readRecords(readFrom: ReadFrom, offset: number, delimiter: string): AsyncGenerator<CsvRecord> {
  let reached = { end: offset, line: 0 }
  for (let broken = 0; broken < MAX_BROKEN_RECORDS; broken++) {
    const error = yield* readUntilBroken(readFrom, reached, delimiter, ({ end, line }) => {
      reached = { end, line }
    })
    if (!error) return
    const next = await endOfLine(readFrom, reached.end)
    if (next === null) return yield { values: null, end: reached.end, line: reached.line + 1 }
    reached = { end: next.end, line: reached.line + next.lines }
    yield { values: null, ...reached }
  }
  throw new Error(`The file has more than ${MAX_BROKEN_RECORDS} records that cannot be read.`)
}

async function* readUntilBroken(
  readFrom: ReadFrom,
  { end: offset, line: linesBefore }: Pick<CsvRecord, 'end' | 'line'>,
  delimiter: string,
  reached: (record: CsvRecord) => void,
): AsyncGenerator<CsvRecord, CsvError | null> {
  const { parse } = await import('csv-parse')
  let records: CsvRecord[] = []
  const parser = parse({
    ...TOLERANT,
    delimiter,
    // The parser's own output would lose what it has read when it fails; this way it is held by us before that.
    on_record(values: string[], { bytes, lines }) {
      records.push({ values, end: offset + bytes, line: linesBefore + lines })
      return null
    },
  })
  parser.on('error', () => {})
  parser.resume()
  const feed = (act: (done: (error?: Error | null) => void) => void) =>
    new Promise<CsvError | null>((resolve) => act((error) => resolve((error as CsvError) ?? null)))

  for await (const piece of withEnd(readFrom(offset))) {
    const error = await feed((done) => (piece ? parser.write(piece, done) : parser.end(done)))
    const ready = records
    records = []
    for (const record of ready) {
      reached(record)
      yield record
    }
    if (error) return error
  }
  return null
}

async function* withEnd(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer | null> {
  yield* pieces
  yield null
}

/** The place behind the next line that is not empty and the lines up to it, or null when there is none. */
async function endOfLine(readFrom: ReadFrom, offset: number): Promise<{ end: number; lines: number } | null> {
  let end = offset
  let lines = 1
  let hasText = false
  for await (const piece of readFrom(offset)) {
    for (const byte of piece) {
      end++
      if (byte === 0x0a && hasText) return { end, lines }
      if (byte === 0x0a) lines++
      else if (byte !== 0x0d) hasText = true
    }
  }
  return hasText ? { end, lines } : null
}

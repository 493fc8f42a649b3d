import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { OperatorError } from '../command.ts'
import { requireFile } from './folder.ts'
import type { FileSummary } from './format.ts'

/** More than any row that Postwren writes has: the largest html, with each of its characters escaped. */
export const MAX_LINE_BYTES = 256 * 1024 * 1024
const READ_BYTES = 256 * 1024
const BATCH_BYTES = 1024 * 1024
const BATCH_LINES = 2_000

export interface LineBatch {
  readonly lines: readonly Buffer[]
  /** Of the first one, in the file; 1 is the first of all. */
  readonly number: number
}

/**
 * The lines of a file, some at a time, in bounded memory. After the last one it is sure that they were those of the manifest, so whoever
 * uses them before takes back what was done when this throws.
 */
export async function* readLines(
  path: string,
  expected: FileSummary,
  maxLineBytes = MAX_LINE_BYTES,
): AsyncGenerator<LineBatch> {
  await requireFile(path, expected.bytes)
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  const hash = createHash('sha256')
  let lines: Buffer[] = []
  let bytes = 0
  let count = 0
  /** The beginning of a line. */
  let rest: Buffer[] = []
  let restBytes = 0
  const batch = () => {
    const taken = { lines, number: count - lines.length + 1 }
    lines = []
    bytes = 0
    return taken
  }
  try {
    for await (const chunk of file.createReadStream({ highWaterMark: READ_BYTES, autoClose: false })) {
      hash.update(chunk)
      let from = 0
      for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
        const line = Buffer.concat([...rest, chunk.subarray(from, end)])
        rest = []
        restBytes = 0
        from = end + 1
        lines.push(line)
        bytes += line.length
        count++
        if (bytes >= BATCH_BYTES || lines.length >= BATCH_LINES) yield batch()
      }
      if (from === chunk.length) continue
      rest.push(chunk.subarray(from))
      restBytes += chunk.length - from
      if (restBytes > maxLineBytes)
        throw new OperatorError(`${path}, line ${count + 1}: longer than ${maxLineBytes} bytes.`)
    }
  } finally {
    await file.close()
  }
  if (lines.length > 0) yield batch()
  if (hash.digest('hex') !== expected.sha256)
    throw new OperatorError(`${path} was changed after the export: its SHA-256 is not the one of the manifest.`)
  if (restBytes > 0 || count !== expected.rows)
    throw new OperatorError(`${path} has ${count} lines, and the manifest says ${expected.rows}.`)
}

const MAX_OBJECT_BYTES = 64 * 1024

/** The lines of a small file, each an object. */
export async function* readObjects(path: string, expected: FileSummary): AsyncGenerator<Record<string, unknown>[]> {
  for await (const { lines, number } of readLines(path, expected, MAX_OBJECT_BYTES))
    yield lines.map((line, index) => {
      const object = line.length > MAX_OBJECT_BYTES ? null : parsed(line)
      if (object === null || typeof object !== 'object' || Array.isArray(object))
        throw new OperatorError(`${path}, line ${number + index}: not an object in JSON.`)
      return object as Record<string, unknown>
    })
}

function parsed(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'))
  } catch {
    return null
  }
}

import { unpackLine } from '../../../mail/packed-bodies.ts'
import type { Kind } from './catalogue.ts'

// Packed bodies of emails travel as html and text: other programs read these, and another installation may not pack any yet.

const PACKED = 'email_bodies'

export const isPacked = ({ name }: Pick<Kind, 'name'>) => name === PACKED

/** What a line has at its end besides the columns of its kind, until `unpackedLine` has seen it. */
export const packedColumns = (kind: Pick<Kind, 'name'>): string[] =>
  isPacked(kind) ? [`translate(encode(content, 'base64'), e'\\n', '') as content`] : []

/** A line of JSON as others know it. */
export const unpackedLine = (kind: Pick<Kind, 'name'>, line: string): string =>
  isPacked(kind) ? unpackLine(line, 'base64') : line

const NOT_PACKED = Buffer.from(',"content":null}\n')

/** The same of bytes with a line break behind them. They are the caller's to change: bodies of many megabytes, which are not packed, are not copied. */
export function unpackedBytes(kind: Pick<Kind, 'name'>, line: Buffer): Buffer {
  const end = line.length - NOT_PACKED.length
  if (!line.subarray(end).equals(NOT_PACKED))
    return Buffer.from(`${unpackedLine(kind, line.toString('utf8', 0, line.length - 1))}\n`)
  line.write('}\n', end)
  return line.subarray(0, end + 2)
}

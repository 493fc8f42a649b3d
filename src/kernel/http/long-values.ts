import { isAscii, isUtf8 } from 'node:buffer'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ByteList } from './byte-list.ts'
import { MAX_TEXT_BYTES, MAX_VALUES, notJson, notUtf8, textTooLong, tooManyValues } from './json-limits.ts'
import type { LongText } from './json-reader.ts'

/** The part of a schema that says where the content of files is. */
interface Shape {
  'x-bytes'?: boolean
  properties?: Record<string, Shape>
  items?: Shape
}

type LongValue = LongText | ByteList
type LongValues = ReadonlyMap<unknown, LongValue>

const BACKSLASH = 0x5c
/** JSON has them as escapes only. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\0-\x1f]/

/** A long value, and where in the body it belongs. */
interface Place {
  readonly field: string
  readonly isFile: boolean
  readonly value: LongValue
  put(value: unknown): void
}

/** More than so much is not made into values in one turn of the event loop: 1 MB takes 2 ms. */
const BYTES_A_TURN = 4 * 1024 * 1024
/** Of 64 kB, as they come from a socket. */
const PIECES_A_TURN = 64

/** Puts the long values of a body where their marks are. The content of files becomes base64, however it was sent. */
export async function putLongValues(
  outline: unknown,
  longValues: LongValues,
  schema: Shape | undefined,
): Promise<unknown> {
  if (typeof outline !== 'object' || outline === null) return null // one long text is no body
  const places = findPlaces(outline, schema ?? {}, '', longValues)
  let done = 0
  for (const { field, isFile, value, put } of places) {
    const size = value instanceof ByteList ? value.length : value.pieces.reduce((sum, { length }) => sum + length, 0)
    if (done > 0 && done + size > BYTES_A_TURN) {
      await nextTurn()
      done = 0
    }
    done += size
    if (isFile) put(value instanceof ByteList ? value.bytes.toString('base64') : await fileText(value))
    else put(value instanceof ByteList ? numbersOf(value) : textOf(value, size, field))
  }
  return outline
}

function findPlaces(holder: object, shape: Shape, path: string, longValues: LongValues): Place[] {
  const found: Place[] = []
  for (const [key, inner] of Object.entries(holder)) {
    const innerShape = Array.isArray(holder) ? shape.items : fieldOf(shape, key)
    const isFile = innerShape?.['x-bytes'] === true
    const field = Array.isArray(holder) ? `${path}[${key}]` : path ? `${path}.${key}` : key
    const value = longValues.get(isFile && isBuffer(inner) ? inner.data : inner)
    if (value) found.push({ field, isFile, value, put: (real) => ((holder as Record<string, unknown>)[key] = real) })
    else if (typeof inner === 'object' && inner !== null)
      found.push(...findPlaces(inner, innerShape ?? {}, field, longValues))
  }
  return found
}

const fieldOf = ({ properties = {} }: Shape, name: string) =>
  Object.hasOwn(properties, name) ? properties[name] : undefined

/** What JSON makes of a Buffer. */
const isBuffer = (value: unknown): value is { type: 'Buffer'; data: unknown } =>
  typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer' && 'data' in value

/**
 * Piece by piece: 40 MB are not made a text in one turn. Base64 is ASCII without escapes but the slashes of some clients; a file that
 * is text has characters that lie across two pieces.
 */
async function fileText({ pieces }: LongText): Promise<string> {
  let text = ''
  let begun: Buffer = Buffer.alloc(0)
  for (const [index, piece] of pieces.entries()) {
    if (index % PIECES_A_TURN === PIECES_A_TURN - 1) await nextTurn()
    const bytes = begun.length > 0 ? Buffer.concat([begun, piece]) : piece
    const end = endOfCharacters(bytes)
    begun = bytes.subarray(end)
    const whole = bytes.subarray(0, end)
    if (whole.includes(BACKSLASH)) text += parse(whole)
    else text += utf8(whole)
  }
  if (begun.length > 0) throw notUtf8()
  return text
}

/** Where the last character begins of which bytes are missing; without one, the end. */
function endOfCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!
    if (byte < 0x80) break
    if (byte < 0xc0) continue // not the first of its character
    const length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
    return length > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

function utf8(bytes: Buffer): string {
  // Most of what is long is: a megabyte is a copy then, and takes a tenth of the time.
  if (isAscii(bytes)) return bytes.toString('latin1')
  if (!isUtf8(bytes)) throw notUtf8()
  return bytes.toString()
}

function textOf({ pieces }: LongText, size: number, field: string): string {
  if (size > MAX_TEXT_BYTES) throw textTooLong(field)
  const bytes = Buffer.concat(pieces)
  if (bytes.includes(BACKSLASH)) return parse(bytes)
  const text = utf8(bytes)
  if (CONTROL.test(text)) throw notJson()
  return text
}

function parse(bytes: Buffer): string {
  const text = utf8(bytes)
  try {
    return JSON.parse(`"${text}"`)
  } catch {
    throw notJson()
  }
}

function numbersOf(list: ByteList): number[] {
  if (list.length > MAX_VALUES) throw tooManyValues()
  return [...list.bytes]
}

const known = new WeakMap<Shape, boolean>()

/** Whether there is a place for the content of files in it. */
export function takesBytes(shape: Shape): boolean {
  let answer = known.get(shape)
  if (answer === undefined) {
    const inner = [...Object.values(shape.properties ?? {}), ...(shape.items ? [shape.items] : [])]
    answer = shape['x-bytes'] === true || inner.some(takesBytes)
    known.set(shape, answer)
  }
  return answer
}

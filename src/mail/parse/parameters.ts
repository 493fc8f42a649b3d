import { decodeBytes } from './charset.ts'
import { encodingNamed } from './charset-names.ts'
import { decodeWords } from './encoded-words.ts'

/** `multipart/mixed; boundary=x`: the value in lower case, the parameters by their names in lower case. */
export interface Parameterised {
  readonly value: string
  readonly parameters: ReadonlyMap<string, string>
}

interface Piece {
  /** Null when it is all there is. */
  readonly number: number | null
  readonly text: string
  readonly isEncoded: boolean
}

const COMMENT = /\([^()]{0,200}\)/g
const NUMBERED = /^([^*]+)\*(?:(\d{1,5})(\*?))?$/

/**
 * Reads `Content-Type` and `Content-Disposition`. Of a parameter that is repeated the first counts, one by RFC 2231 more. Encoded
 * words are forbidden there (RFC 2047) and common all the same; what RFC 2231 has encoded is not decoded a second time.
 */
export function readParameters(header: string): Parameterised {
  const [value = '', ...rest] = splitAtSemicolons(header)
  const plain = new Map<string, string>()
  const numbered = new Map<string, Piece[]>()
  for (const parameter of rest) {
    const equals = parameter.indexOf('=')
    if (equals < 0) continue
    const name = withoutComments(parameter.slice(0, equals)).trim().toLowerCase()
    const text = readValue(name, parameter.slice(equals + 1).trim())
    const [, base, number, star] = NUMBERED.exec(name) ?? []
    if (base === undefined) {
      if (!plain.get(name)) plain.set(name, unmarked(text) ?? decodeWords(text))
      continue
    }
    const pieces = numbered.get(base) ?? []
    pieces.push({ number: number === undefined ? null : Number(number), text, isEncoded: !number || star === '*' })
    numbered.set(base, pieces)
  }
  for (const [name, pieces] of numbered) {
    const whole = pieces.find((piece) => piece.number === null && piece.text !== '')
    const value = joined(whole ? [whole] : pieces)
    // `filename*=` beside `filename=a.pdf` says nothing.
    if (value !== '' || !plain.has(name)) plain.set(name, value)
  }
  return { value: firstToken(withoutComments(value).trim()).toLowerCase(), parameters: plain }
}

// The value of `filename*` where that of `filename` belongs.
const EXTENDED = /^([\w:.-]{2,40})'[\w-]{0,20}'(?=[^']*%[0-9a-f]{2})/i

/** `filename="utf-8''caf%C3%A9.pdf"`, without the star that RFC 2231 wants; null when it is not that. */
function unmarked(text: string): string | null {
  const [, charset] = EXTENDED.exec(text) ?? []
  if (!charset || !encodingNamed(charset)) return null
  return joined([{ number: null, text, isEncoded: true }])
}

/** The pieces in their order. The first says the charset of all; a character may be divided between two of them. */
function joined(pieces: Piece[]): string {
  const inOrder = pieces.sort((a, b) => (a.number ?? 0) - (b.number ?? 0))
  const [, charset = null] = (inOrder[0]!.isEncoded && /^([^']{0,60})'[^']{0,60}'/.exec(inOrder[0]!.text)) || []
  const bytes = inOrder.map(({ text, isEncoded }, i) => {
    if (!isEncoded) return Buffer.from(text)
    return percentDecoded(i === 0 && charset !== null ? text.replace(/^[^']*'[^']*'/, '') : text)
  })
  const text = decodeBytes(Buffer.concat(bytes), charset || null).text
  return inOrder.some(({ isEncoded }) => isEncoded) ? text : decodeWords(text)
}

function percentDecoded(text: string): Buffer {
  const bytes = Buffer.from(text).toString('latin1')
  const decoded = bytes.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(decoded, 'latin1')
}

export function withoutComments(text: string): string {
  return text.replace(COMMENT, '')
}

function splitAtSemicolons(header: string): string[] {
  const pieces: string[] = []
  let start = 0
  for (let i = 0; i < header.length; i += 1) {
    if (header[i] === '"') i = endOfQuoted(header, i)
    else if (header[i] === ';') {
      pieces.push(header.slice(start, i))
      start = i + 1
    }
  }
  pieces.push(header.slice(start))
  return pieces
}

/** The place of the closing quote; the end when there is none. */
function endOfQuoted(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i += 1) {
    if (text[i] === '\\') i += 1
    else if (text[i] === '"') return i
  }
  return text.length
}

/**
 * What follows the closing quote is nothing that anybody meant. Without quotes a comment or white space ends the value, but not
 * that of a file name: people write `filename=Report (1).pdf`, and a backslash is part of a path.
 */
function readValue(name: string, text: string): string {
  if (text.startsWith('"')) return text.slice(1, endOfQuoted(text, 0)).replace(/\\(.)/gsu, '$1')
  return /^(?:file)?name\b/.test(name) ? text : firstToken(text)
}

function firstToken(text: string): string {
  return /^[^\s(]*/.exec(text)![0]
}

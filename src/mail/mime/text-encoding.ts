import { isAscii } from '../ascii.ts'
import type { Steps } from '../steps.ts'
import type { Chunk } from './chunk.ts'
import { escapesIn, isRobust, quotedPrintable, quotedPrintableBytes } from './quoted-printable.ts'
import { chunksOf, chunksOfBytes, MAX_CHUNK, type TextChunk } from './text-chunks.ts'

export const MAX_LINE_LENGTH = 998

/** Content in the transfer encoding that suits it. The last line has no line end of its own. */
export interface Encoded {
  readonly encoding: '7bit' | 'quoted-printable' | 'base64'
  readonly content: readonly Chunk[]
}

/** As it is when every server lets it pass, else escaped, else in base64. */
export function* encodeText(text: string): Steps<Encoded> {
  const chunks = inPieces(text.toWellFormed())
  const encoding = yield* encodingFor(chunks)
  if (encoding === 'base64') {
    const bytes = yield* mapped(chunks(), ({ lines }) => Buffer.from(lines))
    return { encoding, content: [{ base64: bytes.length === 1 ? bytes[0]! : Buffer.concat(bytes) }] }
  }
  const encoded = encoding === '7bit' ? asItIs : quotedPrintable
  return { encoding, content: yield* mapped(chunks(), (chunk) => outOfTheWay(encoded(chunk))) }
}

function* encodingFor(chunks: () => Iterable<TextChunk>): Steps<Encoded['encoding']> {
  if (yield* areAll(chunks(), ({ lines, isOpen }) => !isOpen && hasShortLines(lines) && isRobust(lines))) return '7bit'
  let escapes = 0
  let bytes = 0
  for (const { lines } of chunks()) {
    escapes += escapesIn(lines)
    bytes += Buffer.byteLength(lines)
    yield
  }
  return isBetterInBase64(escapes, bytes) ? 'base64' : 'quoted-printable'
}

// An escape adds two bytes, base64 a third of everything: it is shorter from one escape in six bytes on. From one in four it
// is worth that nobody can read the source any more.
export const isBetterInBase64 = (escapes: number, bytes: number) => escapes * 4 > bytes

/** A message inside a message must not be encoded (RFC 2046, 5.2.1): with clean line ends, or null when that is not enough. */
export function* encodeMessage(message: Buffer): Steps<Encoded | null> {
  const chunks = inPieces(message.toString('latin1'))
  const isSafe = ({ lines, isOpen }: TextChunk) =>
    !isOpen && isAscii(lines) && !lines.includes('\0') && hasShortLines(lines)
  if (!(yield* areAll(chunks(), isSafe))) return null
  return { encoding: '7bit', content: yield* mapped(chunks(), (chunk) => outOfTheWay(asItIs(chunk))) }
}

/** Text whose charset is somebody else's business, in the transfer encoding that suits it. */
export function* encodeBytes(bytes: Buffer): Steps<Encoded> {
  let escapes = 0
  for (let from = 0; from < bytes.length; from += MAX_CHUNK) {
    escapes += escapesIn(bytes.toString('latin1', from, from + MAX_CHUNK))
    yield
  }
  // Above ASCII a character counts for the two bytes that it would have in UTF-8.
  if (isBetterInBase64(escapes / 2, bytes.length)) return { encoding: 'base64', content: [{ base64: bytes }] }
  return { encoding: 'quoted-printable', content: yield* escapeBytes(bytes) }
}

/** The same, always as quoted-printable. */
export function* escapeBytes(bytes: Buffer): Steps<readonly Chunk[]> {
  return yield* mapped(chunksOfBytes(bytes), (chunk) => outOfTheWay(quotedPrintableBytes(chunk)))
}

function* areAll(chunks: Iterable<TextChunk>, isSo: (chunk: TextChunk) => boolean): Steps<boolean> {
  for (const chunk of chunks) {
    if (!isSo(chunk)) return false
    yield
  }
  return true
}

function* mapped<Value>(chunks: Iterable<TextChunk>, to: (chunk: TextChunk) => Value): Steps<Value[]> {
  const values: Value[] = []
  for (const chunk of chunks) {
    values.push(to(chunk))
    yield
  }
  return values
}

/** Whoever wants the chunks twice has them made twice, unless there is only one. */
function inPieces(text: string): () => Iterable<TextChunk> {
  if (text.length > MAX_CHUNK) return () => chunksOf(text)
  const all = [...chunksOf(text)]
  return () => all
}

const asItIs = ({ lines }: TextChunk) => lines

/** Encoded text is ASCII. Much of it is kept where the garbage collector does not have to go. */
const outOfTheWay = (encoded: string): Chunk =>
  encoded.length > MAX_CHUNK / 2 ? Buffer.from(encoded, 'latin1') : encoded

export function hasShortLines(text: string): boolean {
  let from = 0
  for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n', from)) {
    if (end - from > MAX_LINE_LENGTH) return false
    from = end + 2
  }
  return text.length - from <= MAX_LINE_LENGTH
}

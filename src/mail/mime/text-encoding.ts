import { isAscii } from '../ascii.ts'
import type { Steps } from '../steps.ts'
import type { Chunk } from './chunk.ts'
import { escapesIn, isRobust, quotedPrintable, quotedPrintableBytes } from './quoted-printable.ts'
import { LONGEST_STRETCH, type Stretch, stretchesOf, stretchesOfBytes } from './stretches.ts'

const LONGEST_LINE = 998

/** Content in the transfer encoding that suits it. The last line has no line end of its own. */
export interface Encoded {
  readonly encoding: '7bit' | 'quoted-printable' | 'base64'
  readonly content: readonly Chunk[]
}

/** As it is when every server lets it pass, else escaped, else in base64. */
export function* encodeText(text: string): Steps<Encoded> {
  const stretches = inPieces(text.toWellFormed())
  const encoding = yield* encodingFor(stretches)
  if (encoding === 'base64') {
    const bytes = yield* mapped(stretches(), ({ lines }) => Buffer.from(lines))
    return { encoding, content: [{ base64: bytes.length === 1 ? bytes[0]! : Buffer.concat(bytes) }] }
  }
  const encoded = encoding === '7bit' ? asItIs : quotedPrintable
  return { encoding, content: yield* mapped(stretches(), (stretch) => outOfTheWay(encoded(stretch))) }
}

function* encodingFor(stretches: () => Iterable<Stretch>): Steps<Encoded['encoding']> {
  if (yield* areAll(stretches(), ({ lines, isOpen }) => !isOpen && isRobust(lines) && hasShortLines(lines)))
    return '7bit'
  let escapes = 0
  let bytes = 0
  for (const { lines } of stretches()) {
    escapes += escapesIn(lines)
    bytes += Buffer.byteLength(lines)
    yield
  }
  return isBetterInBase64(escapes, bytes) ? 'base64' : 'quoted-printable'
}

// An escape adds two bytes, base64 a third of everything: it is shorter from one escape in six bytes on. From one in four it
// is worth that nobody can read the source any more.
const isBetterInBase64 = (escapes: number, bytes: number) => escapes * 4 > bytes

/** A message inside a message must not be encoded (RFC 2046, 5.2.1): with clean line ends, or null when that is not enough. */
export function* encodeMessage(message: Buffer): Steps<Encoded | null> {
  const stretches = inPieces(message.toString('latin1'))
  const isSafe = ({ lines, isOpen }: Stretch) =>
    !isOpen && isAscii(lines) && !lines.includes('\0') && hasShortLines(lines)
  if (!(yield* areAll(stretches(), isSafe))) return null
  return { encoding: '7bit', content: yield* mapped(stretches(), (stretch) => outOfTheWay(asItIs(stretch))) }
}

/** Text whose charset is somebody else's business, in the transfer encoding that suits it. */
export function* encodeBytes(bytes: Buffer): Steps<Encoded> {
  let escapes = 0
  for (let from = 0; from < bytes.length; from += LONGEST_STRETCH) {
    escapes += escapesIn(bytes.toString('latin1', from, from + LONGEST_STRETCH))
    yield
  }
  // Above ASCII a character counts for the two bytes that it would have in UTF-8.
  if (isBetterInBase64(escapes / 2, bytes.length)) return { encoding: 'base64', content: [{ base64: bytes }] }
  return { encoding: 'quoted-printable', content: yield* escapeBytes(bytes) }
}

/** The same, always as quoted-printable. */
export function* escapeBytes(bytes: Buffer): Steps<readonly Chunk[]> {
  return yield* mapped(stretchesOfBytes(bytes), (stretch) => outOfTheWay(quotedPrintableBytes(stretch)))
}

function* areAll(stretches: Iterable<Stretch>, isSo: (stretch: Stretch) => boolean): Steps<boolean> {
  for (const stretch of stretches) {
    if (!isSo(stretch)) return false
    yield
  }
  return true
}

function* mapped<Value>(stretches: Iterable<Stretch>, to: (stretch: Stretch) => Value): Steps<Value[]> {
  const values: Value[] = []
  for (const stretch of stretches) {
    values.push(to(stretch))
    yield
  }
  return values
}

/** Whoever wants the stretches twice has them made twice, unless there is only one. */
function inPieces(text: string): () => Iterable<Stretch> {
  if (text.length > LONGEST_STRETCH) return () => stretchesOf(text)
  const all = [...stretchesOf(text)]
  return () => all
}

const asItIs = ({ lines }: Stretch) => lines

/** Encoded text is ASCII. Much of it is kept where the garbage collector does not have to go. */
const outOfTheWay = (encoded: string): Chunk =>
  encoded.length > LONGEST_STRETCH / 2 ? Buffer.from(encoded, 'latin1') : encoded

function hasShortLines(text: string): boolean {
  return text.split('\r\n').every((line) => line.length <= LONGEST_LINE)
}

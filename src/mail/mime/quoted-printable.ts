import type { TextChunk } from './text-chunks.ts'

const MAX_LINE_LENGTH = 76
const [TAB, LF, CR, SPACE, EQUALS] = [0x09, 0x0a, 0x0d, 0x20, 0x3d]

// What never stands for itself, in runs. Line ends are `\r\n`, and do.
const ESCAPED = /[^\t\r\n -<>-~]+/g

// White space at the end of a line is what gateways take away first.
const AT_LINE_END = /[ \t](?=\r\n|$)/g

/** Whether there is any. Most text has none, and the expression looks behind each space for it. */
const hasWhiteAtLineEnd = (text: string) =>
  text.includes(' \r\n') || text.includes('\t\r\n') || text.endsWith(' ') || text.endsWith('\t')

/** What boundaries begin with: escaped in quoted-printable, and unknown to base64. */
export const BOUNDARY_START = '=_'

// At the start of a line it becomes `>From ` in mail boxes that are one file, and the signature is broken.
const FROM = 'From '

/** Nothing in it has to be escaped but the sign that escapes begin with, and white space at the end of lines. */
const isPrintable = (text: string) => !/[^\t\r\n -~]/.test(text)

/** Whether gateways leave the text alone as it is, and readers do not take a line of it for a boundary of ours. */
export function isRobust(text: string): boolean {
  const isPlain = isPrintable(text) && !hasWhiteAtLineEnd(text)
  return isPlain && !text.startsWith(FROM) && !text.includes(`\n${FROM}`) && !text.includes(`--${BOUNDARY_START}`)
}

/** How many bytes have to be escaped; of an emoji, which is two codes, a few too many. */
export function escapesIn(text: string): number {
  // A text is cut apart in a tenth of the time that a loop over its characters takes.
  if (isPrintable(text)) return text.split('=').length - 1
  let count = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code > 0x7e) count += code < 0x80 ? 1 : code < 0x800 ? 2 : 3
    else if (code === EQUALS || (code < SPACE && code !== TAB && code !== LF && code !== CR)) count += 1
  }
  return count
}

/** Lines of at most 76 characters that survive every gateway. A line that goes on in the next chunk ends in a soft break. */
export const quotedPrintable = (chunk: TextChunk): string => escapedLines(chunk, asUtf8)

/** The same for a chunk whose characters are bytes (latin1), in whatever charset. */
export const quotedPrintableBytes = (chunk: TextChunk): string => escapedLines(chunk, asBytes)

const asUtf8 = (run: string) => (run === '=' ? '=3D' : encodeURIComponent(run).replaceAll('%', '='))

const asBytes = (run: string) => {
  let spelled = ''
  for (let i = 0; i < run.length; i++) spelled += BYTES[run.charCodeAt(i)]!
  return spelled
}

const BYTES = Array.from({ length: 256 }, (_, byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`)

/** A text in which nothing is left to be escaped but white space at the end of a line: a part of one goes through `quotedLine` with the rest. */
export const escapedText = (text: string): string => text.replace(ESCAPED, asUtf8)

/** What `quotedPrintable` makes of one line, without its end, of which all parts are escaped. */
export function quotedLine(escaped: string): string {
  const last = escaped.at(-1)
  const isWhite = last === ' ' || last === '\t'
  return wrapped(isWhite ? `${escaped.slice(0, -1)}${last === ' ' ? '=20' : '=09'}` : escaped, false)
}

function escapedLines({ lines: text, isOpen }: TextChunk, spell: (run: string) => string): string {
  const spelled = isPrintable(text) ? text.split('=').join('=3D') : text.replace(ESCAPED, spell)
  const escaped = hasWhiteAtLineEnd(spelled)
    ? spelled.replace(AT_LINE_END, (white) => (white === ' ' ? '=20' : '=09'))
    : spelled
  const lines = escaped.split('\r\n')
  const last = lines.length - 1
  const encoded = lines.map((line, index) => wrapped(line, isOpen && index === last)).join('\r\n')
  return isOpen ? `${encoded}${SOFT_BREAK}` : encoded
}

const SOFT_BREAK = '=\r\n'

function wrapped(line: string, isOpen: boolean): string {
  const maxLastLength = isOpen ? MAX_LINE_LENGTH - 1 : MAX_LINE_LENGTH
  if (line.length <= maxLastLength && !line.startsWith(FROM)) return line
  const pieces: string[] = []
  let from = 0
  let isLast = false
  while (!isLast) {
    const isFrom = line.startsWith(FROM, from)
    const maxLength = isFrom ? MAX_LINE_LENGTH - 2 : MAX_LINE_LENGTH
    isLast = line.length - from <= maxLength - (MAX_LINE_LENGTH - maxLastLength)
    const to = isLast ? line.length : characterStart(line, from + maxLength - 1)
    pieces.push(isFrom ? `=46${line.slice(from + 1, to)}` : line.slice(from, to))
    from = to
  }
  return pieces.join(SOFT_BREAK)
}

/** Where the character begins that would be divided here: some readers decode line by line. */
function characterStart(line: string, near: number): number {
  let at = near
  if (line[at - 1] === '=') at -= 1
  else if (line[at - 2] === '=') at -= 2
  // The first of the bytes of a character is none of 80 to BF.
  while (line[at] === '=' && '89AB'.includes(line[at + 1]!)) at -= 3
  return at
}

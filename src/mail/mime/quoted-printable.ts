const [TAB, LF, CR, SPACE, EQUALS, TILDE, CAPITAL_F] = [0x09, 0x0a, 0x0d, 0x20, 0x3d, 0x7e, 0x46]
const HEX = Buffer.from('0123456789ABCDEF')

// One less than a line may have: the last column is for the `=` that continues it.
const COLUMNS = 75

/** Bytes that never stand for themselves; `\r\n` is a line end and does. */
export function isEscaped(byte: number): boolean {
  return byte > TILDE || byte === EQUALS || (byte < SPACE && byte !== TAB && byte !== CR && byte !== LF)
}

/** The text, whose line ends are all `\r\n`, in lines of at most 76 characters that survive every gateway. */
export function quotedPrintable(text: Buffer, escapes: number): Buffer {
  const length = text.length + 2 * escapes
  // Each continued line costs its `=\r\n`, and its first or last byte may need an escape that was not counted.
  const encoded = Buffer.allocUnsafe(length + 8 + Math.ceil(length / (COLUMNS - 2)) * 7)
  let at = 0
  let column = 0
  for (let i = 0; i < text.length; i++) {
    const byte = text[i]!
    if (byte === CR && text[i + 1] === LF) {
      encoded[at++] = CR
      encoded[at++] = LF
      i += 1
      column = 0
      continue
    }
    let mustEscape = isEscaped(byte) || isAtLineEnd(text, i)
    if (column + (mustEscape ? 3 : 1) > COLUMNS) {
      encoded[at++] = EQUALS
      encoded[at++] = CR
      encoded[at++] = LF
      column = 0
    }
    mustEscape ||= column === 0 && startsWithFrom(text, i)
    if (mustEscape) {
      encoded[at++] = EQUALS
      encoded[at++] = HEX[byte >> 4]!
      encoded[at++] = HEX[byte & 15]!
      column += 3
    } else {
      encoded[at++] = byte
      column += 1
    }
  }
  return encoded.subarray(0, at)
}

/** White space at the end of a line is what gateways take away first. */
export function isAtLineEnd(text: Buffer, i: number): boolean {
  const byte = text[i]
  return (byte === SPACE || byte === TAB) && (i + 1 === text.length || text[i + 1] === CR)
}

/** `From ` at the start of a line becomes `>From ` in mail boxes that are one file, and the signature is broken. */
export function startsWithFrom(text: Buffer, i: number): boolean {
  return text[i] === CAPITAL_F && text.toString('latin1', i, i + 5) === 'From '
}

const [DOT, CR, LF] = [0x2e, 0x0d, 0x0a]
const ONE_DOT = Buffer.from('.')
const LINE_WITH_DOT = Buffer.from('\r\n.')

/** So many pieces cost less than a copy. A text of nothing but dots would be two for each of its lines. */
const MAX_PIECES = 200

/**
 * The bytes of a message from `begin` to `end`, in pieces, with another dot before each line that begins with one (RFC 5321,
 * section 4.5.2). Every line of the message ends with CR LF.
 */
export function dotStuffed(message: Buffer, begin = 0, end = message.length): Buffer[] {
  // A line may begin here because of the two bytes before.
  const taken = Math.min(begin, 2)
  const part = message.subarray(begin - taken, end)
  const pieces: Buffer[] = begin === 0 && message[0] === DOT ? [ONE_DOT] : []
  let from = taken
  for (let at = part.indexOf(LINE_WITH_DOT); at >= 0; at = part.indexOf(LINE_WITH_DOT, from + 1)) {
    const dotAt = at + 2
    pieces.push(part.subarray(from, dotAt), ONE_DOT)
    from = dotAt
    if (pieces.length > MAX_PIECES) return [...pieces, stuffedCopy(part, from)]
  }
  return [...pieces, part.subarray(from)]
}

/** Byte by byte, from a dot that has its second one already: a search for each of 40,000 dots would take ten times as long. */
function stuffedCopy(part: Buffer, begin: number): Buffer {
  const copy = Buffer.allocUnsafe(Math.ceil(((part.length - begin) * 4) / 3))
  let length = 0
  for (let at = begin; at < part.length; at++) {
    const byte = part[at]!
    if (byte === DOT && at > begin && part[at - 1] === LF && part[at - 2] === CR) copy[length++] = DOT
    copy[length++] = byte
  }
  return copy.subarray(0, length)
}

/** What ends the message on the wire: a dot in a line of its own. */
export const endOf = (message: Buffer) =>
  message.length === 0 || (message[message.length - 2] === CR && message[message.length - 1] === LF)
    ? END
    : END_OF_OPEN_LINE

const END = Buffer.from('.\r\n')
const END_OF_OPEN_LINE = Buffer.from('\r\n.\r\n')

import type { Writable } from 'node:stream'
import { dotStuffed, endOf } from './dot-stuffing.ts'

/** What the system takes from us at once, more or less; and doubling the dots of so much takes less than a millisecond. */
const PIECE_BYTES = 128 * 1024

/**
 * A message that fits leaves in one write with its end. A larger one leaves piece by piece, each when the system has taken the one
 * before: it can be on its way for minutes, and its end must not be in the pipe already when the time comes to ask for it.
 */
export function writeMessage(
  stream: Writable,
  message: Buffer,
  { mayEnd, onWithdrawn }: { mayEnd: () => boolean; onWithdrawn: () => void },
) {
  if (message.length > PIECE_BYTES) return writePieces(0)
  if (!mayEnd()) return onWithdrawn()
  write(dotStuffed(message), endOf(message))

  function writePieces(begin: number) {
    if (!stream.writable) return
    if (begin >= message.length) return mayEnd() ? void stream.write(endOf(message)) : onWithdrawn()
    const end = begin + PIECE_BYTES
    const pieces = dotStuffed(message, begin, end)
    // Others go first: a system that takes everything at once would keep us here for all of 40 MB.
    write(pieces, '', () => setImmediate(writePieces, end))
  }

  function write(pieces: readonly Buffer[], last: string, onTaken = () => {}) {
    stream.cork()
    for (const piece of pieces) stream.write(piece)
    stream.write(last, onTaken)
    stream.uncork()
  }
}

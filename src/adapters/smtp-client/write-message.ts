import type { Writable } from 'node:stream'
import { dotStuffed, endOf } from './dot-stuffing.ts'

/** What the system takes from us in one piece, more or less. */
export const SINGLE_WRITE_BYTES = 128 * 1024

/** Of a larger one: doubling so many dots takes 5 ms, and encrypting them 1 ms. */
const PIECE_BYTES = 512 * 1024

/**
 * A message that fits leaves in one write with its end. A larger one leaves piece by piece, each when the system has taken the one
 * before: it can be on its way for minutes, and its end must not be in the pipe already when the time comes to ask for it.
 */
export function writeMessage(
  stream: Writable,
  message: Buffer,
  { mayEnd, onWithdrawn, onSent }: { mayEnd: () => boolean; onWithdrawn: () => void; onSent: () => void },
) {
  if (message.length > SINGLE_WRITE_BYTES) return writePieces(stream, message, () => (mayEnd() ? end() : onWithdrawn()))
  if (!mayEnd()) return onWithdrawn()
  // One buffer: a write of several costs more than a copy of what is short.
  stream.write(Buffer.concat([...dotStuffed(message), endOf(message)]), ended)

  function end() {
    stream.write(endOf(message), ended)
  }

  function ended(error: Error | null | undefined) {
    if (!error) onSent()
  }
}

/** Calls back when all was taken. Nobody does when the stream ends before. */
function writePieces(stream: Writable, message: Buffer, onTaken: () => void, begin = 0) {
  if (!stream.writable) return
  if (begin >= message.length) return onTaken()
  const end = begin + PIECE_BYTES
  const pieces = dotStuffed(message, begin, end)
  const last = pieces.pop()!
  stream.cork()
  for (const piece of pieces) stream.write(piece)
  // Others go first: a system that takes everything at once would keep us here for all of 40 MB.
  stream.write(last, () => setImmediate(writePieces, stream, message, onTaken, end))
  stream.uncork()
}

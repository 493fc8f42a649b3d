import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'

/** Does something with a signal that says when the client is gone: what is held for it can be let go of at once. */
export async function whileThere<Result>(
  stream: Readable,
  work: (gone: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { socket } = stream as IncomingMessage
  const gone = new AbortController()
  const leave = () => gone.abort()
  if (socket.destroyed) leave()
  socket.once('close', leave)
  try {
    return await work(gone.signal)
  } finally {
    socket.off('close', leave)
  }
}

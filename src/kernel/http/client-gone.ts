import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'

/** Why work for a client was given up. */
export class ClientGone extends Error {}

/** Does something with a signal that says when the client is gone: what is held for it can be let go of at once. */
export async function whileThere<Result>(
  stream: Readable,
  work: (gone: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { socket } = stream as IncomingMessage
  const gone = new AbortController()
  const leave = () => gone.abort(new ClientGone())
  if (socket.destroyed) leave()
  socket.once('close', leave)
  try {
    return await work(gone.signal)
  } finally {
    socket.off('close', leave)
  }
}

/** Whether the client went away in the middle of its request: that is nobody's mistake, and nobody reads the answer. */
export const isAborted = ({ raw }: FastifyRequest): boolean => raw.destroyed && !raw.complete

/** Nothing is done for a client that was gone before its turn came. */
export function requireClient({ raw }: FastifyRequest) {
  if (raw.socket.destroyed) throw new ClientGone()
}

import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { FairQueue } from '../platform/fair-queue.ts'

/** From here on a body takes the processor for milliseconds: a batch of 100 emails of 5 kB took 8. */
const LARGE_BYTES = 64 * 1024

/**
 * Large bodies wait, unread, until their team has a place. Whatever is parsed keeps everybody from being answered meanwhile, and a
 * single team that sends fifty at a time would fill every turn of the event loop.
 */
export class BodyTurns {
  readonly #queue = new FairQueue({ places: 8, perTenant: 2, waitingPerTenant: 200, waitMs: 30_000 })

  /** Resolves when the body may be read; the place is free again when the request is answered. */
  async admit(team: string, request: FastifyRequest, reply: FastifyReply) {
    if (!isLarge(request)) return
    await new Promise<void>((start, reject) => {
      this.#queue
        .run(team, () => {
          start()
          return ended(reply.raw)
        })
        .catch(reject)
    })
  }
}

const isLarge = ({ headers }: FastifyRequest) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > LARGE_BYTES

function ended(response: ServerResponse): Promise<void> {
  if (response.destroyed || response.writableFinished) return Promise.resolve()
  return new Promise((resolve) => {
    response.once('finish', resolve)
    response.once('close', resolve)
  })
}

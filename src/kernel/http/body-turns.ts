import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { FairQueue } from '../../platform/concurrency/fair-queue.ts'

/** From here on a body takes the processor for milliseconds: a batch of 100 emails of 5 kB took 8. */
const LARGE_BYTES = 64 * 1024

/** A team that asked within this time would feel large bodies of another one. */
const RECENT_MS = 1_000

const SHARE = { slots: 8, waitingPerTenant: 200, waitMs: 30_000 }

/**
 * Large bodies wait, unread, until their team has a slot. Whatever is parsed keeps everybody from being answered meanwhile, and a
 * single team that sends fifty at a time would fill every turn of the event loop. Two at a time are parsed and written side by side,
 * 2,060 emails a second in batches instead of 1,470; with one at a time others feel half as much of it (p99 59 instead of 103 ms).
 * So a team that is alone has two slots.
 */
export class BodyTurns {
  readonly #alone = new FairQueue({ ...SHARE, perTenant: 2 })
  readonly #amongOthers = new FairQueue({ ...SHARE, perTenant: 1 })
  readonly #recent = new RecentTeams()

  /** Null: the body may be read at once. Otherwise resolves when it may; the slot is free again when the request is answered. */
  admit(team: string, request: FastifyRequest, reply: FastifyReply): Promise<void> | null {
    this.#recent.note(team)
    if (!isLarge(request)) return null
    const queue = this.#recent.isAlone(team) ? this.#alone : this.#amongOthers
    return new Promise<void>((start, reject) => {
      queue
        .run(team, () => {
          start()
          return ended(reply.raw)
        })
        .catch(reject)
    })
  }
}

/** The two teams that asked last. */
class RecentTeams {
  #last = { team: '', at: Number.NEGATIVE_INFINITY }
  #before = this.#last

  note(team: string) {
    if (team !== this.#last.team) this.#before = this.#last
    this.#last = { team, at: performance.now() }
  }

  isAlone(team: string): boolean {
    const other = this.#last.team === team ? this.#before : this.#last
    return performance.now() - other.at > RECENT_MS
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

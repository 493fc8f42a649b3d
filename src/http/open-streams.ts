import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { Problem } from './problem.ts'

// A list that is being read has two batches in memory, 400 kB each or, with long items, some megabytes.
const PER_TEAM = 10
const IN_ALL = 50

/** Answers that are written while they are read. One that nobody reads costs memory, so there are only so many of them. */
export class OpenStreams {
  readonly #teams = new Map<string, number>()
  #size = 0

  get size(): number {
    return this.#size
  }

  send(reply: FastifyReply, team: string, pieces: AsyncIterable<string>): FastifyReply {
    const own = this.#teams.get(team) ?? 0
    if (own >= PER_TEAM)
      throw new Problem('rate_limit_exceeded', `Only ${PER_TEAM} long lists of a team can be read at a time.`)
    if (this.#size >= IN_ALL) throw new Problem('service_unavailable', 'Too many long lists are being read. Try again.')
    this.#size++
    this.#teams.set(team, own + 1)
    const stream = Readable.from(pieces, { objectMode: true, highWaterMark: 1 })
    stream.once('close', () => this.#close(team))
    return reply.send(stream)
  }

  #close(team: string) {
    this.#size--
    const own = this.#teams.get(team)! - 1
    if (own > 0) this.#teams.set(team, own)
    else this.#teams.delete(team)
  }
}

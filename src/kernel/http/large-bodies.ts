import { Semaphore } from '../../platform/concurrency/semaphore.ts'
import { MAX_BODY_BYTES } from './json-limits.ts'

const MEGABYTE = 1024 * 1024
/** Of bodies beyond 1 MB so much is in memory at once, as it came; decoding an attachment takes as much again. */
const MAX_TOTAL_BYTES = 192 * MEGABYTE
/** One team can have the largest body that there is in memory, and half of all that there is room for never. */
const MAX_TEAM_BYTES = 80 * MEGABYTE

/** Room for large bodies. Who finds none waits with the body unread, behind others of the same team first. */
export class LargeBodies {
  readonly #all = new Semaphore(MAX_TOTAL_BYTES)
  readonly #teams = new Map<string, { memory: Semaphore; users: number }>()

  /** Runs when there is room for so many bytes; what it returns resolves when they are not needed any more. */
  async hold(team: string, bytes: number, use: () => Promise<void>) {
    const own = this.#teams.get(team) ?? { memory: new Semaphore(MAX_TEAM_BYTES), users: 0 }
    this.#teams.set(team, own)
    own.users++
    try {
      await own.memory.run(bytes, () => this.#all.run(bytes, use))
    } finally {
      if (--own.users === 0) this.#teams.delete(team)
    }
  }
}

export const isLargeBody = (bytes: number) => bytes > MAX_BODY_BYTES

import { setTimeout as delay } from 'node:timers/promises'
import type { Running } from './bring-up.ts'

export interface PostgresLog {
  info(message: string): void
  warn(message: string): void
}

export interface Supervision {
  /** Ends the supervision and hands back what it watched; null if the server is down and could not be brought back. */
  end(): Promise<Running | null>
}

const RETRY_MS = 2_000

/**
 * Brings the server back whenever our lease is lost. The lease is a better sign than the server's process: it tells at once
 * instead of at the next look, and also when a single backend crashed, after which the server drops all connections but keeps running.
 */
export function supervise(first: Running, bringUp: () => Promise<Running>, log: PostgresLog): Supervision {
  let isEnding = false
  let signalEnd = () => {}
  const ending = new Promise<void>((resolve) => {
    signalEnd = resolve
  })

  async function watch() {
    let running: Running | null = first
    while (true) {
      await Promise.race([ending, running ? running.lease.lost : delay(RETRY_MS, undefined, { ref: false })])
      if (isEnding) return running
      if (running) log.warn('database: PostgreSQL dropped our connection; restarting it')
      running = await revive()
    }
  }

  async function revive() {
    const begin = performance.now()
    try {
      const running = await bringUp()
      const how = running.startedHere ? 'started again' : 'up again'
      log.info(`database: PostgreSQL is ${how} after ${Math.round(performance.now() - begin)} ms`)
      return running
    } catch (error) {
      log.warn(`database: restarting PostgreSQL failed, retrying in ${RETRY_MS / 1_000} s: ${(error as Error).message}`)
      return null
    }
  }

  const watched = watch()
  return {
    end() {
      isEnding = true
      signalEnd()
      return watched
    },
  }
}

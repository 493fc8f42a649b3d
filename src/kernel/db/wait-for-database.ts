import { setTimeout as wait } from 'node:timers/promises'
import { mayComeBack } from '../../platform/database-errors.ts'

const ASK_AGAIN_MS = 500

export interface WaitOptions {
  /** From now. 0: it is asked once. */
  readonly waitMs: number
  /** For the one line that is logged, without a password. */
  readonly address: string
  readonly log: { warn(message: string): void }
  /** Nobody waits for it any more. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Does what needs a database, again and again until there is one. What does not change by waiting (a wrong password, a name that no
 * database has) fails at once, and so does everything when the time is over.
 */
export async function whenAnswering<Result>(work: () => Promise<Result>, options: WaitOptions): Promise<Result> {
  const { waitMs, address, log, signal } = options
  const end = performance.now() + waitMs
  let isTold = false
  for (;;) {
    try {
      return await orAborted(work(), signal)
    } catch (error) {
      const leftMs = end - performance.now()
      if (signal?.aborted || leftMs <= 0 || !mayComeBack(error)) throw error
      if (!isTold)
        log.warn(
          `waiting for the database at ${address}, up to ${Math.round(waitMs / 1_000)} s: ${(error as Error).message}`,
        )
      isTold = true
      await orAborted(wait(Math.min(ASK_AGAIN_MS, leftMs)), signal)
    }
  }
}

function orAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

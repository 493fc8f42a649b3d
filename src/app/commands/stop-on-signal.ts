import type { Log } from '../../platform/observability/log.ts'

/** One Ctrl-C under `npm start` comes twice: the terminal sends it to every process, and npm passes its own on. */
const ECHO_MS = 1_000

/** A stop takes 8 s at most; longer is only one in the middle of a start that hangs. */
const STOP_MS = 30_000

/** Ctrl-C and SIGTERM stop cleanly, also in the middle of the start; asking again does not wait. `force`: what to do before an end that is not clean. */
export function stopOnSignal(stop: () => Promise<void>, log: Log, { force = () => {} } = {}) {
  const exitNow = () => {
    force()
    process.exit(1)
  }
  let askedAt: number | null = null
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, async () => {
      if (askedAt !== null) {
        if (performance.now() - askedAt > ECHO_MS) exitNow()
        return
      }
      askedAt = performance.now()
      log.info('service: stopping')
      setTimeout(() => {
        log.error('service: shutdown timed out')
        exitNow()
      }, STOP_MS).unref()
      await stop().catch((error) => log.error({ error }, 'service: shutdown failed'))
      process.exit()
    })
  }
}

import type { Database } from '../../../../kernel/db/database.ts'

const READ_EVERY_MS = 15_000

/**
 * Reads something again when another node says that it has changed, and now and then, until the function that it gives is called: what
 * all nodes keep to is in the database, and each has it in memory, so that no mail asks.
 */
export async function follow(db: Database, channel: string, read: () => Promise<void>): Promise<() => void> {
  const { presence, signals } = db
  let readMs = Number.NEGATIVE_INFINITY
  const refresh = () => {
    readMs = performance.now()
    return read()
  }
  const refreshIfOld = () => {
    if (performance.now() - readMs > READ_EVERY_MS) void refresh()
  }
  presence.on('renewed', refreshIfOld)
  const ignore = signals.watch(channel, () => void refresh())
  await refresh()
  return () => {
    presence.off('renewed', refreshIfOld)
    ignore()
  }
}

import { setTimeout as delay } from 'node:timers/promises'
import type { Running } from './bring-up.ts'
import type { Cluster } from './launch.ts'
import { findPostmaster } from './postmaster.ts'
import { isPostgresOf } from './processes.ts'
import type { PostgresLog } from './supervision.ts'

const PATIENCE_MS = 30_000

/** Gives our place up, and turns off the light if we were the last. */
export async function leave(cluster: Cluster, running: Running | null, log: PostgresLog, withinMs = PATIENCE_MS) {
  // The server may die in this very moment. Then there is nothing to stop.
  const isLast = await running?.lease.becomeLast().catch(() => undefined)
  if (isLast) await stopServer(cluster, log, withinMs)
  if (isLast === false) log.info('PostgreSQL stays up: another process uses it')
  await running?.lease.end()
}

/** The server of a cluster whose users were killed, and which nobody will use again. */
export const stopAbandoned = (folder: string) => stopServer({ folder }, { info() {}, warn() {} })

async function stopServer(cluster: Pick<Cluster, 'folder'>, log: PostgresLog, withinMs = PATIENCE_MS) {
  const postmaster = await findPostmaster(cluster.folder)
  if (!postmaster) return

  // Fast shutdown. SIGTERM would wait for all clients to go by themselves.
  process.kill(postmaster.pid, 'SIGINT')
  const deadline = performance.now() + withinMs
  while (await isPostgresOf(cluster.folder, postmaster.pid)) {
    if (performance.now() > deadline) return log.warn(`PostgreSQL, pid ${postmaster.pid}, is still shutting down`)
    await delay(5)
  }
  log.info('PostgreSQL stopped')
}

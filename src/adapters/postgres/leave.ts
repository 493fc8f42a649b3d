import { setTimeout as delay } from 'node:timers/promises'
import type { Running } from './bring-up.ts'
import type { Cluster } from './launch.ts'
import { findPostmaster } from './postmaster.ts'
import { isPostgresOf } from './processes.ts'
import type { PostgresLog } from './supervision.ts'

const STOP_TIMEOUT_MS = 30_000

/** Releases our lease, and stops the server if it was the last one. */
export async function leave(cluster: Cluster, running: Running | null, log: PostgresLog, withinMs = STOP_TIMEOUT_MS) {
  // The server may die in this very moment. Then there is nothing to stop.
  const isLast = await running?.lease.becomeLast().catch(() => undefined)
  if (isLast) await stopServer(cluster, log, withinMs)
  if (isLast === false) log.info('database: PostgreSQL stays up, another process uses it')
  await running?.lease.end()
}

/** The server of a cluster whose users were killed, and which nobody will use again. */
export const stopAbandoned = (folder: string) => stopServer({ folder }, { info() {}, warn() {} })

async function stopServer(cluster: Pick<Cluster, 'folder'>, log: PostgresLog, withinMs = STOP_TIMEOUT_MS) {
  const postmaster = await findPostmaster(cluster.folder)
  if (!postmaster) return

  // Fast shutdown. SIGTERM would wait for all clients to go by themselves.
  process.kill(postmaster.pid, 'SIGINT')
  const deadline = performance.now() + withinMs
  while (await isPostgresOf(cluster.folder, postmaster.pid)) {
    if (performance.now() > deadline)
      return log.warn(`database: PostgreSQL, pid ${postmaster.pid}, is still shutting down`)
    await delay(5)
  }
  log.info('database: PostgreSQL stopped')
}

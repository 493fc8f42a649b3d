import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { openDataFolder } from '../../platform/settings/data-folder.ts'
import { findBinaries } from './binaries.ts'
import { bringUp } from './bring-up.ts'
import { DATABASE, ensureCluster, SUPERUSER } from './cluster.ts'
import type { Cluster } from './launch.ts'
import { leave } from './leave.ts'
import { PORT } from './settings.ts'
import { type PostgresLog, supervise } from './supervision.ts'

export type { PostgresLog } from './supervision.ts'

export interface EmbeddedPostgres {
  /** What `pg` needs to connect: a socket folder as host, a user and a database. Nothing listens on TCP. */
  readonly connection: { host: string; port: number; user: string; database: string; ssl: false }
  /**
   * Stops the server (fast shutdown), unless another process is still using it: then leaves it running for that one. Waits for its
   * end, within the time.
   */
  stop(withinMs?: number): Promise<void>
}

export interface EmbeddedPostgresOptions {
  /** The product's data folder; the cluster is in `postgres` inside it. */
  dataDir: string
  log: PostgresLog
  /** Settings of the server beside ours, e.g. `fsync: 'off'` for tests. */
  settings?: Record<string, string>
}

/**
 * A PostgreSQL of our own from npm's binaries: made on the first start, shared by all processes that use the same folder,
 * brought back when it dies, and found again when we die.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { log, settings = {} } = options
  const begin = performance.now()
  const binaries = findBinaries()
  openDataFolder(options.dataDir)
  // The real path, because PostgreSQL reports that one and we compare with it.
  const dataDir = realpathSync(options.dataDir)
  const folder = join(dataDir, 'postgres')
  const runAs = await ensureCluster(folder, binaries, settings.fsync)
  const cluster: Cluster = { folder, logFile: join(dataDir, 'postgres.log'), binaries, runAs, settings }

  const running = await bringUp(cluster)
  const how = running.startedHere ? 'started' : 'was running already'
  log.info(`database: PostgreSQL ${binaries.major} ${how}, ready after ${Math.round(performance.now() - begin)} ms`)
  const supervision = supervise(running, () => bringUp(cluster), log)

  let stopped: Promise<void> | undefined
  return {
    // Port and encryption are fixed as well, or PGPORT and PGSSLMODE in the environment would decide.
    connection: { host: running.postmaster.socketFolder, port: PORT, user: SUPERUSER, database: DATABASE, ssl: false },
    stop(withinMs) {
      stopped ??= supervision.end().then((last) => leave(cluster, last, log, withinMs))
      return stopped
    },
  }
}

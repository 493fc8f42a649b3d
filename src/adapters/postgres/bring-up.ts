import { setTimeout as delay } from 'node:timers/promises'
import { type Cluster, type Launch, launchServer, tailOf } from './launch.ts'
import { type Lease, takeLease } from './lease.ts'
import { clearForeignLocks, findPostmaster, type Postmaster } from './postmaster.ts'
import { ensureSocketFolder } from './socket-folder.ts'

const START_TIMEOUT_MS = 30_000
const POLL_MS = 10

// Starting costs a process and a few lines in the log, so not at every look. The backends of a killed server need about
// this long to notice and to go.
const RELAUNCH_MS = 50

/** A server that accepts connections, and our lease of it. */
export interface Running {
  postmaster: Postmaster
  lease: Lease
  startedHere: boolean
}

/**
 * Looks at the cluster again and again until a server answers, and does what the moment asks for:
 * - one runs: use it, whoever started it;
 * - one is starting or stopping: wait;
 * - none runs: start one. Of several starters PostgreSQL lets one through, and the others find that one at their next look.
 */
export async function bringUp(cluster: Cluster): Promise<Running> {
  let launch: Launch | undefined
  let trouble = 'it does not accept connections'
  let deadline = performance.now() + START_TIMEOUT_MS

  while (performance.now() < deadline) {
    const postmaster = await findPostmaster(cluster.folder)
    if (postmaster?.status === 'ready') {
      try {
        const lease = await takeLease(postmaster.socketFolder)
        return { postmaster, lease, startedHere: postmaster.pid === launch?.pid }
      } catch (error) {
        trouble = (error as Error).message
      }
    } else if (postmaster?.status === 'starting') {
      // Recovery after a crash may read a gigabyte of log. Giving up on it would only mean to begin again.
      deadline = performance.now() + START_TIMEOUT_MS
    } else if (!postmaster && (!launch || launch.hasEnded())) {
      if (launch) await refusePermanent(launch)
      launch = await launchAfresh(cluster)
    }
    await delay(POLL_MS)
  }

  if (launch?.pid && !launch.hasEnded()) process.kill(launch.pid, 'SIGQUIT')
  const log = tailOf(cluster.logFile)
  throw new Error(
    `PostgreSQL did not start within ${START_TIMEOUT_MS / 1_000} s: ${trouble}. The end of its log:\n${log}`,
  )
}

async function launchAfresh(cluster: Cluster): Promise<Launch> {
  const socketFolder = ensureSocketFolder(cluster.folder, cluster.runAs)
  await clearForeignLocks(cluster.folder, socketFolder)
  return launchServer(cluster, socketFolder)
}

/** Another starter was faster, or processes of a killed server are still there: both pass. Nothing else does. */
async function refusePermanent(launch: Launch) {
  const reason = launch.reason()
  if (!/lock file|shared memory block/.test(reason))
    throw new Error(`PostgreSQL did not start. The end of its log:\n${reason}`)
  await delay(RELAUNCH_MS)
}

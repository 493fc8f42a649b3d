import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, renameSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive, isPostgresOf } from './processes.ts'
import { socketLockIn } from './socket-folder.ts'

/** The running server of a cluster, as its own file postmaster.pid tells. */
export interface Postmaster {
  pid: number
  /** Where this server listens, whatever we would have chosen. */
  socketFolder: string
  /** Empty for a moment after the file was made. */
  status: string
}

export async function findPostmaster(clusterFolder: string): Promise<Postmaster | null> {
  const lines = readLines(join(clusterFolder, 'postmaster.pid'))
  const pid = Number(lines[0])
  if (!(pid > 0) || !(await isPostgresOf(clusterFolder, pid))) return null
  return { pid, socketFolder: lines[4] ?? '', status: lines[7]?.trim() ?? '' }
}

/**
 * After a crash the two lock files stay. PostgreSQL itself clears them if their process is gone, once it has made sure
 * that no backend still runs; that is left to it. But a process that merely got the same number later (after a reboot, or
 * in a restarted container), or a zombie, keeps it from starting for ever, and such files are removed here.
 */
export async function clearForeignLocks(clusterFolder: string, socketFolder: string) {
  for (const file of [join(clusterFolder, 'postmaster.pid'), socketLockIn(socketFolder)]) {
    const pid = lockOwner(file)
    if (pid && isAlive(pid) && !(await isPostgresOf(clusterFolder, pid))) removeLock(file, pid)
  }
}

/** Moved aside first and looked at again: another starter may just have put a good one in its place, and gets it back. */
function removeLock(file: string, pid: number) {
  const aside = `${file}.${randomUUID()}`
  try {
    renameSync(file, aside)
  } catch {
    return
  }
  try {
    if (lockOwner(aside) !== pid) linkSync(aside, file)
  } finally {
    unlinkSync(aside)
  }
}

/** Negative in the file if the server was started for a single user. */
const lockOwner = (file: string) => Math.abs(Number(readLines(file)[0]))

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

import { createHash } from 'node:crypto'
import { chownSync, lstatSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunAs } from './run-as.ts'
import { PORT } from './settings.ts'
import { canReach, ownerOf } from './users.ts'

// The kernel's limit for the path of a socket is 107 bytes on Linux and 103 on macOS.
const LONGEST_PATH = 103

const socketIn = (folder: string) => join(folder, `.s.PGSQL.${PORT}`)

/** PostgreSQL guards its socket with a file like postmaster.pid. */
export const socketLockIn = (folder: string) => `${socketIn(folder)}.lock`

/**
 * The cluster's own folder, which only the server's user may enter. Where its path is too long for a socket, a folder
 * under the temporary one, whose name follows from the cluster's.
 */
export function ensureSocketFolder(clusterFolder: string, runAs: RunAs): string {
  if (fits(clusterFolder)) return clusterFolder

  const owner = ownerOf(clusterFolder)
  const name = `postwren-${createHash('sha256').update(clusterFolder).digest('hex').slice(0, 16)}`
  const parent = [tmpdir(), '/tmp'].find((parent) => fits(join(parent, name)) && canReach(owner, parent))
  if (!parent) throw new Error(`The path ${clusterFolder} is too long for a socket: set a shorter POSTWREN_DATA_DIR.`)

  const folder = join(parent, name)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const made = lstatSync(folder)
  if (runAs.kind === 'user' && made.isDirectory() && made.uid === 0) chownSync(folder, owner.uid, owner.gid)
  refuseForeign(folder, owner.uid)
  return folder
}

const fits = (folder: string) => Buffer.byteLength(socketIn(folder)) <= LONGEST_PATH

/** Anybody can make folders in /tmp; in one of somebody else's we would talk to their server. */
function refuseForeign(folder: string, uid: number) {
  const found = lstatSync(folder)
  if (found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0) return
  throw new Error(
    `${folder} must be a folder of the user ${uid} with mode 0700: remove it or shorten POSTWREN_DATA_DIR.`,
  )
}

import { execFile } from 'node:child_process'
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type Binaries, NoEmbeddedPostgres } from './binaries.ts'
import { isAlive } from './processes.ts'
import { commandFor, type RunAs, refuseForeignOwner, runAsForNewCluster, runAsOwner } from './run-as.ts'

export const SUPERUSER = 'postwren'
export const DATABASE = 'postwren'

/** Makes the cluster if there is none, and refuses one that we cannot run. `fsync` is the server's setting of that name. */
export async function ensureCluster(folder: string, binaries: Binaries, fsync: string = 'on'): Promise<RunAs> {
  if (existsSync(folder)) refuseForeignOwner(folder)
  if (!isCluster(folder)) await createCluster(folder, binaries, fsync)
  refuseOtherMajor(folder, binaries)
  return runAsOwner(folder, binaries)
}

export function refuseOtherMajor(folder: string, binaries: Binaries) {
  const major = readFileSync(join(folder, 'PG_VERSION'), 'utf8').trim()
  if (major === binaries.major) return
  throw new Error(
    `${folder} was made by PostgreSQL ${major}, but this is PostgreSQL ${binaries.major}: ` +
      'go back to the Postwren that made it, or set POSTWREN_DATABASE_URL or another POSTWREN_DATA_DIR.',
  )
}

const isOccupied = (folder: string) => existsSync(folder) && readdirSync(folder).length > 0

export const isCluster = (folder: string) => existsSync(join(folder, 'PG_VERSION'))

export function refuseOccupied(folder: string) {
  if (!isOccupied(folder) || isCluster(folder)) return
  throw new Error(
    `${folder} holds something else than a PostgreSQL cluster: move it away, or set another POSTWREN_DATA_DIR.`,
  )
}

/**
 * initdb works on a draft that is renamed when it is complete: a kill in between leaves no half cluster behind, and of
 * several starters exactly one gets its draft in. The others find a cluster then, and use it.
 */
async function createCluster(folder: string, binaries: Binaries, fsync: string) {
  refuseOccupied(folder)
  const runAs = await runAsForNewCluster(dirname(folder), binaries)
  const draft = mkdtempSync(`${folder}.init-${process.pid}-`)
  try {
    if (runAs.kind === 'user') chownSync(draft, runAs.user.uid, runAs.user.gid)
    const { file, args, options } = commandFor(runAs, binaries.initdb, initdbArguments(draft, fsync))
    await promisify(execFile)(file, args, options)
    renameSync(draft, folder)
    syncFolder(dirname(folder))
    await removeAbandonedDrafts(folder)
  } catch (error) {
    if (isCluster(folder)) return
    // The file is there, so what was not found is its loader: Alpine, for one, has another C library.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new NoEmbeddedPostgres('The binaries of the embedded PostgreSQL need a system with glibc', { cause: error })
    throw new Error(`PostgreSQL could not make its cluster in ${folder}: ${reasonOf(error)}`, { cause: error })
  } finally {
    await removeDraft(draft)
  }
}

function initdbArguments(draft: string, fsync: string): string[] {
  return [
    `--pgdata=${draft}`,
    `--username=${SUPERUSER}`,
    // Safe, because the only way in is a socket in a folder that nobody else can enter.
    '--auth=trust',
    // The same order of text on every system, and no locale of the system needed.
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    // Nobody wants to keep it: then it is made quickly, and small.
    ...(fsync === 'off' ? ['--no-sync', '--wal-segsize=1'] : []),
  ]
}

/** Without this a power cut could take the rename back after mail was accepted into the cluster. */
function syncFolder(folder: string) {
  const descriptor = openSync(folder, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/**
 * Removes what killed starters left. Not the drafts of slower ones: their initdb would break off without giving its shared
 * memory back, and they remove them in turn.
 */
async function removeAbandonedDrafts(folder: string) {
  for (const name of readdirSync(dirname(folder))) {
    const [, pid] = /\.init-(\d+)-/.exec(name) ?? []
    if (pid && !isAlive(Number(pid))) await removeDraft(join(dirname(folder), name))
  }
}

const removeDraft = (draft: string) => rm(draft, { recursive: true, force: true })

function reasonOf(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string }
  return stderr?.trim() || message
}

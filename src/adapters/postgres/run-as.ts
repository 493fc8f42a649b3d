import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Binaries } from './binaries.ts'
import { canReach, findUser, ownerOf, type User } from './users.ts'

/**
 * Who runs the server. PostgreSQL refuses to be root, so root has two ways out:
 * - `user`: another user of this machine, if the folders let that user in;
 * - `namespace`: a user namespace in which root looks like somebody else. For the kernel it stays root without its
 *   privileges, so it reads and writes what root owns, and nothing has to be copied or given away.
 */
export type RunAs = { kind: 'self' } | { kind: 'user'; user: User } | { kind: 'namespace' }

const ROOT = { uid: 0, gid: 0 }

export function refuseForeignOwner(clusterFolder: string) {
  const { uid, name } = ownerOf(clusterFolder)
  const ownUid = process.getuid?.()
  if (ownUid === 0 || ownUid === uid) return
  throw new Error(`${clusterFolder} belongs to the user ${name}: start Postwren as ${name} or set POSTWREN_DATA_DIR.`)
}

/** An existing cluster keeps the way it was made, which its owner tells. */
export async function runAsOwner(clusterFolder: string, binaries: Binaries): Promise<RunAs> {
  if (process.getuid?.() !== 0) return { kind: 'self' }
  const owner = ownerOf(clusterFolder)
  if (owner.uid !== 0) return { kind: 'user', user: owner }
  if (await namespacesWork(binaries)) return { kind: 'namespace' }
  throw new Error(
    `PostgreSQL refuses to run as root, and without user namespaces (unshare) it cannot use ${clusterFolder}, which is ` +
      `root's: give that folder to another user (chown -R), or set POSTWREN_DATABASE_URL.`,
  )
}

/** The least surprising way that works for a new cluster in this folder. */
export async function runAsForNewCluster(dataDir: string, binaries: Binaries): Promise<RunAs> {
  if (process.getuid?.() !== 0) return { kind: 'self' }

  // The folder's owner is for `sudo npm start` in a home folder of mode 0750, which neither of the usual users can enter,
  // nor root in a namespace, where it has no privileges.
  const candidates = [findUser('postgres'), findUser('nobody'), findUser(ownerOf(dataDir).uid)]
  const users = candidates.flatMap((user) => (user && user.uid !== 0 ? [user] : []))
  const user = users.find((user) => canReach(user, dataDir) && canReach(user, binaries.postgres))
  if (user) return { kind: 'user', user }

  if (canReach(ROOT, dataDir) && (await namespacesWork(binaries))) return { kind: 'namespace' }

  const name = users[0]?.name ?? 'nobody'
  throw new Error(
    `PostgreSQL refuses to run as root, and the user ${name} cannot reach both ${dataDir} and ${binaries.postgres}: ` +
      `move the checkout and set POSTWREN_DATA_DIR to folders that ${name} can reach, or set POSTWREN_DATABASE_URL.`,
  )
}

/** Needs util-linux and a kernel that allows user namespaces; many containers forbid them. */
async function namespacesWork(binaries: Binaries): Promise<boolean> {
  const { file, args, options } = commandFor({ kind: 'namespace' }, binaries.postgres, ['--version'])
  return promisify(execFile)(file, args, options).then(
    () => true,
    () => false,
  )
}

export function commandFor(runAs: RunAs, binary: string, binaryArgs: string[]) {
  // A short environment: PG* variables and the locale of whoever starts us must not change the cluster.
  // Started in `/`, because the server's user may not be allowed into our own working folder.
  const options = { cwd: '/', env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' } }
  switch (runAs.kind) {
    case 'self':
      return { file: binary, args: binaryArgs, options }
    case 'user':
      return { file: binary, args: binaryArgs, options: { ...options, uid: runAs.user.uid, gid: runAs.user.gid } }
    case 'namespace': {
      // initdb looks its user up in /etc/passwd, so the number must be there; in the namespace it is only a label.
      const { uid, gid } = findUser('nobody') ?? { uid: 65_534, gid: 65_534 }
      const mapping = ['--user', `--map-user=${uid}`, `--map-group=${gid}`]
      return { file: 'unshare', args: [...mapping, binary, ...binaryArgs], options }
    }
    default:
      return runAs satisfies never
  }
}

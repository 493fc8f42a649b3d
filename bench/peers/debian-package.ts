import { execFile, spawn } from 'node:child_process'
import { cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { atEnd } from '../cleanup.ts'
import { descendantPids } from '../processes.ts'
import { note } from '../progress.ts'
import { PEERS_FOLDER } from './folder.ts'

const run = promisify(execFile)
const MAX_DOWNLOAD_MS = 5 * 60_000

export interface DebianPackage {
  readonly folder: string
  readonly version: string
}

/**
 * Downloads a package with what it needs and unpacks it, without installing it: mail servers of Debian exclude each other, and the one of
 * this machine stays.
 */
export async function downloadDebianPackage(name: string): Promise<DebianPackage> {
  if (userInfo().uid !== 0) throw new Error('a package of Debian can only be run from a folder of its own by root')
  const folder = join(PEERS_FOLDER, name)
  if (!existsSync(folder)) await download(name, folder)
  const main = readdirSync(folder).find((file) => file.startsWith(`${name}_`))!
  const { stdout } = await run('dpkg-deb', ['--field', join(folder, main), 'Version'])
  return { folder, version: stdout.trim() }
}

async function download(name: string, folder: string) {
  const partial = `${folder}.partial`
  rmSync(partial, { recursive: true, force: true })
  mkdirSync(join(partial, 'partial'), { recursive: true })
  note(`apt-get download ${name} into ${folder}`)
  const options = ['--yes', '--download-only', '--no-install-recommends', '-o', `Dir::Cache::archives=${partial}`]
  await run('apt-get', [...options, 'install', name], { timeout: MAX_DOWNLOAD_MS })
  for (const file of readdirSync(partial).filter((file) => file.endsWith('.deb')))
    await run('dpkg-deb', ['--extract', join(partial, file), join(partial, 'files')])
  mergeUsr(join(partial, 'files'))
  renameSync(partial, folder)
}

/** `/lib` is a link to `/usr/lib` here: a folder of that name would hide it, and with it the loader of every program. */
function mergeUsr(files: string) {
  for (const name of ['bin', 'lib', 'lib64', 'sbin']) {
    const folder = join(files, name)
    if (!existsSync(folder) || !lstatSync(`/${name}`, { throwIfNoEntry: false })?.isSymbolicLink()) continue
    cpSync(folder, join(files, 'usr', name), { recursive: true, verbatimSymlinks: true })
    rmSync(folder, { recursive: true })
  }
}

/**
 * Runs a program of the package as if it were installed: over this machine's files lie those of the package and what the program writes, in
 * a mount and process namespace that is gone with it. Only the spool is a plain folder, so that the overlay costs no message anything.
 */
export function startDebianProgram(
  { folder }: DebianPackage,
  { users, spool, prepare, command }: { users: readonly string[]; spool: string; prepare: string; command: string },
) {
  const own = mkdtempSync(join(tmpdir(), 'postwren-peer-'))
  for (const name of ['root', 'work', 'spool']) mkdirSync(join(own, name))
  cpSync(join(folder, 'files'), join(own, 'written'), {
    recursive: true,
    verbatimSymlinks: true,
    preserveTimestamps: true,
  })
  const addUsers = users.map(
    (user, index) => `
    echo '${user}:x:${FIRST_UID + index}:${FIRST_UID + index}::/nonexistent:/usr/sbin/nologin' >> etc/passwd
    echo '${user}:x:${FIRST_UID + index}:' >> etc/group`,
  )
  const script = `set -e
    mount --make-rprivate /
    mount -t overlay overlay -o lowerdir=/,upperdir=${own}/written,workdir=${own}/work ${own}/root
    cd ${own}/root
    mount -t proc proc proc
    mount --rbind /dev dev
    mkdir -p .${spool}
    mount --bind ${own}/spool .${spool}
    rm -f etc/resolv.conf # nobody is asked for names: a server that does not answer costs seconds
    echo 'nameserver 127.0.0.1' > etc/resolv.conf
    echo 'hosts: files' > etc/nsswitch.conf
    ${addUsers.join('\n')}
    ${prepare}
    exec chroot . ${command}`
  const flags = ['--mount', '--pid', '--fork', '--kill-child', 'bash', '-c', script]
  const child = spawn('unshare', flags, { detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-500)
  })
  const stop = atEnd(async () => {
    // The first process of the namespace takes all others with it.
    const [, first] = descendantPids(child.pid!)
    if (first && child.exitCode === null) process.kill(first, 'SIGKILL')
    await ended
    rmSync(own, { recursive: true, force: true })
  })
  return { pid: child.pid!, hasEnded: () => child.exitCode !== null, said: () => said.trim(), stop }
}

const FIRST_UID = 60_900

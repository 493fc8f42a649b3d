import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { atEnd } from '../../../bench/cleanup.ts'
import { freePort } from '../../../bench/service.ts'

/** A public server that speaks the contract, or a part of it. */
export interface Peer {
  readonly name: string
  readonly version: string
  /** Its program, below the folder of its package, and its words. */
  command(port: number): readonly string[]
  readonly about: string
}

/** A Node that is new enough for all of them. */
const NODE_VERSION = '22.23.3'

export const PEERS: readonly Peer[] = [
  {
    ...{ name: 'emulate', version: '0.12.2', about: 'an emulator of many services, in memory' },
    command: (port) => ['dist/index.js', '--service', 'resend', '--port', String(port)],
  },
  {
    ...{ name: 'resend-local', version: '0.0.7', about: 'a local server that shows what was sent' },
    command: (port) => ['dist/starter.js', '-p', String(port)],
  },
]

const START_MS = 60_000
const POLL_MS = 100

/** Installed once, in a folder of the system that is named after what is in it. */
function installed({ name, version }: Peer): string {
  const folder = join(tmpdir(), `postwren-peer-${name}-${version}`)
  if (existsSync(join(folder, '.installed'))) return folder
  console.error(`Installing ${name} ${version} …`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const words = ['install', `${name}@${version}`, `node@${NODE_VERSION}`, '--no-audit', '--no-fund', '--loglevel=error']
  // The package `node` puts its program in place with a script.
  const done = spawnSync('npm', words, { cwd: folder, stdio: ['ignore', 2, 2] })
  if (done.status !== 0) throw new Error(`npm could not install ${name} ${version}; its own message is above.`)
  writeFileSync(join(folder, '.installed'), '')
  return folder
}

/** Where it listens. */
export async function startPeer(peer: Peer): Promise<string> {
  const folder = installed(peer)
  const port = await freePort()
  const [program, ...words] = peer.command(port)
  const node = join(folder, 'node_modules', 'node', 'bin', 'node')
  const child = spawn(node, [join(folder, 'node_modules', peer.name, program!), ...words], {
    ...{ cwd: folder, stdio: 'ignore', detached: true },
  })
  atEnd(() => end(child))
  const url = `http://127.0.0.1:${port}`
  const deadline = performance.now() + START_MS
  while (performance.now() < deadline && child.exitCode === null) {
    // Any answer: what it is, the suite finds out.
    if (
      await fetch(`${url}/emails`).then(
        () => true,
        () => false,
      )
    )
      return url
    await delay(POLL_MS)
  }
  throw new Error(`${peer.name} ${peer.version} did not start.`)
}

/** With what it has started itself. */
async function end(child: ChildProcess) {
  if (child.exitCode !== null) return
  const closed = once(child, 'exit')
  process.kill(-child.pid!, 'SIGKILL')
  await closed
}

export const ownVersion = () => (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version

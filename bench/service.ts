import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { atEnd } from './cleanup.ts'

export const API_KEY = 're_key_of_the_benchmarks'
export const AUTHORIZATION = { authorization: `Bearer ${API_KEY}` }

const START_PATIENCE_MS = 60_000
const STOP_PATIENCE_MS = 30_000
const POLL_MS = 5

export interface Service {
  readonly url: string
  readonly pid: number
  /** From the command to the first good answer of `/health`. */
  readonly startMs: number
  stop(): Promise<void>
}

const COMMANDS = {
  /** The process is the service itself, so its memory and CPU can be looked at. */
  'postwren serve': [process.execPath, 'bin/postwren.mjs', 'serve'],
  'npm start': [process.platform === 'win32' ? 'npm.cmd' : 'npm', 'start'],
} as const

/** Starts the built service as a user does, with nothing of ours but a data folder, a port and a key. */
export async function startService(
  dataDir: string,
  command: keyof typeof COMMANDS,
  settings: Record<string, string> = {},
  { checkout = '.', nodeFlags = [] }: { checkout?: string; nodeFlags?: readonly string[] } = {},
): Promise<Service> {
  if (!existsSync(join(checkout, 'bin/postwren.mjs')))
    throw new Error('Run the benchmark in the folder of the checkout.')
  const port = await freePort()
  const [file, ...words] = COMMANDS[command]
  const begin = performance.now()
  const child = spawn(file, [...nodeFlags, ...words], {
    cwd: checkout,
    env: {
      ...withoutSettings(process.env),
      POSTWREN_DATA_DIR: resolve(dataDir),
      POSTWREN_PORT: String(port),
      POSTWREN_API_KEY: API_KEY,
      POSTWREN_SMTP_PORT: '0',
      POSTWREN_RATE_LIMIT: '0',
      ...settings,
    },
    // A group of its own: Ctrl-C in a terminal would reach it directly otherwise, and our own signal after it would be
    // the second one, which does not wait for a clean stop.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const stop = atEnd(() => end(child))
  const url = `http://127.0.0.1:${port}`
  await healthy(url, child)
  return { url, pid: child.pid!, startMs: performance.now() - begin, stop }
}

function withoutSettings(environment: NodeJS.ProcessEnv) {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('POSTWREN_')))
}

async function healthy(url: string, child: ChildProcess) {
  let said = ''
  child.stderr!.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-2_000)
  })
  const deadline = performance.now() + START_PATIENCE_MS
  while (performance.now() < deadline && child.exitCode === null) {
    const isHealthy = await fetch(`${url}/health`).then(
      (reply) => reply.ok,
      () => false,
    )
    if (isHealthy) return
    await delay(POLL_MS)
  }
  throw new Error(`The service did not start. What it said:\n${said}`)
}

/** As Ctrl-C does: `npm start` is three processes, and a signal to npm alone would leave the service running. */
async function end(child: ChildProcess) {
  const deadline = performance.now() + STOP_PATIENCE_MS
  signalGroup(child, 'SIGINT')
  while (signalGroup(child, 0)) {
    if (performance.now() > deadline) signalGroup(child, 'SIGKILL')
    await delay(POLL_MS)
  }
}

/** False when nobody is left in it. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-child.pid!, signal)
  } catch {
    return false
  }
}

/** Chosen here and not by the service, because the time to its first answer is measured: we have to know where to ask. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface StartOptions {
  /** HTTP port. A free one unless said. */
  readonly port?: number
  /** SMTP port. A free one unless said. */
  readonly smtpPort?: number
  /** More settings, like `{ POSTWREN_RATE_LIMIT: '0' }`. Those of the environment do not count. */
  readonly settings?: Readonly<Record<string, string>>
}

/** A Postwren for tests. It ends with this process, however that ends, and leaves nothing behind. */
export interface Postwren {
  readonly url: string
  readonly smtp: { readonly host: string; readonly port: number }
  /** Full access to the first team: it can make sandboxes. */
  readonly apiKey: string
  stop(): Promise<void>
}

const HOST = '127.0.0.1'
/** From `dist-testing`, where this is built to. */
const PROGRAM = join(__dirname, '../bin/postwren.mjs')
/** A stop takes 12 s at most, whatever hangs. */
const STOP_MS = 15_000
const MAX_TAIL_BYTES = 4_000

/**
 * Starts a Postwren with an empty database on free ports: about a second, two and a half the first time on a machine. `POSTWREN_URL` and
 * `POSTWREN_API_KEY` are set in the environment, so that `sandbox()` finds it in this process and in those that are started later.
 */
export async function startPostwren(options: StartOptions = {}): Promise<Postwren> {
  const { port = 0, smtpPort = 0, settings = {} } = options
  const apiKey = settings.POSTWREN_API_KEY ?? `re_${randomBytes(24).toString('base64url')}`
  const log = openLog()
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--temporary'], {
    // Away from any .env of the application.
    cwd: __dirname,
    env: {
      ...otherSettings(),
      POSTWREN_HOST: HOST,
      POSTWREN_PORT: String(port),
      POSTWREN_SMTP_PORT: String(smtpPort),
      POSTWREN_LOG_LEVEL: 'warn',
      ...settings,
      POSTWREN_API_KEY: apiKey,
    },
    stdio: ['ignore', log, log, 'ipc'],
    // Ctrl-C is for the tests: they still tidy up afterwards, and stop it then. It ends with them in any case.
    detached: true,
    windowsHide: true,
  })
  const ports = await ready(child, log)
  // Neither keeps the tests from ending; the child notices that the channel is gone, and stops.
  child.unref()
  child.channel?.unref()
  const url = `http://${HOST}:${ports.port}`
  process.env.POSTWREN_URL = url
  process.env.POSTWREN_API_KEY = apiKey
  return { url, smtp: { host: HOST, port: ports.smtpPort }, apiKey, stop: () => stop(child, { url, apiKey }) }
}

/**
 * A file without a name, and not a pipe: what writes to a pipe that nobody reads any more fails, also while it stops. It is gone when
 * nobody has it open.
 */
function openLog(): number {
  const path = join(tmpdir(), `postwren-log-${process.pid}-${randomBytes(6).toString('hex')}`)
  const log = openSync(path, 'wx+', 0o600)
  unlinkSync(path)
  return log
}

function endOfLog(log: number): string {
  const { size } = fstatSync(log)
  const tail = Buffer.alloc(Math.min(size, MAX_TAIL_BYTES))
  readSync(log, tail, 0, tail.length, size - tail.length)
  return tail.toString().trim()
}

/** Settings of the application's own Postwren, or of the one that was started before, are not those of this one. */
const otherSettings = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('POSTWREN_')))

interface Ports {
  port: number
  smtpPort: number
}

function ready(child: ChildProcess, log: number): Promise<Ports> {
  let isReady = false
  return new Promise((resolve, reject) => {
    child.once('message', (ports) => {
      isReady = true
      resolve(ports as Ports)
    })
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      const ending = `${signal ?? `exit ${code}`}\n${endOfLog(log)}`
      closeSync(log)
      if (!isReady) reject(new Error(`Postwren ended instead of starting: ${ending}`))
      else if (!stopping.has(child)) process.stderr.write(`Postwren has ended, and nobody has stopped it: ${ending}\n`)
    })
  })
}

const stopping = new WeakSet<ChildProcess>()

async function stop(child: ChildProcess, { url, apiKey }: { url: string; apiKey: string }) {
  if (process.env.POSTWREN_URL === url) delete process.env.POSTWREN_URL
  if (process.env.POSTWREN_API_KEY === apiKey) delete process.env.POSTWREN_API_KEY
  if (child.exitCode !== null || child.signalCode !== null) return
  stopping.add(child)
  child.ref()
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill('SIGTERM')
  const impatience = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  await ended
  clearTimeout(impatience)
}

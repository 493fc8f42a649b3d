import { appendFileSync, chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { inject } from 'vitest'
import type { Changes, Condition } from './changes.ts'
import { copyCluster } from './postgres/cluster.ts'
import { isRunning, killServer, stopLeftover } from './postgres/server.ts'
import { atEndOf, type Lifetime, POSTWREN, Program, type ProgramOptions } from './program.ts'
import { watchStored } from './stored.ts'

export interface Reply {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: answers are compared with what a test expects of them
  readonly body: any
}

export interface ServiceOptions extends Omit<ProgramOptions, 'environment'> {
  readonly dataDir?: string
  readonly settings?: Record<string, string>
  /** What starts it; `postwren serve` unless said otherwise. */
  readonly command?: readonly string[]
}

/** A running `postwren serve`, on a free port. */
export class Service extends Program {
  readonly dataDir: string
  readonly #settings: Record<string, string>
  readonly #lifetime: Lifetime
  #stored: Promise<Changes> | null = null

  private constructor(dataDir: string, options: ServiceOptions) {
    const { command = [...POSTWREN, 'serve'], settings = {}, ...rest } = options
    super(command, {
      ...rest,
      environment: { POSTWREN_PORT: '0', POSTWREN_SMTP_PORT: '0', POSTWREN_DATA_DIR: dataDir, ...settings },
    })
    this.dataDir = dataDir
    this.#settings = settings
    this.#lifetime = options.lifetime ?? 'test'
  }

  /** Begins to start it. */
  static async launch(options: ServiceOptions = {}): Promise<Service> {
    return new Service(options.dataDir ?? dataFolder(options), options)
  }

  /** Starts it and waits for its start-up text. */
  static async start(options: ServiceOptions = {}): Promise<Service> {
    const service = await Service.launch(options)
    await service.running()
    return service
  }

  async running() {
    await this.until(() => this.hasEnded || /^ {2}Database /m.test(this.stdout))
    if (this.hasEnded) throw new Error(`The service ended instead of starting:\n${this.stderr}`)
  }

  /**
   * Resolves once the condition holds; looked at whenever the service has written what its workers write. The database is the embedded one
   * of this service, and nobody kills it meanwhile.
   */
  async stored(condition: Condition, withinMs?: number): Promise<void> {
    this.#stored ??= watchStored(this.dataDir, this.#lifetime)
    await (await this.#stored).until(condition, withinMs)
  }

  /** Where it listens, as it says itself. */
  get url(): string {
    return /^ {2}(?:API|Health) +(http:\/\/[^/\s]+)/m.exec(this.stdout)![1]!
  }

  /** Where it takes mail. */
  get smtpPort(): number {
    return Number(/^ {2}SMTP +\S+?:(\d+)/m.exec(this.stdout)![1])
  }

  /** Full access to the first team. */
  get token(): string {
    return this.#settings.POSTWREN_API_KEY ?? readFileSync(join(this.dataDir, 'api-key'), 'utf8').trim()
  }

  /** SIGTERM, and waits for the exit code. */
  stop(): Promise<number | string> {
    this.signal('SIGTERM')
    return this.ended()
  }

  call(method: string, path: string, body?: unknown, token = this.token): Promise<Reply> {
    return call({ url: this.url, token }, method, path, body)
  }
}

/** One call over HTTP. Any answer that is not JSON is an error. */
export async function call(
  at: { url: string; token: string },
  method: string,
  path: string,
  body?: unknown,
): Promise<Reply> {
  const reply = await fetch(`${at.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${at.token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: reply.status, headers: reply.headers, body: await reply.json() }
}

/** A folder of its own. Whatever PostgreSQL still runs in `data` inside it in the end is stopped, then it is removed. */
export function temporaryFolder(options: { lifetime?: Lifetime; mode?: number } = {}): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'postwren-e2e-'))
  // Others may enter by default: as root the database runs as another user.
  chmodSync(folder, options.mode ?? 0o755)
  atEndOf(options.lifetime ?? 'test', async () => {
    const cluster = join(folder, 'data', 'postgres')
    if (existsSync(cluster)) await stopLeftover(cluster)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return folder
}

/**
 * A data folder with a migrated database in it, which saves the two seconds that initdb and migrating take. Unless it is to be
 * durable nothing in it waits for the disk.
 */
export function dataFolder(options: { lifetime?: Lifetime; isDurable?: boolean; isMigrated?: boolean } = {}): string {
  const { isDurable = false, isMigrated = true } = options
  const folder = join(temporaryFolder(options), 'data')
  copyCluster(inject('clusters')[isMigrated ? 'migrated' : 'empty'], folder)
  if (!isDurable) appendFileSync(join(folder, 'postgres', 'postgresql.conf'), 'fsync = off\n')
  return folder
}

export const isDatabaseRunning = (dataDir: string) => isRunning(dataDir)

/** kill -9, and waits until it is gone. */
export const killDatabase = (dataDir: string) => killServer(join(dataDir, 'postgres'))

/** Most looks are requests, of some 5 ms of CPU on both sides: one after the other they would keep a core busy that others wait for. */
const LOOK_EVERY_MS = 50

/**
 * Looks again and again until it is so. Patient, since a machine may be busy. Where a time is promised, what counts is when a look
 * began: one that took long does not say that the promise was broken.
 */
export async function eventually(condition: () => boolean | Promise<boolean>, withinMs = 45_000) {
  const deadline = Date.now() + withinMs
  for (;;) {
    const begin = Date.now()
    if (await condition()) return
    if (begin > deadline) throw new Error(`Not within ${withinMs} ms: ${condition}`)
    await delay(LOOK_EVERY_MS)
  }
}

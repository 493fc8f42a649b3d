import { type ChildProcess, fork } from 'node:child_process'
import { EventEmitter } from 'node:events'
import type { Log } from '../../../platform/observability/log.ts'
import type { Exchange, Judged } from './exchange.ts'

/** What the two processes say to each other. */
export type ToMirror = { readonly exchange: Exchange } | { readonly stop: true }
export type FromMirror =
  | { readonly ready: { readonly keyHashSecret: Uint8Array } }
  | { readonly number: number; readonly judged: Judged | null }

const FIRST_RESTART_MS = 1_000
const LAST_RESTART_MS = 60_000
/** A call that our side has not answered for by then: the process hangs. */
const HUNG_MS = 120_000
const STOP_MS = 15_000

interface Waiting {
  resolve(judged: Judged): void
  reject(error: Error): void
  readonly timer: NodeJS.Timeout
}

export interface MirrorProcessOptions {
  readonly program: string
  readonly words: readonly string[]
  readonly log: Log
}

/**
 * Our side, in a process of its own: whatever it takes, and however it ends, the application's calls are answered. One that ends is started
 * again, a while later each time.
 */
export class MirrorProcess extends EventEmitter<{ ready: []; failed: [] }> {
  readonly #options: MirrorProcessOptions
  readonly #waiting = new Map<number, Waiting>()
  #child: ChildProcess | null = null
  #secret: Uint8Array | null = null
  #isReady = false
  #isStopping = false
  #restartMs = FIRST_RESTART_MS
  #restart: NodeJS.Timeout | null = null

  constructor(options: MirrorProcessOptions) {
    super()
    this.#options = options
  }

  /** What keys are hashed with; null before our side was there for the first time. */
  get keyHashSecret(): Uint8Array | null {
    return this.#secret
  }

  get isReady() {
    return this.#isReady
  }

  start() {
    const { program, words } = this.#options
    // Its output is for the log; what it says to people before it is ready is for them.
    const child = fork(program, words, { serialization: 'advanced', stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    this.#child = child
    child.on('message', (message) => this.#take(message as FromMirror))
    child.on('exit', () => this.#ended(child))
    child.on('error', () => this.#ended(child))
  }

  judge(exchange: Exchange): Promise<Judged> {
    return new Promise((resolve, reject) => {
      const child = this.#child
      if (!child?.connected || !this.#isReady) return reject(new Error('our side is away'))
      const timer = setTimeout(() => child.kill('SIGKILL'), HUNG_MS)
      this.#waiting.set(exchange.number, { resolve, reject, timer })
      child.send({ exchange } satisfies ToMirror, (error) => error && this.#settle(exchange.number, null))
    })
  }

  async stop() {
    this.#isStopping = true
    if (this.#restart) clearTimeout(this.#restart)
    const child = this.#child
    if (!child) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    const force = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
    if (child.connected) child.send({ stop: true } satisfies ToMirror, () => {})
    await ended
    clearTimeout(force)
  }

  #take(message: FromMirror) {
    if ('number' in message) return this.#settle(message.number, message.judged)
    this.#secret = message.ready.keyHashSecret
    this.#isReady = true
    this.#restartMs = FIRST_RESTART_MS
    this.emit('ready')
  }

  #settle(number: number, judged: Judged | null) {
    const waiting = this.#waiting.get(number)
    if (!waiting) return
    this.#waiting.delete(number)
    clearTimeout(waiting.timer)
    if (judged) waiting.resolve(judged)
    else waiting.reject(new Error('our side is away'))
  }

  #ended(child: ChildProcess) {
    if (child !== this.#child) return
    this.#child = null
    this.#isReady = false
    for (const number of [...this.#waiting.keys()]) this.#settle(number, null)
    if (this.#isStopping) return
    // Never there: a matter of settings, which it has named.
    if (!this.#secret) return void this.emit('failed')
    this.#options.log.error(
      `proxy: our side ended; calls are answered, and not compared until it is back in ${this.#restartMs / 1_000} s`,
    )
    this.#restart = setTimeout(() => this.start(), this.#restartMs)
    this.#restartMs = Math.min(2 * this.#restartMs, LAST_RESTART_MS)
  }
}

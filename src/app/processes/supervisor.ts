import cluster, { type Worker } from 'node:cluster'
import type { Log } from '../../platform/observability/log.ts'
import { closeWithProcess } from './handed-connections.ts'
import { ListeningPorts } from './listening-ports.ts'
import type { ToMember, ToSupervisor } from './messages.ts'
import { type Answerer, Questions } from './questions.ts'

/** The first restart, and the longest wait before one; each death soon after the start doubles it. */
const MIN_RESTART_MS = 500
const MAX_RESTART_MS = 30_000
/** A process that ran for so long did not die of its start. */
const STABLE_MS = 60_000
/** For connections that were taken when a stop is asked for to be handed to processes that still take them. */
const HAND_OUT_MS = 100

interface Member extends Answerer {
  readonly number: number
  readonly worker: Worker
  readonly launchedAt: number
  hasStarted: boolean
}

/**
 * Runs several processes behind the same ports: starts the first, which makes what there is to make, then the others; starts again what dies;
 * and ends when all of them have. It opens no database and serves nobody.
 */
export class Supervisor {
  readonly #count: number
  readonly #log: Log
  readonly #onReady: () => void
  readonly #members = new Set<Member>()
  readonly #questions = new Questions()
  readonly #ports = new ListeningPorts()
  /** Numbers of processes that have been up once: only their start can fail the whole start. */
  readonly #seen = new Set<number>()
  readonly #restarts = new Map<number, { delayMs: number; timer?: NodeJS.Timeout }>()
  #hasFailed = false
  #allEnded: (() => void) | null = null
  #stopping: Promise<void> | null = null

  /** `onReady`: all of them have started. */
  constructor(count: number, log: Log, onReady = () => {}) {
    this.#count = count
    this.#onReady = onReady
    this.#log = log
    // Each connection goes to the next process. The system's own choice would give most of them to one or two.
    cluster.schedulingPolicy = cluster.SCHED_RR
  }

  start() {
    this.#launch(1)
  }

  /** Closes the ports, tells all processes to stop, and waits for their ends. */
  stop(): Promise<void> {
    this.#stopping ??= new Promise((resolve) => {
      this.#allEnded = resolve
      for (const { timer } of this.#restarts.values()) clearTimeout(timer)
      this.#ports.close()
      if (this.#members.size === 0) return resolve()
      setTimeout(() => {
        for (const { worker } of this.#members) worker.process.kill('SIGTERM')
      }, HAND_OUT_MS)
    })
    return this.#stopping
  }

  /** For who does not stop. */
  kill() {
    for (const { worker } of this.#members) worker.process.kill('SIGKILL')
  }

  #launch(number: number) {
    const worker = cluster.fork()
    closeWithProcess(worker)
    const send = (message: ToMember) => void (worker.isConnected() && worker.process.send(message, () => {}))
    const member: Member = { number, worker, send, launchedAt: performance.now(), hasStarted: false }
    this.#members.add(member)
    worker.on('message', (message: ToSupervisor) => this.#receive(member, message))
    worker.once('exit', (code, signal) => this.#ended(member, code, signal))
    worker.on('error', (error) => {
      this.#log.error({ error, process: number }, 'processes: process failed')
      // The system did not give us one; there is no exit to come.
      if (worker.process.pid === undefined) this.#ended(member, null, null)
    })
  }

  #receive(member: Member, message: ToSupervisor) {
    const { number, send } = member
    if (message.type === 'join') send({ type: 'joined', number, isFirst: number === 1 && this.#seen.size === 0 })
    if (message.type === 'started') this.#started(member)
    if (message.type === 'answer') this.#questions.answer(message, member)
    if (message.type === 'ask')
      this.#questions.ask(
        message,
        member,
        [...this.#members].filter((other) => other !== member && other.hasStarted),
      )
  }

  #started(member: Member) {
    const { number, worker } = member
    const isFirst = this.#seen.size === 0
    const wasComplete = this.#seen.size === this.#count
    member.hasStarted = true
    this.#seen.add(number)
    this.#log.info({ process: number, pid: worker.process.pid }, 'processes: process started')
    if (this.#stopping) return
    if (!wasComplete && this.#seen.size === this.#count) this.#onReady()
    if (!isFirst) return
    for (let other = 2; other <= this.#count; other++) this.#launch(other)
  }

  #ended(member: Member, code: number | null, signal: string | null) {
    this.#members.delete(member)
    this.#questions.forget(member)
    if (this.#stopping) {
      // Told to stop before it could listen for it.
      if (code !== 0 && signal !== 'SIGTERM') this.#hasFailed = true
      if (this.#hasFailed) process.exitCode = 1
      if (this.#members.size === 0) this.#allEnded?.()
      return
    }
    const how = { process: member.number, pid: member.worker.process.pid, ...(signal ? { signal } : { code }) }
    if (this.#seen.has(member.number)) return this.#restart(member, how)
    // It has said why, unless it could not.
    if (code !== 1) this.#log.error(how, 'processes: process ended during the start')
    this.#hasFailed = true
    process.exitCode = 1
    void this.stop().then(() => process.exit())
  }

  #restart({ number, launchedAt }: Member, how: object) {
    const last = performance.now() - launchedAt < STABLE_MS ? this.#restarts.get(number) : undefined
    const delayMs = last ? Math.min(MAX_RESTART_MS, 2 * last.delayMs) : MIN_RESTART_MS
    this.#log.error({ ...how, restart_in_ms: delayMs }, 'processes: process ended, restarting it')
    this.#restarts.set(number, { delayMs, timer: setTimeout(() => this.#launch(number), delayMs) })
  }
}

import { Worker } from 'node:worker_threads'
import type { FromThread, ToThread } from './messages.ts'
import { ThreadLimitReached, type ThreadTask } from './work.ts'

/** A piece of work on its way through a pool. */
export interface Task {
  readonly work: ThreadTask
  resolve(result: unknown): void
  reject(error: Error): void
  /** How long it has kept threads busy. */
  usedMs: number
  /** How often it was begun. */
  begun: number
}

/** Those that wait for answers in one thread: more would only be memory. */
const MAX_TASKS_WAITING = 64
/** Whoever stood aside where something went wrong begins anew, and not for ever. */
const MAX_STARTS = 3

/** One thread of a pool: at most one task runs in it, others stand aside until the answer is there that they wait for. */
export class PoolThread {
  readonly isForLight: boolean
  readonly #worker: Worker
  readonly #idleMs: number
  readonly #onFree: () => void
  readonly #onEnd: (unfinished: readonly Task[]) => void
  readonly #tasks = new Map<number, Task>()
  /** How many questions of a task are unanswered, and the answers that wait for the others. */
  readonly #pending = new Map<number, { questions: number; answers: ToThread[] }>()
  /** Answers whose tasks go on as soon as nothing else runs: all that a task has asked for, together. */
  readonly #answers: { task: number; messages: readonly ToThread[] }[] = []
  #running: { task: number; since: number; timer: NodeJS.Timeout } | null = null
  #idle: NodeJS.Timeout | null = null
  #count = 0
  #hasEnded = false

  constructor(options: {
    entry: string
    heapMb: number
    idleMs: number
    isForLight: boolean
    onFree(): void
    /** The thread is no more. These can begin anew elsewhere. */
    onEnd(unfinished: readonly Task[]): void
  }) {
    this.isForLight = options.isForLight
    this.#idleMs = options.idleMs
    this.#onFree = options.onFree
    this.#onEnd = options.onEnd
    // Without the environment, which has secrets that nobody in there needs.
    const isolation = { env: {}, execArgv: [] }
    this.#worker = new Worker(options.entry, {
      ...isolation,
      resourceLimits: { maxOldGenerationSizeMb: options.heapMb },
    })
    this.#worker.unref()
    this.#worker.on('message', (message: FromThread) => this.#hear(message))
    // Out of memory, or a defect: of the one that runs.
    this.#worker.on('error', (error) => this.#end(error))
    this.#worker.on('exit', () => this.#end(new Error('The thread has ended')))
  }

  get canTake(): boolean {
    return !this.#hasEnded && !this.#running && this.#answers.length === 0 && this.#tasks.size < MAX_TASKS_WAITING
  }

  begin(task: Task) {
    const id = ++this.#count
    if (this.#idle) clearTimeout(this.#idle)
    this.#tasks.set(id, task)
    task.begun++
    const { value, transfer = [] } = task.work.input()
    this.#run(id, [{ kind: 'work', task: id, work: task.work.name, input: value }], transfer)
  }

  #run(id: number, messages: readonly ToThread[], transfer: readonly ArrayBuffer[] = []) {
    const { work, usedMs } = this.#tasks.get(id)!
    const end = () => this.#end(new ThreadLimitReached(`took longer than ${work.limitMs / 1_000} s`))
    this.#running = { task: id, since: performance.now(), timer: setTimeout(end, work.limitMs - usedMs) }
    for (const message of messages) this.#worker.postMessage(message, [...transfer])
  }

  #hear(message: FromThread) {
    const task = this.#tasks.get(message.task)
    if (!task) return
    this.#pause(message.task)
    if (message.kind === 'question') void this.#answer(message, task)
    else {
      this.#tasks.delete(message.task)
      this.#pending.delete(message.task)
      if (message.kind === 'done') task.resolve(message.result)
      else task.reject(new Error(message.reason))
    }
    this.#goOn()
  }

  /**
   * A task that asked for several things at once goes on when it has all of them. With the first alone it would count as the one that
   * runs while it waits for the second, which is handed over only when nothing runs.
   */
  async #answer({ task, id, question }: FromThread & { kind: 'question' }, { work }: Task) {
    const pending = this.#pending.get(task) ?? { questions: 0, answers: [] }
    this.#pending.set(task, pending)
    pending.questions++
    const answered = await (work.answer?.(question) ?? Promise.reject(new Error('Nobody answers'))).then(
      (value) => ({ value, error: null }),
      (error: Error) => ({ value: null, error: error.message }),
    )
    if (!this.#tasks.has(task)) return
    pending.answers.push({ kind: 'answer', id, ...answered })
    if (--pending.questions > 0) return
    this.#pending.delete(task)
    this.#answers.push({ task, messages: pending.answers })
    this.#goOn()
  }

  /** What ran does not run any more, if this was it. */
  #pause(id: number) {
    if (this.#running?.task !== id) return
    clearTimeout(this.#running.timer)
    this.#tasks.get(id)!.usedMs += performance.now() - this.#running.since
    this.#running = null
  }

  #goOn() {
    while (!this.#running && this.#answers.length > 0) {
      const { task, messages } = this.#answers.shift()!
      if (this.#tasks.has(task)) this.#run(task, messages)
    }
    this.#onFree()
    if (this.#tasks.size > 0 || this.#hasEnded) return
    this.#idle = setTimeout(() => this.#end(new Error('idle')), this.#idleMs).unref()
  }

  #end(reason: Error) {
    if (this.#hasEnded) return
    this.#hasEnded = true
    if (this.#idle) clearTimeout(this.#idle)
    void this.#worker.terminate()
    const guilty = this.#running && this.#tasks.get(this.#running.task)
    if (this.#running) clearTimeout(this.#running.timer)
    const others = [...this.#tasks.values()].filter((task) => task !== guilty)
    // Whose time was over is known, and the time of each is counted on. Memory may be the fault of one of those that wait.
    if (reason instanceof ThreadLimitReached) for (const task of others) task.begun--
    guilty?.reject(limitOf(reason))
    const isHopeless = ({ begun }: Task) => begun >= MAX_STARTS
    for (const task of others.filter(isHopeless)) task.reject(new Error(`Its threads have ended ${MAX_STARTS} times`))
    this.#onEnd(others.filter((task) => !isHopeless(task)))
  }
}

const limitOf = (error: Error & { code?: string }): Error =>
  error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new ThreadLimitReached('took too much memory') : error

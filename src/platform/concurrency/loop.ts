interface LoopOptions {
  /** Looks by itself after this long: wake-ups are hints and may be lost. */
  readonly pollMs: number
  /** Two looks are at least so far apart, unless the first one said that there is more: under load they are not for one item each. */
  readonly restMs: number
}

/** Works again and again: at once while there is more, otherwise when it is woken up. The work must not throw. */
export class Loop {
  readonly #work: () => Promise<boolean>
  readonly #options: LoopOptions
  #isStopping = false
  #isWoken = false
  #isUrgent = false
  #endPause = () => {}
  #running: Promise<void> = Promise.resolve()

  /** The work returns whether there is more. */
  constructor(work: () => Promise<boolean>, options: LoopOptions) {
    this.#work = work
    this.#options = options
  }

  start() {
    this.#running = this.#run()
  }

  wake() {
    this.#isWoken = true
    this.#endPause()
  }

  /** Without the rest: there is more, as if the last look had said so. */
  wakeAtOnce() {
    this.#isUrgent = true
    this.wake()
  }

  /** Resolves when the work that is under way has ended. */
  async stop() {
    this.#isStopping = true
    this.#endPause()
    await this.#running
  }

  async #run() {
    const { pollMs, restMs } = this.#options
    while (!this.#isStopping) {
      const begin = performance.now()
      this.#isWoken = false
      this.#isUrgent = false
      if (await this.#work()) continue
      await this.#pause(pollMs, () => this.#isWoken)
      await this.#pause(restMs - (performance.now() - begin), () => this.#isUrgent)
    }
  }

  /** A plain timer: one that can be aborted makes an error for it, which takes longer than most looks. */
  #pause(milliseconds: number, isOver: () => boolean): Promise<void> {
    if (milliseconds <= 0 || this.#isStopping || isOver()) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds).unref()
      this.#endPause = () => {
        if (!this.#isStopping && !isOver()) return
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

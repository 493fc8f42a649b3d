/** Prometheus asks every 15 s or so; two of them, or a person who presses reload, get the same answer. */
const CACHE_TTL_MS = 5_000

/** How long whoever asks waits for the answer. Tests are patient: a busy machine would leave a line out. */
export const SAMPLING = { maxWaitMs: 2_000 }

/**
 * A value that costs something to find out: asked for at most once in five seconds, by one asker for all, and not waited for longer
 * than two. Undefined when it could not be had in time.
 */
export class Sample<Value> {
  readonly #read: () => Promise<Value>
  readonly #freshMs: number
  readonly #waitMs: number | null
  #value: { readonly of: Value; readonly until: number } | undefined
  #reading: Promise<Value | undefined> | undefined

  constructor(
    read: () => Promise<Value>,
    { freshMs = CACHE_TTL_MS, waitMs = null }: { freshMs?: number; waitMs?: number | null } = {},
  ) {
    this.#read = read
    this.#freshMs = freshMs
    this.#waitMs = waitMs
  }

  async get(): Promise<Value | undefined> {
    if (this.#value && this.#value.until > performance.now()) return this.#value.of
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = undefined
    })
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), this.#waitMs ?? SAMPLING.maxWaitMs)
    })
    return Promise.race([this.#reading, late]).finally(() => clearTimeout(timer))
  }

  async #readOnce(): Promise<Value | undefined> {
    try {
      const of = await this.#read()
      this.#value = { of, until: performance.now() + this.#freshMs }
      return of
    } catch {
      return undefined
    }
  }
}

/** So many calls at a time: a browser has no more connections for one host anyway. */
const MAX_CALLS_AT_ONCE = 4

export interface Failure<One> {
  readonly item: One
  readonly message: string
}

export interface BulkReport<One> {
  readonly done: number
  readonly failures: readonly Failure<One>[]
}

interface BulkOptions<One> {
  /** One call for so many of them. */
  readonly size?: number
  run(items: readonly One[]): Promise<unknown>
  onProgress?(settled: number): void
  /** Ends it before the next call; what was called is finished. */
  readonly signal?: AbortSignal
}

/** Does something with many, some at a time. What fails is reported and keeps nothing else from being done. */
export async function runBulk<One>(items: readonly One[], options: BulkOptions<One>): Promise<BulkReport<One>> {
  const { size = 1, run, onProgress, signal } = options
  const groups = Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  )
  const failures: Failure<One>[] = []
  let done = 0
  const work = async () => {
    for (let group = groups.shift(); group && !signal?.aborted; group = groups.shift()) {
      try {
        await run(group)
        done += group.length
      } catch (error) {
        failures.push(...group.map((item) => ({ item, message: (error as Error).message })))
      }
      onProgress?.(done + failures.length)
    }
  }
  await Promise.all(Array.from({ length: MAX_CALLS_AT_ONCE }, work))
  return { done, failures }
}

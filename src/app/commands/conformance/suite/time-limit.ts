/**
 * Runs with a signal that aborts after a time, or with another one. A signal of `AbortSignal.timeout` that only `AbortSignal.any` knows of
 * may be collected as garbage before its time is over, and then it never aborts.
 */
export async function withinTime<Value>(
  ms: number,
  signal: AbortSignal,
  run: (limited: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(), ms)
  try {
    return await run(AbortSignal.any([signal, over.signal]))
  } finally {
    clearTimeout(timer)
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** Ctrl-C stops the work and closes the database; what is written stays. Asked again it does not wait. */
export function stopOnInterrupt() {
  const controller = new AbortController()
  const stop = () => controller.abort()
  for (const signal of SIGNALS) process.once(signal, stop)
  const end = () => {
    for (const signal of SIGNALS) process.off(signal, stop)
  }
  return { signal: controller.signal, end }
}

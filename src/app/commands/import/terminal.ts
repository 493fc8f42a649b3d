const SHOWN_EVERY_MS = 200

/** One line on a terminal, and nothing elsewhere. */
export function progressLine() {
  const isShown = process.stderr.isTTY === true
  let shownAt = Number.NEGATIVE_INFINITY
  const write = (text: string) => isShown && process.stderr.write(text)
  return {
    show(what: string, read: number) {
      if (performance.now() - shownAt < SHOWN_EVERY_MS) return
      shownAt = performance.now()
      write(`\r\x1b[K${what} ${read.toLocaleString('en-US')}`)
    },
    say: (line: string) => write(`${line}\n`),
    end: () => write('\r\x1b[K'),
  }
}

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

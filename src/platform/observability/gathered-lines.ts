import type { DestinationStream } from 'pino'

/** What a pipe takes in one piece (`PIPE_BUF`): lines of several processes that write to one log do not mix. */
const MAX_WRITE_BYTES = 4_096
const INFO = 30

interface GatheredLines extends DestinationStream {
  /** Set by pino before each line, because of the symbol below. */
  lastLevel: number
  flush(): void
}

/**
 * Lines of one turn of the event loop leave together: a line for each attempt was a system call for each email. What is more than
 * information leaves at once, with all before it, since the process may be about to end.
 */
export function gatheringLines(destination: DestinationStream): GatheredLines {
  let gathered = ''
  let bytes = 0
  const flush = () => {
    if (bytes === 0) return
    const lines = gathered
    gathered = ''
    bytes = 0
    destination.write(lines)
  }
  const stream = {
    [Symbol.for('pino.metadata')]: true,
    lastLevel: INFO,
    flush,
    write(line: string) {
      const length = Buffer.byteLength(line)
      if (bytes + length > MAX_WRITE_BYTES) flush()
      if (bytes === 0) setImmediate(flush)
      gathered += line
      bytes += length
      if (stream.lastLevel > INFO) flush()
    },
  }
  return stream
}

const EVERY_MS = 5_000

let shownAt = 0

/** What is going on, on stderr: one line that changes on a terminal, a line now and then in a log. */
export function progress(text: string) {
  if (process.stderr.isTTY) return void process.stderr.write(`\r\x1b[K${text}`)
  if (performance.now() - shownAt < EVERY_MS) return
  shownAt = performance.now()
  process.stderr.write(`${text}\n`)
}

/** Something that is worth keeping on the screen. */
export function note(text: string) {
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${text}\n` : `${text}\n`)
}

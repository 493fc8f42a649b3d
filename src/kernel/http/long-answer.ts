import { setImmediate as nextTurn } from 'node:timers/promises'

/** Up to here an answer is written in one go, within a few milliseconds. */
const SHORT = 256 * 1024
/** 64 kB take 2 ms to write as JSON. */
const SLICE = 64 * 1024

/**
 * An answer with texts of megabytes, in pieces: the html of an email can be 5 MB, which take 50 ms and more to write in one go, and
 * everybody else would wait. Short answers stay as they are.
 */
export function inPieces<Reply extends object>(reply: Reply): Reply | AsyncIterable<string> {
  const length = Object.values(reply).reduce((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0)
  return length > SHORT ? pieces(Object.entries(reply).filter(([, value]) => value !== undefined)) : reply
}

async function* pieces(fields: readonly [string, unknown][]): AsyncGenerator<string> {
  for (const [index, [name, value]] of fields.entries()) {
    const start = `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`
    if (typeof value === 'string' && value.length > SLICE) {
      yield `${start}"`
      yield* slices(value)
      yield '"'
    } else yield start + JSON.stringify(value)
  }
  yield '}'
}

/** A character that is cut in two is written as two escapes, which are one character again for whoever reads them. */
async function* slices(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += SLICE) {
    yield JSON.stringify(text.slice(at, at + SLICE)).slice(1, -1)
    await nextTurn()
  }
}

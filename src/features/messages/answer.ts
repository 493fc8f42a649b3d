import { JsonText } from '../../kernel/http/endpoint.ts'
import { inPieces } from '../../kernel/http/long-answer.ts'
import { presentMessage, type WholeMessage } from './present.ts'
import type { MessagesServices } from './services.ts'
import type { Waited } from './wait.ts'

/** As it is answered: as text, so that the log does not keep a second copy of every mail that somebody looks at, and in pieces if it is long. */
export function messageText(message: WholeMessage): JsonText | AsyncIterable<string> {
  const answer = inPieces(message)
  return answer === message ? new JsonText(JSON.stringify(message)) : (answer as AsyncIterable<string>)
}

/** Messages that are put together before the answer begins. Of more than these each is in memory when its turn has come. */
const MAX_BUFFERED = 3
const SHORT = 256 * 1024

export async function waitedText(
  services: MessagesServices,
  { found, heads }: Waited,
): Promise<JsonText | AsyncIterable<string>> {
  const first = await Promise.all(heads.slice(0, MAX_BUFFERED).map((head) => presentMessage(services, head)))
  const start = `{"object":"list","found":${found},"data":[`
  const isShort = first.every((message) => !message || sizeOf(message) <= SHORT / MAX_BUFFERED)
  if (heads.length <= MAX_BUFFERED && isShort)
    return new JsonText(`${start}${first.flatMap((message) => (message ? [JSON.stringify(message)] : [])).join(',')}]}`)
  return streamed()

  async function* streamed() {
    yield start
    let isFirst = true
    for (const [index, head] of heads.entries()) {
      const message = index < MAX_BUFFERED ? first[index] : await presentMessage(services, head)
      // Deleted meanwhile.
      if (!message) continue
      if (!isFirst) yield ','
      isFirst = false
      const text = inPieces(message)
      if (text === message) yield JSON.stringify(message)
      else yield* text as AsyncIterable<string>
    }
    yield ']}'
  }
}

const sizeOf = ({ html, text, raw }: WholeMessage) => (html?.length ?? 0) + (text?.length ?? 0) + (raw?.length ?? 0)

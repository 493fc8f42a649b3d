import { JsonText } from '../../http/endpoint.ts'
import { inPieces } from '../../http/long-answer.ts'
import type { WholeMessage } from './present.ts'

/** As it is answered: as text, so that the log does not keep a second copy of every mail that somebody looks at, and in pieces if it is long. */
export function messageText(message: WholeMessage): JsonText | AsyncIterable<string> {
  const answer = inPieces(message)
  return answer === message ? new JsonText(JSON.stringify(message)) : (answer as AsyncIterable<string>)
}

import type { Bounce } from '../outcome.ts'
import { PASSING } from './classes.ts'
import { type Classification, classify } from './classify.ts'
import { parseReply } from './parse-reply.ts'

const MAX_DIAGNOSTIC_LENGTH = 10_000

// `smtp; 550 …` and `X-Postfix; …` (RFC 3464, 2.3.6).
export const DIAGNOSTIC_TYPE = /^[\w.-]{1,40};\s*/

// A reply may begin behind other words: `host mx.example.net[192.0.2.1] said: 550 5.1.1 …`.
const REPLY = /(?<![\w.])[45]\d\d(?:[ -](?=[45]\.\d|\D)|$)/
const ENHANCED = /(?<![\w.])[45]\.\d{1,3}\.\d{1,3}(?!\.?\d)/

// A report is about the end, whatever it leaves out.
const NO_CODE = 599

// x.0.0 says nothing but the class.
const SAYS_NOTHING = /\.0\.0$/

/**
 * Why somebody reports that an address failed: what a live reply would mean that says the same. The reply in the diagnostic is
 * the word of the server that refused; the status is how another one understood it, and counts where the reply says nothing. So
 * do the words in front of the reply.
 */
export function classifyDiagnostic(status: string | null, diagnostic: string | null): Classification {
  const words = (diagnostic ?? '').slice(0, MAX_DIAGNOSTIC_LENGTH).replace(DIAGNOSTIC_TYPE, '')
  const reply = parseReply(words.slice(Math.max(words.search(REPLY), 0)))
  const inText = reply?.enhanced ?? ENHANCED.exec(words)?.[0] ?? null
  const enhanced = inText === null || (status !== null && SAYS_NOTHING.test(inText)) ? status : inText

  const code = reply?.code ?? NO_CODE
  const known = classify({ code, enhanced, text: reply?.text ?? words })
  const meant = reply && known.bounce.type === 'Undetermined' ? classify({ code, enhanced, text: words }) : known
  // Given up after days of trying: nobody has said that the address is bad.
  const isPassing = [status, inText, reply && String(reply.code)].some((one) => one?.startsWith('4'))
  return isPassing && meant.bounce.type !== 'Transient' ? { ...meant, means: 'later', bounce: PASSING } : meant
}

export const bounceTypeOf = (status: string | null, diagnostic: string | null): Bounce =>
  classifyDiagnostic(status, diagnostic).bounce

import type { ParsedMail } from '../parsed.ts'
import { reportText } from './fields.ts'
import { STATUS_PART } from './notification.ts'
import { proseOf } from './prose.ts'

// What a filter asks of somebody whom it does not know, and how to answer.
const ASKS =
  /(?:add yourself|(?:be|been|address) added) to (?:\S{1,40} ){0,5}(?:guest|allow(?:ed)?|approved|safe|white|senders?)[- ]?lists?|(?:confirm|verify|prove) (?:that )?(?:you(?:'re| are)|your (?:message|e-?mail|address|identity))|guest list|not (?:been )?pre-?approved|challenge[- ]response/i
const TELLS_HOW = /\bclick|\blinks?\b|reply to this|follow (?:the |these )?instructions|\bvisit\b/i

const REFUSAL = /(?<![\w.])5(?:\d\d[ -]|\.\d{1,3}\.\d{1,3}(?!\.?\d))/
const MAX_SCAN_LENGTH = 16_384

/**
 * The mail waits for its sender to prove to be a person: it has arrived, and nobody has refused it. Some of these have the form of a
 * notification, with a passing status. With a refusal it is a bounce, whatever it asks besides.
 */
export function isChallenge(mail: ParsedMail): boolean {
  const status = mail.attachments.find(({ contentType }) => STATUS_PART.test(contentType))
  const words = `${proseOf(mail).slice(0, MAX_SCAN_LENGTH)}\n${status ? reportText(status.content) : ''}`.replace(
    /\s+/g,
    ' ',
  )
  return ASKS.test(words) && TELLS_HOW.test(words) && !REFUSAL.test(words)
}

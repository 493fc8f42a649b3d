import { withoutControls } from './ascii.ts'
import { bounceFor } from './bounce-reason.ts'
import type { Bounce, Outcome } from './outcome.ts'

/** What a server answered. */
export interface SmtpReply {
  readonly code: number
  /** RFC 3463: `5.1.1`. */
  readonly enhanced: string | null
  /** The words, without the codes. */
  readonly text: string
}

// A server may say as much as it likes; nobody reads more of it, and it is stored with every attempt.
const MAX_REPLY_LENGTH = 1_000

const CODES = /^(\d{3})(?:[ -]|$)\s*(?:#?([245]\.\d{1,3}\.\d{1,3})(?![\d.]):?)?/

// qmail and its descendants write the enhanced code at the end.
const ENHANCED_AT_THE_END = /\(#([245]\.\d{1,3}\.\d{1,3})\)/

const GREYLISTED = /gr[ae]y.?list|postgrey/i
const THROTTLED =
  /\brates?\b|rate.?limit|throttl|too (?:many|much|fast|quickly|frequent)(?! recipients)|slow down|limit (?:\w+ ){0,3}exceeded|exceed\w* (?:\w+ ){0,5}limit|temporarily deferred|reputation/i

/**
 * Reads a reply of one line or several; null when it does not begin as one of SMTP has to. Where the lines do not agree, the last one
 * counts: it is the one that ends the reply.
 */
export function parseReply(reply: string): SmtpReply | null {
  const lines = reply.slice(0, 10 * MAX_REPLY_LENGTH).split(/\r\n|\r|\n/)
  const codes = lines.flatMap((line) => {
    const [, code, enhanced = null] = CODES.exec(line) ?? []
    return code === undefined ? [] : [{ code, enhanced }]
  })
  const code = codes.at(-1)?.code
  if (code === undefined || !CODES.test(lines[0]!)) return null
  const enhanced = codes.find((one) => one.code === code && one.enhanced !== null)?.enhanced
  const text = clean(lines.map((line) => line.replace(CODES, '').trim()).join(' '))
  return { code: Number(code), enhanced: enhanced ?? ENHANCED_AT_THE_END.exec(text)?.[1] ?? null, text }
}

/**
 * What an answer comes to. An answer that SMTP does not foresee leaves it open. One to the message (to MAIL, or to all recipients
 * together) names nobody, so whatever it says, no address is bad because of it.
 */
export function judgeReply({ code, enhanced, text }: SmtpReply, about: 'recipient' | 'message' = 'recipient'): Outcome {
  const reply = { code, enhanced, text: clean(text) }
  const line = clean([code, enhanced, reply.text].filter((piece) => piece !== null).join(' '))
  if (code >= 200 && code < 300) return { kind: 'delivered', reply: line }
  if (code >= 500 && code < 600) {
    const bounce = bounceFor(reply)
    return { kind: 'bounced', reply: line, bounce: about === 'message' ? sparing(bounce) : bounce }
  }
  return { kind: 'deferred', reply: line, isThrottled: isThrottled(reply) }
}

const sparing = (bounce: Bounce): Bounce =>
  bounce.type === 'Permanent' ? { type: 'Undetermined', subType: 'Undetermined' } : bounce

/** Whether the server wants less mail from us for a while, rather than this mail at another time. */
function isThrottled({ code, enhanced, text }: SmtpReply): boolean {
  if (GREYLISTED.test(text)) return false
  if (code === 421) return true
  // 4.2.x is about one mailbox, also where it says that it gets too much at once.
  if (enhanced?.startsWith('4.2.')) return false
  const isPolicy = (code === 450 || code === 451) && enhanced?.startsWith('4.7.')
  return isPolicy || THROTTLED.test(text)
}

function clean(text: string): string {
  return withoutControls(text.slice(0, 2 * MAX_REPLY_LENGTH))
    .replace(/ {2,}/g, ' ')
    .slice(0, MAX_REPLY_LENGTH)
    .toWellFormed()
}

import type { Bounce, Outcome } from '../outcome.ts'
import type { ReplyPhase } from '../reply-class.ts'
import { type Classification, classify } from './classify.ts'
import { cleanReply, type SmtpReply } from './parse-reply.ts'

/** What is known of a reply beside its words. */
export interface ReplyContext {
  /** One to the message (to MAIL, or to all recipients together) names nobody. */
  readonly about?: 'recipient' | 'message'
  readonly phase?: ReplyPhase | null
  readonly provider?: string | null
  /** Whom a refusal of our address speaks for: all mail of the destination, or that of the recipient's domain. */
  readonly sourceRefusedFor?: 'destination' | 'domain'
}

/**
 * What an answer comes to: this follows from its class and its rule, and from nothing else. An answer that SMTP does not foresee leaves it
 * open. Whatever one to the message says, no address is bad because of it.
 */
export function judgeReply(
  { code, enhanced, text }: SmtpReply,
  { about = 'recipient', phase = null, provider = null, sourceRefusedFor = 'domain' }: ReplyContext = {},
): Outcome {
  const reply = { code, enhanced, text: cleanReply(text) }
  const line = cleanReply([code, enhanced, reply.text].filter((piece) => piece !== null).join(' '))
  if (code >= 200 && code < 300) return { kind: 'delivered', reply: line }
  const known = classify({ ...reply, phase, provider })
  const isSpared = known.bounce.type === 'Permanent' && about === 'message'
  const understood = understoodOf(isSpared ? { ...known, means: 'refused' } : known)
  if (code < 500 || code > 599)
    return { kind: 'deferred', reply: line, isThrottled: isThrottled(code, known), ...understood }
  if (isLogin(code)) return { kind: 'deferred', reply: line, isThrottled: false, ...understood }
  // What is said about our address is nobody's fault who is written to, and passes.
  if (isSourceBlocked(known))
    return { kind: 'deferred', reply: line, isThrottled: false, sourceRefusedFor, ...understood }
  if (known.means === 'block' && known.about === 'tenant')
    return { kind: 'deferred', reply: line, isThrottled: false, ...understood }
  if (known.means === 'throttle' && OF_THE_SENDER.has(known.about))
    return { kind: 'deferred', reply: line, isThrottled: true, ...understood }
  return { kind: 'bounced', reply: line, bounce: isSpared ? SPARED : known.bounce, ...understood }
}

const SPARED: Bounce = { type: 'Undetermined', subType: 'Undetermined' }

/** Whoever sends can send less, or later. What a recipient or a message is too much of stays so. */
const OF_THE_SENDER: ReadonlySet<Classification['about']> = new Set([
  'source',
  'netblock',
  'spf_domain',
  'dkim_domain',
  'url_domain',
  'tenant',
])

// RFC 4954. The operator's slip, also where a server wants TLS first.
const isLogin = (code: number) => code === 530 || code === 534 || code === 535 || code === 538

const isSourceBlocked = ({ means, about }: Classification) =>
  means === 'block' && (about === 'source' || about === 'netblock')

/** Whether the server wants less mail from us for a while, rather than this mail at another time. 421 sends all away. */
const isThrottled = (code: number, { means }: Classification) =>
  means === 'throttle' || means === 'block' || (code === 421 && means === 'trouble')

const understoodOf = ({ class: replyClass, rule, about, means, pauseSeconds }: Classification) => ({
  class: replyClass,
  rule,
  about,
  means,
  ...(pauseSeconds !== undefined && { pauseSeconds, retryAfterSeconds: pauseSeconds }),
})

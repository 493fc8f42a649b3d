import type { Outcome } from './outcome.ts'
import type { ReplyAbout, ReplyClass } from './reply-class.ts'

/**
 * Who is at fault when a mail did not get through on a way, and with it whether another way may have it:
 *
 * - `way`: it takes no mail at present. Certain not to have been taken; another way may have it, and the recipient's schedule does not climb.
 * - `mail`: the way answered, and does not take this mail now or from this sender. Certain; another way may have it.
 * - `unknown`: the message has left and the answer is lost. It stays with this way, or it could arrive twice.
 * - `recipient`: the recipient, its server or the message itself: another way would hear the same.
 */
export type WayFault = 'way' | 'mail' | 'unknown' | 'recipient'

/** What is known of the way besides. */
export interface WayTaken {
  /** All mail goes through the same server: what that says about itself is about the way, and not about a recipient's server. */
  readonly isOneWay: boolean
}

/** Whom a refusal speaks of that is ours, or of our sender: from elsewhere, or with another login, it may be welcome. */
const OF_THE_SENDER: ReadonlySet<ReplyAbout> = new Set(['source', 'netblock', 'spf_domain', 'dkim_domain', 'tenant'])

/** By class, before whom it speaks of: these say what the server does for us, and not what the recipient is. */
const OF_THE_WAY: ReadonlySet<ReplyClass> = new Set([
  'login_refused',
  'relay_denied',
  'relaying_issues',
  'invalid_sender',
  'message_too_large',
  'bad_configuration',
  'routing_errors',
])

/** Null: it was taken. */
export function wayFaultOf(outcome: Outcome, { isOneWay }: WayTaken): WayFault | null {
  if (outcome.kind === 'delivered') return null
  if (outcome.kind === 'deferred') {
    if (outcome.isUncertain) return 'unknown'
    // A server that cannot be reached is the recipient's own, unless all mail goes there.
    if (outcome.unreachable) return isOneWay ? 'way' : 'recipient'
    if (outcome.sourceRefusedFor) return 'mail'
    // Demanded by the mail, or by the recipient's domain: another way may be able to prove who it is.
    if (outcome.rule === 'client/tls') return isOneWay ? 'mail' : 'recipient'
  }
  const { class: replyClass, about = null, means } = outcome
  if (means === 'bad_address') return 'recipient'
  if (isOneWay && replyClass && OF_THE_WAY.has(replyClass)) return 'mail'
  if (about !== null && OF_THE_SENDER.has(about)) return 'mail'
  if (about === 'recipient' || about === 'message' || about === 'url_domain') return 'recipient'
  // Nobody in particular, or the server itself. That of a recipient has its troubles for everybody.
  return isOneWay || means === 'throttle' || means === 'block' ? 'mail' : 'recipient'
}

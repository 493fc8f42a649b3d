import type { Outcome } from './outcome.ts'
import type { ReplyAbout, ReplyClass } from './reply-class.ts'

/**
 * Who is at fault when a mail did not get through on a route, and with it whether another route may have it:
 *
 * - `route`: it takes no mail at present. Certain not to have been taken; another route may have it, and the recipient's schedule does not climb.
 * - `mail`: the route answered, and does not take this mail now or from this sender. Certain; another route may have it.
 * - `unknown`: the message has left and the answer is lost. It stays with this route, or it could arrive twice.
 * - `recipient`: the recipient, its server or the message itself: another route would hear the same.
 */
export type FailureScope = 'route' | 'mail' | 'unknown' | 'recipient'

/** What is known of the route besides. */
export interface RouteServers {
  /** All mail goes through the same server: what that says about itself is about the route, and not about a recipient's server. */
  readonly hasOneServer: boolean
}

/** Whom a refusal speaks of that is ours, or of our sender: from elsewhere, or with another login, it may be welcome. */
const OF_THE_SENDER: ReadonlySet<ReplyAbout> = new Set(['source', 'netblock', 'spf_domain', 'dkim_domain', 'tenant'])

/** By class, before whom it speaks of: these say what the server does for us, and not what the recipient is. */
const ROUTE_CLASSES: ReadonlySet<ReplyClass> = new Set([
  'login_refused',
  'relay_denied',
  'relaying_issues',
  'invalid_sender',
  'message_too_large',
  'bad_configuration',
  'routing_errors',
])

/** Null: it was taken. */
export function failureScopeOf(outcome: Outcome, { hasOneServer }: RouteServers): FailureScope | null {
  if (outcome.kind === 'delivered') return null
  if (outcome.kind === 'deferred') {
    if (outcome.isUncertain) return 'unknown'
    // A server that cannot be reached is the recipient's own, unless all mail goes there.
    if (outcome.unreachable) return hasOneServer ? 'route' : 'recipient'
    if (outcome.sourceRefusedFor) return 'mail'
    // Demanded by the mail, or by the recipient's domain: another route may be able to prove who it is.
    if (outcome.rule === 'client/tls') return hasOneServer ? 'mail' : 'recipient'
  }
  const { class: replyClass, about = null, means } = outcome
  if (means === 'bad_address') return 'recipient'
  if (hasOneServer && replyClass && ROUTE_CLASSES.has(replyClass)) return 'mail'
  if (about !== null && OF_THE_SENDER.has(about)) return 'mail'
  if (about === 'recipient' || about === 'message' || about === 'url_domain') return 'recipient'
  // Nobody in particular, or the server itself. That of a recipient has its troubles for everybody.
  return hasOneServer || means === 'throttle' || means === 'block' ? 'mail' : 'recipient'
}

/** Nobody could be connected to, or found in the DNS. */
const UNREACHED_RULES: ReadonlySet<string | undefined> = new Set(['client/connect', 'dns/lookup'])

/** Whether a recipient's site was reached: it has said something, or there was not even a connection. Null: neither is certain. */
export function siteReachOf(outcome: Outcome): 'reached' | 'unreached' | null {
  if (outcome.kind === 'delivered') return 'reached'
  if (outcome.kind === 'deferred' && UNREACHED_RULES.has(outcome.rule)) return 'unreached'
  // What we say ourselves of a server is also said when the network goes away in the middle.
  return outcome.host === undefined || outcome.rule?.startsWith('client/') ? null : 'reached'
}

/**
 * What a reply is, in the classes of KumoMTA and some of ours: it has none for a delivery, for a rate, for greylisting, for a message
 * that is too large and for a refused login. `auto_reply`, `subscribe`, `unsubscribe` and `challenge_response` are of mail that comes
 * back; no reply of SMTP is one.
 */
export const REPLY_CLASSES = [
  'invalid_recipient',
  'dns_failure',
  'spam_block',
  'spam_content',
  'prohibited_attachment',
  'relay_denied',
  'auto_reply',
  'transient_failure',
  'subscribe',
  'unsubscribe',
  'challenge_response',
  'bad_configuration',
  'bad_connection',
  'bad_domain',
  'content_related',
  'inactive_mailbox',
  'invalid_sender',
  'message_expired',
  'no_answer_from_host',
  'policy_related',
  'protocol_errors',
  'quota_issues',
  'relaying_issues',
  'routing_errors',
  'spam_related',
  'virus_related',
  'authentication_failed',
  'too_many_recipients',
  'uncategorized',
  'delivered',
  'throttled',
  'greylisted',
  'message_too_large',
  'login_refused',
] as const

export type ReplyClass = (typeof REPLY_CLASSES)[number]

/** Whom a reply speaks of. `dkim_domain` is the domain of From, which signs; `tenant` is one sender at a relay that we log in to. */
export const REPLY_ABOUT = [
  'source',
  'netblock',
  'spf_domain',
  'dkim_domain',
  'url_domain',
  'tenant',
  'recipient',
  'message',
  'site',
] as const

export type ReplyAbout = (typeof REPLY_ABOUT)[number]

/**
 * What follows from a reply. `throttle`: send less of what it is about. `block`: what it is about is not accepted for a while; a pause, never a
 * suppression. `fix`: our side has to be set up, waiting does not help. `later`: this recipient or this message, at another time.
 * `trouble`: something is wrong on the other side. `refused`: no for good, and nothing is wrong with the address.
 */
export const REPLY_MEANS = ['taken', 'throttle', 'block', 'fix', 'bad_address', 'refused', 'later', 'trouble'] as const

export type ReplyMeans = (typeof REPLY_MEANS)[number]

/** What the reply answers: the greeting, EHLO, MAIL, RCPT, DATA, or the message. */
export type ReplyPhase = 'connect' | 'helo' | 'mail' | 'rcpt' | 'data' | 'message'

import type { IdentityKind, ReplyStyle } from './site-policy.ts'

export type Phase = 'connect' | 'tls' | 'mail' | 'rcpt' | 'data'

/** What a site says, and whether it hangs up then. */
export interface Reply {
  readonly code: number
  readonly enhanced: string | null
  readonly text: string
  readonly phase: Phase
  readonly closes: boolean
}

/** As the other side reads it. */
export const lineOf = ({ code, enhanced, text }: Reply) => `${code} ${enhanced ? `${enhanced} ` : ''}${text}`

/** Whom or what a reply is about. */
export interface Subject {
  readonly kind: IdentityKind
  readonly value: string
}

/**
 * What a site has to say, in the manner of those who run large ones: their codes and the words by which they are known, so that whoever reads
 * replies has something to read. A `421` closes the connection.
 */
export interface Phrases {
  throttled(subject: Subject): string
  /** To who did not slow down. */
  escalated(subject: Subject): string
  blocked(subject: Subject): string
  readonly tooManyConnections: string
  readonly tooManyMessages: string
  readonly greylisted: string
  readonly unknownUser: string
  readonly refused: string
}

const COMMON: Phrases = {
  throttled: ({ kind, value }) =>
    kind === 'source'
      ? `450 4.7.1 Error: too much mail from ${value}`
      : `450 4.7.1 Rate limit exceeded for ${NAMES[kind]} ${value}, please try again later`,
  escalated: ({ value }) => `421 4.7.0 ${value} Error: too many errors, slow down`,
  blocked: ({ kind, value }) =>
    kind === 'source'
      ? `554 5.7.1 Service unavailable; Client host [${value}] blocked using a local list`
      : `554 5.7.1 Message rejected: the ${NAMES[kind]} ${value} is on a block list`,
  tooManyConnections: '421 4.7.0 Error: too many connections',
  tooManyMessages: '421 too many messages in this connection',
  greylisted: '450 4.2.0 Recipient address rejected: Greylisted, try again later',
  unknownUser: '550 5.1.1 Recipient address rejected: User unknown in virtual mailbox table',
  refused: '554 5.7.1 Recipient address rejected: Access denied',
}

const NAMES: Record<IdentityKind, string> = {
  source: 'IP address',
  spf_domain: 'SPF domain',
  dkim_domain: 'DKIM domain',
  url_domain: 'URL domain',
  tenant: 'customer',
}

const RATE_HELP = 'https://support.google.com/mail/?p=UnsolicitedRateLimitError'

const gmailRate = ({ kind, value }: Subject) =>
  kind === 'source'
    ? `421 4.7.28 Gmail has detected an unusual rate of unsolicited mail originating from your IP address [${value}]. To protect our users from spam, mail sent from your IP address has been temporarily rate limited. ${RATE_HELP} - gsmtp`
    : `421 4.7.28 Gmail has detected an unusual rate of mail originating from your ${NAMES[kind]} [${value}]. To protect our users from spam, mail from this ${NAMES[kind]} has been temporarily rate limited. ${RATE_HELP} - gsmtp`

export const PHRASES: Record<ReplyStyle, Phrases> = {
  gmail: {
    ...COMMON,
    throttled: gmailRate,
    escalated: gmailRate,
    blocked: ({ value }) =>
      `550 5.7.1 [${value}] Gmail has detected that this message is likely unsolicited mail. To reduce the amount of spam sent to Gmail, this message has been blocked. https://support.google.com/mail/?p=UnsolicitedMessageError - gsmtp`,
    tooManyConnections: '421 4.7.0 Try again later, closing connection. (CONNECT) - gsmtp',
    tooManyMessages: '421 4.7.0 Try again later, closing connection. (MAIL) - gsmtp',
    unknownUser:
      '550 5.1.1 The email account that you tried to reach does not exist. https://support.google.com/mail/?p=NoSuchUser - gsmtp',
  },
  outlook: {
    ...COMMON,
    throttled: ({ kind, value }) =>
      kind === 'source'
        ? `451 4.7.650 The mail server [${value}] has been temporarily rate limited due to IP reputation. For e-mail delivery information, see https://postmaster.live.com (S775)`
        : COMMON.throttled({ kind, value }),
    escalated: ({ value }) => `451 4.7.500 Server busy. Please try again later from [${value}]. (S77719)`,
    blocked: ({ value }) =>
      `550 5.7.1 Unfortunately, messages from [${value}] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3150).`,
    tooManyConnections: '421 4.7.652 The mail server has exceeded the maximum number of connections. (S844)',
    tooManyMessages: '421 4.7.653 The mail server has exceeded maximum number of messages per connection. (S844)',
    unknownUser: '550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302).',
  },
  yahoo: {
    ...COMMON,
    throttled: ({ value }) =>
      `451 4.7.1 Message from ${value} temporarily deferred, too much mail at once; try again later`,
    escalated: ({ value }) =>
      `421 4.7.0 [TSS04] Messages from ${value} temporarily deferred due to unexpected volume or user complaints - 4.16.55.1; see https://postmaster.yahooinc.com/error-codes`,
    blocked: ({ value }) =>
      `553 5.7.2 [TSS09] All messages from ${value} will be permanently deferred; Retrying will NOT succeed. See https://postmaster.yahooinc.com/error-codes`,
    tooManyMessages: '421 Max message per connection reached, closing transmission channel',
    unknownUser: "554 delivery error: dd This user doesn't have a yahoo.com account [0]",
  },
  icloud: {
    ...COMMON,
    throttled: ({ value }) =>
      `450 4.7.1 [HCM1] Your mail from ${value} was deferred: too many messages, try again later`,
    escalated: ({ value }) => `421 4.7.1 [HCM1] Mail from ${value} may be paused, try again later`,
    blocked: ({ value }) => `554 5.7.1 [HM08] Message from ${value} rejected due to local policy`,
    tooManyConnections: '421 4.7.0 Service unavailable - try again later',
    unknownUser: '550 5.1.1 <recipient>: user does not exist',
  },
  gmx: {
    ...COMMON,
    throttled: ({ value }) =>
      `450 4.7.0 Requested mail action not taken: ${value} sends too much at once. Reject due to policy restrictions.`,
    tooManyConnections: '421 Nemesis ESMTP Service not available. Too many connections',
    unknownUser: '550 Requested action not taken: mailbox unavailable',
  },
  comcast: {
    ...COMMON,
    throttled: ({ value }) =>
      `452 4.1.0 ${value} Throttled - too many messages. See https://postmaster.comcast.net/smtp-error-codes.php#RL000001`,
    tooManyConnections:
      '421 4.7.0 Too many sessions opened. See https://postmaster.comcast.net/smtp-error-codes.php#RL000003',
    unknownUser: '550 5.1.1 Not our Customer',
  },
  orange: {
    ...COMMON,
    throttled: ({ value }) =>
      `450 4.7.1 ${value} Service refuse. Veuillez essayer plus tard. Service refused, please try later. OFR_999 [999]`,
    tooManyConnections:
      '421 ME Trop de connexions, veuillez verifier votre configuration. Too many connections, slow down. OFR004_104 [104]',
    unknownUser: '550 5.1.1 Adresse d au moins un destinataire invalide. Invalid recipient. OFR_416 [416]',
  },
  mimecast: {
    ...COMMON,
    throttled: () => '451 Internal resource temporarily unavailable - https://community.mimecast.com/docs/DOC-1369#451',
    unknownUser: '550 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#550',
  },
  postfix: COMMON,
  exchange: {
    ...COMMON,
    throttled: () => '421 4.4.2 Message submission rate for this client has exceeded the configured limit',
    tooManyConnections:
      '421 4.3.2 The maximum number of concurrent connections has exceeded a limit, closing transmission channel',
    unknownUser: '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup',
  },
}

/** The line as a reply: `421` hangs up, whatever it is about. */
export function replyOf(line: string, phase: Phase): Reply {
  const [, code, enhanced, text] = /^(\d{3}) (?:(\d\.\d{1,3}\.\d{1,3}) )?(.*)$/s.exec(line)!
  return { code: Number(code), enhanced: enhanced ?? null, text: text!, phase, closes: code === '421' }
}

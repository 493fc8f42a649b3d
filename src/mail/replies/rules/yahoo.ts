import type { ReplyRule } from '../reply-rule.ts'

const HOUR = 3_600

/** Yahoo and AOL: https://senders.yahooinc.com/smtp-error-codes. The hours are what senders found to be enough. */
export const YAHOO_RULES: readonly ReplyRule[] = [
  {
    id: 'yahoo/tss04',
    code: '4',
    words: /\[(?:ip)?tss?04\]/,
    class: 'throttled',
    about: 'source',
    pauseSeconds: 2 * HOUR,
  },
  {
    id: 'yahoo/tss05',
    code: '4',
    words: /\[(?:ip)?tss?05\]/,
    class: 'throttled',
    about: 'source',
    pauseSeconds: 4 * HOUR,
  },
  { id: 'yahoo/deferred', code: '4', words: /\[(?:ip)?tss?\d\d\]|\bvs98-ip0\b/, class: 'throttled', about: 'source' },
  { id: 'yahoo/blocked', code: '5', words: /\[bl\d\d\]|\[tss(?:07|09|11)\]/, class: 'spam_block' },
  { id: 'yahoo/from-domain', words: /unresolvable rfc\.?5321 from domain/, class: 'invalid_sender' },
  {
    id: 'yahoo/authentication',
    words: /error-codes#authentication|yahoo requires all senders to authenticate/,
    class: 'authentication_failed',
  },
  { id: 'yahoo/rfc', words: /headers are not rfc compliant/, class: 'content_related' },
  {
    id: 'yahoo/policy',
    words: /not accepted for policy reasons|message not allowed - \[/,
    class: 'policy_related',
    about: 'message',
  },
  {
    id: 'yahoo/recipient-rate',
    code: '450',
    words: /user is receiving mail too quickly/,
    class: 'throttled',
    about: 'recipient',
    means: 'later',
  },
  { id: 'yahoo/domain-failure', code: '4', words: /temporary domain failure/, class: 'dns_failure' },
]

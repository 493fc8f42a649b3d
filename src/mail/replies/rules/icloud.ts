import { PASSING } from '../classes.ts'
import type { ReplyRule } from '../reply-rule.ts'

/** iCloud: https://support.apple.com/en-us/102322 */
export const ICLOUD_RULES: readonly ReplyRule[] = [
  // It names nobody: whose mail it was waits, and all other mail from the same address goes on.
  { id: 'icloud/local-policy', code: '5', words: /\[(?:cs|hm|bs)\d\d\]/, class: 'spam_block', about: 'tenant' },
  { id: 'icloud/not-accepting', code: '5', words: /\.me\.com esmtp not accepting connections/, class: 'spam_block' },
  { id: 'icloud/deferred', code: '4', words: /\[hcm\d\]/, class: 'throttled', about: 'source' },
  { id: 'icloud/server-error', code: '4', words: /\[bs02\]/, class: 'transient_failure' },
  {
    id: 'icloud/busy',
    code: '451',
    enhanced: '7.1',
    words: /service unavailable - try again later/,
    class: 'throttled',
  },
  { id: 'icloud/errors', code: '421', words: /error: too many errors/, class: 'throttled', about: 'source' },
  {
    id: 'icloud/recipient-rate',
    code: '4',
    words: /^messages to @ deferred due to excessive volume/,
    class: 'throttled',
    about: 'recipient',
    means: 'later',
  },
  { id: 'icloud/url', words: /domain present in the spamhaus dbl/, class: 'spam_content', about: 'url_domain' },
  // An alias can be switched off and on again: the address may be back tomorrow.
  {
    id: 'icloud/paused',
    code: '5',
    words: /: inactive email address/,
    class: 'inactive_mailbox',
    means: 'refused',
    bounce: PASSING,
  },
  { id: 'icloud/gone', code: '5', words: /recipient no longer on server/, class: 'inactive_mailbox' },
]

import type { ReplyClass } from '../../reply-class.ts'
import { BAD_ADDRESS, CONTENT, NO_EMAIL } from '../classes.ts'
import type { ReplyRule } from '../reply-rule.ts'
import { REFUSED_RECIPIENT } from './address-words.ts'

const byEnhanced = (enhanced: string, replyClass: ReplyClass, more: Partial<ReplyRule> = {}): ReplyRule => ({
  id: `enhanced/${enhanced}`,
  enhanced,
  class: replyClass,
  ...more,
})

const byCode = (code: string, replyClass: ReplyClass, more: Partial<ReplyRule> = {}): ReplyRule => ({
  id: `code/${code}`,
  code,
  class: replyClass,
  ...more,
})

/** RFC 3463 and its registry. Those for "other" (x.0) are used for anything, and say little. */
const BY_ENHANCED: readonly ReplyRule[] = [
  byEnhanced('1.1', 'invalid_recipient'),
  byEnhanced('1.2', 'bad_domain'), // no such domain
  byEnhanced('1.3', 'invalid_recipient', { bounce: BAD_ADDRESS }), // not an address
  byEnhanced('1.6', 'inactive_mailbox', { bounce: NO_EMAIL }), // moved, nobody knows where to
  byEnhanced('1.10', 'bad_domain'), // the domain takes no mail (null MX); of Microsoft: not in the directory
  byEnhanced('1.351', 'invalid_recipient'), // of Microsoft: the other server knows no such recipient
  byEnhanced('2.1', 'inactive_mailbox'),
  byEnhanced('2.2', 'quota_issues'),
  byEnhanced('2.3', 'message_too_large'),
  byEnhanced('3.1', 'quota_issues', { code: '4', about: 'site', means: 'trouble' }),
  byEnhanced('3.4', 'message_too_large'),
  byEnhanced('4.1', 'no_answer_from_host'),
  byEnhanced('4.2', 'bad_connection'),
  byEnhanced('4.3', 'dns_failure'),
  byEnhanced('4.4', 'routing_errors'),
  byEnhanced('4.6', 'routing_errors'),
  byEnhanced('4.7', 'message_expired'),
  byEnhanced('5.3', 'too_many_recipients', { code: '4' }),
  byEnhanced('7.13', 'inactive_mailbox', { bounce: CONTENT }),
  byEnhanced('7.20', 'authentication_failed'),
  byEnhanced('7.21', 'authentication_failed'),
  byEnhanced('7.22', 'authentication_failed'),
  byEnhanced('7.23', 'authentication_failed', { about: 'spf_domain' }),
  byEnhanced('7.24', 'authentication_failed', { about: 'spf_domain' }),
  byEnhanced('7.25', 'bad_configuration', { bounce: CONTENT }),
  byEnhanced('7.26', 'authentication_failed'),
  byEnhanced('7.27', 'invalid_sender', { bounce: CONTENT }), // its domain takes no mail
  byEnhanced('7.28', 'throttled', { bounce: CONTENT }),
  byEnhanced('7.30', 'bad_configuration', { bounce: CONTENT }), // REQUIRETLS
  byEnhanced('6.', 'content_related'),
  byEnhanced('7.', 'policy_related'),
  byEnhanced('3.', 'transient_failure', { code: '4' }),
  byEnhanced('4.', 'transient_failure', { code: '4' }),
  byEnhanced('3.', 'uncategorized'),
  byEnhanced('4.', 'routing_errors'),
]

const BY_CODE: readonly ReplyRule[] = [
  // The words for "not here" count where no code says something else.
  { id: 'words/recipient-refused', words: REFUSED_RECIPIENT, class: 'invalid_recipient', bounce: BAD_ADDRESS },
  {
    id: 'words/address-rejected',
    enhanced: '1.0',
    words: /address rejected/,
    class: 'invalid_recipient',
    bounce: BAD_ADDRESS,
  },
  byEnhanced('5.', 'protocol_errors'),
  byEnhanced('1.', 'uncategorized', { about: 'recipient' }),
  byEnhanced('2.', 'transient_failure', { code: '4', about: 'recipient', means: 'later' }),
  byCode('421', 'throttled'),
  byCode('500', 'protocol_errors'),
  byCode('501', 'protocol_errors'),
  byCode('502', 'protocol_errors'),
  byCode('503', 'protocol_errors'),
  byCode('504', 'protocol_errors'),
  byCode('452', 'quota_issues', { about: 'site', means: 'trouble' }),
  // 521 and 556: the host, the domain takes no mail at all (RFC 7504).
  byCode('521', 'bad_domain'),
  byCode('551', 'invalid_recipient', { bounce: BAD_ADDRESS }),
  byCode('552', 'message_too_large'),
  byCode('556', 'bad_domain'),
]

/** What the codes say where the words say nothing. */
export const CODE_RULES: readonly ReplyRule[] = [...BY_ENHANCED, ...BY_CODE]

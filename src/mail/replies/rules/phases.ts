import type { ReplyPhase } from '../../reply-class.ts'
import type { ReplyRule } from '../reply-rule.ts'

/** The last resort: what was answered. A greeting speaks of our address, an answer to RCPT of a recipient. */
export const PHASE_RULES: Readonly<Record<ReplyPhase, readonly ReplyRule[]>> = {
  connect: [
    { id: 'phase/connect', code: '5', class: 'policy_related', about: 'source', means: 'trouble' },
    { id: 'phase/connect', code: '4', class: 'transient_failure' },
  ],
  helo: [
    { id: 'phase/helo', code: '5', class: 'bad_configuration' },
    { id: 'phase/helo', code: '4', class: 'transient_failure' },
  ],
  mail: [
    { id: 'phase/mail', code: '5', class: 'uncategorized' },
    { id: 'phase/mail', code: '4', class: 'transient_failure' },
  ],
  rcpt: [
    { id: 'phase/rcpt', code: '5', class: 'uncategorized', about: 'recipient' },
    { id: 'phase/rcpt', code: '4', class: 'transient_failure', about: 'recipient', means: 'later' },
  ],
  data: [
    { id: 'phase/data', code: '5', class: 'uncategorized', about: 'message' },
    { id: 'phase/data', code: '4', class: 'transient_failure' },
  ],
  message: [
    { id: 'phase/message', code: '5', class: 'uncategorized', about: 'message' },
    { id: 'phase/message', code: '4', class: 'transient_failure' },
  ],
}

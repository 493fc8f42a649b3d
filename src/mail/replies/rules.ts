import type { ReplyRule } from './reply-rule.ts'
import { CODE_RULES } from './rules/codes.ts'
import { GMAIL_RULES } from './rules/gmail.ts'
import { ICLOUD_RULES } from './rules/icloud.ts'
import { OTHER_PROVIDER_RULES } from './rules/other-providers.ts'
import { OUTLOOK_RULES } from './rules/outlook.ts'
import { SOURCE_RULES } from './rules/source.ts'
import { WORD_RULES } from './rules/words.ts'
import { YAHOO_RULES } from './rules/yahoo.ts'

const of = (provider: string, rules: readonly ReplyRule[]) => rules.map((rule) => ({ ...rule, provider }))

/** A connection has had its share: the next one goes on, and nobody wants less mail. */
const SESSION_RULES: readonly ReplyRule[] = [
  {
    id: 'source/session-full',
    words:
      /(?:too many|max(?:imum)?(?: number of)?) (?:messages?|recipients) (?:in this|per|for this) (?:connection|session)/,
    class: 'throttled',
    about: 'message',
    means: 'later',
  },
]

/**
 * All rules, in the order of looking; the first that holds decides. What an operator adds belongs in front.
 * `OWN_WORDS` are read in the reply with its links, and with `ip` for any address of a machine; `COMMON_WORDS` without.
 */
export const OWN_WORDS: readonly ReplyRule[] = [
  ...SESSION_RULES,
  ...of('gmail', GMAIL_RULES),
  ...of('outlook', OUTLOOK_RULES),
  ...of('yahoo', YAHOO_RULES),
  ...of('icloud', ICLOUD_RULES),
  ...OTHER_PROVIDER_RULES,
  ...SOURCE_RULES,
]

export const COMMON_WORDS: readonly ReplyRule[] = [...WORD_RULES, ...CODE_RULES]

import type { ChoiceField, Option, PeriodField, TextField } from './filter-values.ts'
import { inSentenceCase } from './sentence-case.ts'
import { texts } from './texts.ts'

// Fields that several lists have.

/** Words that are their own names. */
export const asOptions = (words: readonly string[]): Option[] =>
  words.map((word) => ({ value: word, label: inSentenceCase(word) }))

export const FROM: TextField = { kind: 'text', label: texts.from, operator: 'from', placeholder: texts.nameAddress }
export const TO: TextField = { kind: 'text', label: texts.to, operator: 'to', placeholder: texts.nameAddress }
export const SUBJECT: TextField = { kind: 'text', label: texts.subject, operator: 'subject', placeholder: texts.words }

export const ATTACHMENTS: ChoiceField = {
  kind: 'choice',
  label: texts.attachments,
  operator: 'has',
  none: texts.withWithout,
  options: [{ value: 'attachment', label: texts.withAttachments }],
}

/** `created_after` and `created_before`. */
export const PERIOD: PeriodField = { kind: 'period', label: texts.date }

/** `after:` and `before:` in the search. */
export const SEARCHED_PERIOD: PeriodField = { kind: 'period', label: texts.date, isTerm: true }

/** `status:` in the search. */
export const statusField = (statuses: readonly string[], none = texts.allStatuses): ChoiceField => ({
  ...{ kind: 'choice', label: texts.status, operator: 'status', none, options: asOptions(statuses) },
})

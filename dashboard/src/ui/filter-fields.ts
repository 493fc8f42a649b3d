import type { ChoiceField, Option, PeriodField, TextField } from './filter-values.ts'
import { inSentenceCase } from './sentence-case.ts'
import { texts } from './texts.ts'

// Fields that several lists have.

/** Words that are their own names. */
export const asOptions = (words: readonly string[]): Option[] =>
  words.map((word) => ({ value: word, label: inSentenceCase(word) }))

export const FROM: TextField = {
  kind: 'text',
  label: texts.filters.fields.from,
  operator: 'from',
  placeholder: texts.filters.placeholders.address,
}
export const TO: TextField = {
  kind: 'text',
  label: texts.filters.fields.to,
  operator: 'to',
  placeholder: texts.filters.placeholders.address,
}
export const SUBJECT: TextField = {
  kind: 'text',
  label: texts.filters.fields.subject,
  operator: 'subject',
  placeholder: texts.filters.placeholders.words,
}

export const ATTACHMENTS: ChoiceField = {
  kind: 'choice',
  label: texts.filters.fields.attachments,
  operator: 'has',
  none: texts.filters.options.anyAttachments,
  options: [{ value: 'attachment', label: texts.filters.options.withAttachments }],
}

/** `created_after` and `created_before`. */
export const PERIOD: PeriodField = { kind: 'period', label: texts.filters.fields.date }

/** `after:` and `before:` in the search. */
export const SEARCHED_PERIOD: PeriodField = { kind: 'period', label: texts.filters.fields.date, isTerm: true }

/** `status:` in the search. */
export const statusField = (statuses: readonly string[], none = texts.filters.options.allStatuses): ChoiceField => ({
  ...{ kind: 'choice', label: texts.filters.fields.status, operator: 'status', none, options: asOptions(statuses) },
})

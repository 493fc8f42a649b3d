import { SEARCH_OPERATORS } from '../../../../src/mail/search-query.ts'
import { ATTACHMENTS, FROM, SEARCHED_PERIOD, SUBJECT, TO } from '../../ui/filter-fields.ts'
import type { Filters } from '../../ui/filter-values.ts'
import { texts } from './texts.ts'

/** What the endpoints have a parameter for. The address has each under the same name. */
export const TERMS = ['direction', 'is_read', 'from', 'to', 'subject', 'text', 'tag'] as const

export type Filter = { readonly [Name in (typeof TERMS)[number] | 'q']?: string | undefined }

/** `is:unread`, `is:sent` and their like are choices, too. */
export const FILTERS: Filters = {
  search: {
    ...{ word: 'q', label: texts.filters.search, placeholder: texts.filters.searchPlaceholder },
    operators: SEARCH_OPERATORS,
  },
  fields: [
    {
      ...{
        kind: 'choice',
        label: texts.filters.direction,
        word: 'direction',
        operator: 'is',
        none: texts.filters.anyDirection,
      },
      options: [
        { value: 'sent', label: texts.filters.sent },
        { value: 'received', label: texts.filters.received },
      ],
    },
    {
      ...{
        kind: 'choice',
        label: texts.filters.readState,
        word: 'is_read',
        operator: 'is',
        none: texts.filters.anyReadState,
      },
      options: [
        { value: 'false', label: texts.filters.unread, written: 'unread' },
        { value: 'true', label: texts.filters.read, written: 'read' },
      ],
    },
    { ...FROM, word: 'from', placeholder: texts.filters.addressPlaceholder },
    { ...TO, word: 'to', placeholder: texts.filters.addressPlaceholder },
    { ...SUBJECT, word: 'subject' },
    {
      kind: 'text',
      label: texts.filters.text,
      word: 'text',
      operator: 'text',
      placeholder: texts.filters.textPlaceholder,
    },
    { kind: 'text', label: texts.filters.label, word: 'tag', operator: 'tag', alias: 'label' },
    ATTACHMENTS,
    SEARCHED_PERIOD,
  ],
}

export const TOGGLES = [
  { word: 'is_read', value: 'false', label: texts.filters.unread },
  { word: 'direction', value: 'sent', label: texts.filters.sent },
  { word: 'direction', value: 'received', label: texts.filters.received },
] as const

export const isEmpty = (filter: Filter) => Object.values(filter).every((value) => !value)

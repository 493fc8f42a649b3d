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
    ...{ word: 'q', label: texts.searchMail, placeholder: texts.searchAdaExampleCom },
    operators: SEARCH_OPERATORS,
  },
  fields: [
    {
      ...{ kind: 'choice', label: texts.direction, word: 'direction', operator: 'is', none: texts.sentReceived },
      options: [
        { value: 'sent', label: texts.sent },
        { value: 'received', label: texts.received },
      ],
    },
    {
      ...{ kind: 'choice', label: texts.read, word: 'is_read', operator: 'is', none: texts.readUnread },
      options: [
        { value: 'false', label: texts.unread, written: 'unread' },
        { value: 'true', label: texts.read, written: 'read' },
      ],
    },
    { ...FROM, word: 'from', placeholder: texts.address },
    { ...TO, word: 'to', placeholder: texts.address },
    { ...SUBJECT, word: 'subject' },
    { kind: 'text', label: texts.text, word: 'text', operator: 'text', placeholder: texts.words },
    { kind: 'text', label: texts.label, word: 'tag', operator: 'tag', alias: 'label' },
    ATTACHMENTS,
    SEARCHED_PERIOD,
  ],
}

export const TOGGLES = [
  { word: 'is_read', value: 'false', label: texts.unread },
  { word: 'direction', value: 'sent', label: texts.sent },
  { word: 'direction', value: 'received', label: texts.received },
] as const

export const isEmpty = (filter: Filter) => Object.values(filter).every((value) => !value)

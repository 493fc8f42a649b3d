import { parseSearch, type SearchTerm, writeSearch, writeTerm } from '../../../src/mail/search-query.ts'
import { dayAfter, periodBegins, periodText } from './period.ts'
import type { Word, Words } from './search-params.ts'

// What a list is filtered by stands in the address, so that it can be kept and passed on: in a parameter of its own (`word`) where the
// endpoint has one of that name, otherwise as a term of the search (`q`).

interface FieldBase {
  readonly label: string
  readonly word?: Word
  /** How it is written into the search field: `to` for `to:ada@example.com`. */
  readonly operator?: string
  /** Another word for the operator. */
  readonly alias?: string
}

export interface Option {
  readonly value: string
  readonly label: string
  /** How it is written behind the operator, when that is not its value: `unread` for `is:unread`. */
  readonly written?: string
}

export interface ChoiceField extends FieldBase {
  readonly kind: 'choice'
  readonly options: readonly Option[]
  /** What no choice is called. */
  readonly none: string
}

export interface TextField extends FieldBase {
  readonly kind: 'text'
  readonly placeholder?: string
}

/** From when to when: `created_after` and `created_before`, or the terms `after:` and `before:`. */
export interface PeriodField {
  readonly kind: 'period'
  readonly label: string
  readonly isTerm?: boolean
}

export type FilterField = ChoiceField | TextField | PeriodField

export interface SearchOf {
  /** The parameter of the address. */
  readonly word: Word
  /** What terms can be in it: `to:ada@example.com`. */
  readonly operators?: readonly string[]
  readonly label: string
  readonly placeholder?: string
}

export interface Filters {
  readonly search?: SearchOf | undefined
  readonly fields: readonly FilterField[]
}

export interface Period {
  readonly created_after?: string | undefined
  readonly created_before?: string | undefined
}

/** One condition, as a chip shows it, and the changes of the address that are rid of it. */
export interface ActiveFilter {
  readonly label: string
  readonly without: Words
}

interface Split {
  readonly terms: readonly SearchTerm[]
  readonly words: string
}

const termOf = (operator: string, value: string): SearchTerm => ({
  ...{ operator, value, isPhrase: /\s/.test(value), isExcluded: false },
})

/** Operators that are no word of the search here: those of `q`, and those of fields with a parameter of their own. */
const operatorsOf = ({ search, fields }: Filters): ReadonlySet<string> =>
  new Set([
    ...(search?.operators ?? []),
    ...fields.flatMap((field) => (field.kind === 'period' ? [] : [field.operator ?? [], field.alias ?? []].flat())),
  ])

/** The terms with an operator, and the words that are left, as they are written. */
function splitText(filters: Filters, text: string): Split {
  const operators = operatorsOf(filters)
  const isTerm = ({ operator }: SearchTerm) => operator !== null && operators.has(operator)
  const all = parseSearch(text)
  if (!filters.search?.operators || !all.some(isTerm)) return { terms: [], words: text.trim() }
  return { terms: all.filter(isTerm), words: writeSearch(all.filter((term) => !isTerm(term))) }
}

const splitSearch = (filters: Filters, words: Words): Split =>
  splitText(filters, (filters.search && words[filters.search.word]) ?? '')

const joinSearch = (terms: readonly SearchTerm[], words: string) =>
  [writeSearch(terms), words].filter((part) => part !== '').join(' ') || undefined

const isTermOf = (field: FilterField, { operator, isExcluded }: SearchTerm) =>
  field.kind !== 'period' && !field.word && field.operator === operator && !isExcluded

/** The words of the search, without its terms. */
export const searchText = (filters: Filters, words: Words) => splitSearch(filters, words).words

/** What a field is set to. */
export function fieldValue(filters: Filters, words: Words, field: ChoiceField | TextField): string {
  if (field.word) return words[field.word] ?? ''
  return splitSearch(filters, words).terms.find((term) => isTermOf(field, term))?.value ?? ''
}

/** The changes of the address that set a field. */
export function withField(filters: Filters, words: Words, field: ChoiceField | TextField, value: string): Words {
  if (field.word) return { [field.word]: value || undefined }
  const { terms, words: text } = splitSearch(filters, words)
  const others = terms.filter((term) => !isTermOf(field, term))
  const next = value ? [...others, termOf(field.operator!, value)] : others
  return { q: joinSearch(next, text) }
}

export function periodOf(filters: Filters, words: Words, { isTerm = false }: PeriodField): Period {
  if (!isTerm) return { created_after: words.created_after, created_before: words.created_before }
  const { terms } = splitSearch(filters, words)
  const termValue = (name: string) => terms.find(({ operator, isExcluded }) => operator === name && !isExcluded)?.value
  return { created_after: termValue('after'), created_before: dayAfter(termValue('before'), -1) }
}

export function withPeriod(filters: Filters, words: Words, { isTerm = false }: PeriodField, period: Period): Words {
  const { created_after, created_before } = period
  if (!isTerm) return { created_after, created_before }
  const { terms, words: text } = splitSearch(filters, words)
  const others = terms.filter(({ operator, isExcluded }) => isExcluded || !['after', 'before'].includes(operator ?? ''))
  const given = [
    ...(created_after ? [termOf('after', created_after)] : []),
    ...(created_before ? [termOf('before', dayAfter(created_before, 1)!)] : []),
  ]
  return { q: joinSearch([...others, ...given], text) }
}

/** Whether somebody is writing a term: it is meant as a whole, and not as what it is letter by letter. */
export const hasTerm = (filters: Filters, text: string) =>
  filters.search?.operators !== undefined &&
  [...text.matchAll(/([a-z_]+):/gi)].some(([, name]) => operatorsOf(filters).has(name!.toLowerCase()))

const optionOf = ({ options }: ChoiceField, written: string) =>
  options.find((option) => (option.written ?? option.value) === written.toLowerCase())

/** The changes that search for a text: terms with a parameter of their own become that, and all others stay terms of the search. */
export function withText(filters: Filters, words: Words, text: string): Words {
  const { search, fields } = filters
  if (!search) return {}
  if (!search.operators) return { [search.word]: text || undefined }
  const known = splitSearch(filters, words)
  const written = splitText(filters, text)
  const fieldOf = ({ operator, value, isExcluded }: SearchTerm) =>
    fields.find(
      (field): field is ChoiceField | TextField =>
        field.kind !== 'period' &&
        field.word !== undefined &&
        (field.operator === operator || field.alias === operator) &&
        !isExcluded &&
        (field.kind === 'text' || optionOf(field, value) !== undefined),
    )
  const changes = Object.fromEntries(
    written.terms.flatMap((term) => {
      const field = fieldOf(term)
      return field ? [[field.word!, field.kind === 'text' ? term.value : optionOf(field, term.value)!.value]] : []
    }),
  ) as Words
  const terms = [...known.terms, ...written.terms.filter((term) => !fieldOf(term))]
  const once = terms.filter((term, at) => terms.findIndex((one) => writeTerm(one) === writeTerm(term)) === at)
  return { ...changes, q: joinSearch(once, written.words) }
}

/** The search as the endpoint takes it: days and presets of `after:` and `before:` are moments, since a day is a day of the reader. */
export function searchInput(q: string | undefined): string | undefined {
  if (!q) return undefined
  const isPeriod = ({ operator }: SearchTerm) => operator === 'after' || operator === 'before'
  const terms = parseSearch(q)
  if (!terms.some(isPeriod)) return q
  return writeSearch(terms.map((term) => (isPeriod(term) ? { ...term, value: periodBegins(term.value) ?? '' } : term)))
}

/** All conditions besides the words of the search, in the order of the fields; what no field knows comes last. */
export function activeFilters(filters: Filters, words: Words): ActiveFilter[] {
  const { terms, words: text } = splitSearch(filters, words)
  const ofFields = filters.fields.flatMap((field): ActiveFilter[] => {
    if (field.kind === 'period') {
      const period = periodOf(filters, words, field)
      if (!period.created_after && !period.created_before) return []
      return [{ label: `${field.label}: ${periodText(period)}`, without: withPeriod(filters, words, field, {}) }]
    }
    const value = fieldValue(filters, words, field)
    if (!value) return []
    const shown = field.kind === 'choice' ? (field.options.find((one) => one.value === value)?.label ?? value) : value
    return [{ label: `${field.label}: ${shown}`, without: withField(filters, words, field, '') }]
  })
  const hasPeriod = filters.fields.some((field) => field.kind === 'period' && field.isTerm)
  const isOfField = (term: SearchTerm, at: number) =>
    (hasPeriod && !term.isExcluded && ['after', 'before'].includes(term.operator ?? '')) ||
    filters.fields.some((field) => isTermOf(field, term) && terms.findIndex((one) => isTermOf(field, one)) === at)
  const others = terms.flatMap((term, at): ActiveFilter[] =>
    isOfField(term, at)
      ? []
      : [
          {
            label: writeTerm(term),
            without: {
              q: joinSearch(
                terms.filter((_, one) => one !== at),
                text,
              ),
            },
          },
        ],
  )
  return [...ofFields, ...others]
}

/** The changes that are rid of every condition, and of the words of the search. */
export function withoutAll({ search, fields }: Filters): Words {
  const words = fields.flatMap((field): Word[] => {
    if (field.kind === 'period') return field.isTerm ? [] : ['created_after', 'created_before']
    return field.word ? [field.word] : []
  })
  return Object.fromEntries([...words, ...(search ? [search.word] : [])].map((word) => [word, undefined]))
}

export const isFiltered = (filters: Filters, words: Words) =>
  searchText(filters, words) !== '' || activeFilters(filters, words).length > 0

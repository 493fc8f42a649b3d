// The search grammar of every list (`q`) and of inboxes. One parser for the server, which makes conditions of the terms, and for the dashboard,
// which shows them as chips. Each list names its operators.
//
//   invoice anna@acme.test   words, all of which must be there; a word is found by how it begins
//   "annual report"          a phrase
//   -draft                   not this one; also in front of a phrase or an operator
//   to:anna subject:"q3"     an operator: a word, a colon and a value

/** Every operator that some list knows. */
export const SEARCH_OPERATORS = ['to', 'from', 'subject', 'status', 'tag', 'before', 'after', 'has'] as const
export type SearchOperator = (typeof SEARCH_OPERATORS)[number]

/** Of the whole text, in characters. */
export const MAX_SEARCH_LENGTH = 1_000
export const MAX_SEARCH_TERMS = 30

export interface SearchTerm {
  /** Null: words of the item itself. In small letters; it may be one that no list knows. */
  readonly operator: string | null
  readonly value: string
  /** It stood in quotes: words that follow each other. */
  readonly isPhrase: boolean
  /** There was a minus in front: what has it is left out. */
  readonly isExcluded: boolean
}

/** A term, and where it was written. */
export interface SearchToken extends SearchTerm {
  /** As it was written, with minus, operator and quotes. */
  readonly raw: string
  readonly start: number
}

/** How a text is taken apart. */
export interface SearchGrammar {
  readonly pattern: RegExp
  /** Other names of operators. */
  readonly aliases: Readonly<Record<string, string>>
}

// A minus, an operator, and a phrase in quotes (the last quote may be missing) or whatever is between spaces. A colon with nothing behind
// it, and that of `https://`, are part of a word, like that of `12:30`.
const patternOf = (names: string) =>
  new RegExp(String.raw`(-*)(?:(${names}):(?=[^\s/]|\/[^\s/]))?(?:"([^"]*)(?:"|$)|([^\s"]+))`, 'gi')

/** A grammar with these operators: other names before a colon are words. */
export function grammarOf(operators: readonly string[], aliases: Readonly<Record<string, string>> = {}): SearchGrammar {
  const names = [...operators, ...Object.keys(aliases)]
  return { pattern: patternOf(names.length > 0 ? names.join('|') : '(?!)'), aliases }
}

/** Every name is an operator: a list can say which of them it does not know. */
const ANY_OPERATOR: SearchGrammar = { pattern: patternOf('[a-z][a-z_-]*'), aliases: {} }

/** All that is written, also what says nothing: only the space between is left out. */
export function tokensOf(text: string, { pattern, aliases }: SearchGrammar = ANY_OPERATOR): SearchToken[] {
  return Array.from(text.matchAll(pattern), ({ 0: raw, 1: minus, 2: name, 3: phrase, 4: word, index }) => {
    const operator = name?.toLowerCase() ?? null
    return {
      ...{ raw, start: index, value: (phrase ?? word ?? '').trim() },
      operator: operator === null ? null : (aliases[operator] ?? operator),
      isPhrase: phrase !== undefined,
      isExcluded: minus !== '',
    }
  })
}

/** Whatever somebody writes is a search: this never fails. Values without a letter or a digit say nothing and are left out. */
export const parseSearch = (text: string, grammar?: SearchGrammar): SearchTerm[] =>
  tokensOf(text, grammar)
    .filter(({ value }) => /[\p{L}\p{N}]/u.test(value))
    .map(({ operator, value, isPhrase, isExcluded }) => ({ operator, value, isPhrase, isExcluded }))

/** The text of a term: `parseSearch` gives the same term again. */
export function writeTerm({ operator, value, isPhrase, isExcluded }: SearchTerm): string {
  const plain = value.replaceAll('"', ' ').trim()
  const before = `${isExcluded ? '-' : ''}${operator === null ? '' : `${operator}:`}`
  const [again, ...others] = isPhrase ? [] : parseSearch(before + plain)
  const isSame = again?.value === plain && again.operator === operator && others.length === 0
  return isSame ? before + plain : `${before}"${plain}"`
}

export const writeSearch = (terms: readonly SearchTerm[]): string => terms.map(writeTerm).join(' ')

/** `name=value` of `tag:name=value`; without a value any will do. A colon separates them as well. */
export function parseTag(text: string): { readonly name: string; readonly value: string | null } {
  const at = text.search(/[=:]/)
  return at < 0 ? { name: text, value: null } : { name: text.slice(0, at), value: text.slice(at + 1) }
}

/** Of `before:` and `after:`. */
export interface SearchDate {
  /** In ISO 8601. */
  readonly text: string
  readonly isDay: boolean
  /** Whether it says its time zone. A day is one of whoever asks. */
  readonly hasZone: boolean
}

/** A day (`2026/11/1` is one, too) or a moment. Null: it is neither. */
export function parseDate(text: string): SearchDate | null {
  const [, year, month, day] = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})$/.exec(text) ?? []
  if (day !== undefined) {
    const iso = `${year}-${month!.padStart(2, '0')}-${day.padStart(2, '0')}`
    const moment = new Date(iso)
    // The 30th of February would be a day of March.
    const isReal = !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(iso)
    return isReal ? { text: iso, isDay: true, hasZone: false } : null
  }
  const [, zone] = /^\d{4}-\d\d-\d\dt\d\d:\d\d(?::\d\d(?:\.\d+)?)?(z|[+-]\d\d:?\d\d)?$/i.exec(text) ?? [null]
  const isMoment = zone !== null && !Number.isNaN(new Date(text).getTime())
  return isMoment ? { text, isDay: false, hasZone: zone !== undefined } : null
}

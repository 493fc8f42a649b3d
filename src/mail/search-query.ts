// The search grammar of every list (`q`). One parser for the server, which makes conditions of the terms, and for the dashboard, which
// shows them as chips.
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

// A minus, an operator, and a phrase in quotes (the last quote may be missing) or whatever is between spaces. A colon with nothing behind
// it, and that of `https://`, are part of a word, like that of `12:30`.
const TERM = /(-*)(?:([a-z][a-z_-]*):(?=[^\s/]|\/[^\s/]))?(?:"([^"]*)(?:"|$)|([^\s"]+))/gi

/** Whatever somebody writes is a search: this never fails. Values without a letter or a digit say nothing and are left out. */
export function parseSearch(text: string): SearchTerm[] {
  return [...text.matchAll(TERM)].flatMap(([, minus, operator, phrase, word]) => {
    const value = (phrase ?? word ?? '').trim()
    if (!/[\p{L}\p{N}]/u.test(value)) return []
    return [
      {
        operator: operator?.toLowerCase() ?? null,
        value,
        isPhrase: phrase !== undefined,
        isExcluded: minus !== '',
      },
    ]
  })
}

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

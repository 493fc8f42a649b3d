import {
  MAX_SEARCH_TERMS,
  parseDate,
  parseSearch,
  parseTag,
  type SearchOperator,
  type SearchTerm,
} from '../../mail/search-query.ts'
import { fold, wordsOf } from '../../mail/words.ts'
import { Problem } from '../http/problem.ts'
import { comparable } from './document.ts'
import { addressOf, type Field, longerAddress, longerThan, propertyOf, quoted, type Scope, wordOf } from './lexemes.ts'
import { FIRST_ID, firstIdIn, type IdRange, LAST_ID, later, sooner } from './ranges.ts'

/** What a list can be asked for. */
export interface SearchRules {
  readonly operators: readonly SearchOperator[]
  /** The fields that words without an operator are looked for in. */
  readonly fields: readonly Field[]
  /** The values of `status:`; a pattern where they are many. */
  readonly statuses?: readonly string[] | RegExp
}

/** What somebody searches for, checked. */
export interface Criteria {
  /** What the index decides. */
  readonly terms: readonly SearchTerm[]
  /** Of `status:`, in small letters. */
  readonly statuses: readonly { readonly value: string; readonly isExcluded: boolean }[]
  /** Ids have the time in them. */
  readonly range: IdRange
}

const refuse = (message: string): never => {
  throw new Problem('invalid_parameter', `The \`q\` ${message}`)
}

/** What a request searches for. */
export interface SearchRequest {
  readonly q?: string | undefined
  /** A part of a recipient's address, as behind `to:`. */
  readonly to?: string | undefined
}

/** Null: nothing is searched for. */
export function readCriteria(scope: Scope, rules: SearchRules, { q, to }: SearchRequest): Criteria | null {
  const all = parseSearch(q ?? '')
  const terms: SearchTerm[] =
    to === undefined ? [] : [{ operator: 'to', value: to, isPhrase: false, isExcluded: false }]
  if (all.length + terms.length === 0) return null
  if (all.length > MAX_SEARCH_TERMS) refuse(`can have at most ${MAX_SEARCH_TERMS} words, phrases and operators.`)
  const statuses: { value: string; isExcluded: boolean }[] = []
  let range: IdRange = { from: FIRST_ID, to: LAST_ID }
  for (const term of all) {
    const { operator, value, isExcluded } = term
    if (operator !== null && !(rules.operators as readonly string[]).includes(operator))
      refuse(`has an unknown operator \`${operator}:\`. ${knownOperators(rules)}`)
    if (operator === 'status') statuses.push({ value: readStatus(rules, value), isExcluded })
    else if (operator === 'before' || operator === 'after')
      range = within(
        range,
        isExcluded === (operator === 'before') ? 'from' : 'to',
        firstIdIn(scope, readDate(operator, value)),
      )
    else if (operator === 'has' && !/^attachments?$/i.test(value)) refuse('knows no `has:` but `has:attachment`.')
    else terms.push(term)
  }
  return { terms, statuses, range }
}

const knownOperators = ({ operators }: SearchRules) =>
  `This list knows ${operators.map((name) => `\`${name}:\``).join(', ')}; what is in quotes is searched for as it is.`

function readStatus({ statuses = [] }: SearchRules, text: string): string {
  const value = text.toLowerCase()
  const isKnown = statuses instanceof RegExp ? statuses.test(value) : statuses.includes(value)
  if (!isKnown)
    refuse(
      statuses instanceof RegExp
        ? 'has an unknown `status:`.'
        : `has an unknown \`status:\`. It is one of ${statuses.map((one) => `\`${one}\``).join(', ')}.`,
    )
  return value
}

/** In UTC unless it says otherwise. */
function readDate(operator: string, value: string): Date {
  const date = parseDate(value)
  if (!date) return refuse(`needs a date in ISO 8601 after \`${operator}:\`, like \`${operator}:2026-11-01\`.`)
  const { text, isDay, hasZone } = date
  return new Date(isDay || hasZone ? text : `${text}Z`)
}

const within = ({ from, to }: IdRange, end: 'from' | 'to', id: string): IdRange =>
  end === 'from' ? { from: later(from, id), to } : { from, to: sooner(to, id) }

/** What a document must have, or must not: one of several lexemes or phrases, as parts of a `tsquery`. */
export interface Condition {
  readonly isExcluded: boolean
  readonly whole: readonly string[]
  /** What begins with the last word and is longer. */
  readonly longer: readonly string[]
}

/** All of them must hold. */
export const conditionsOf = (scope: Scope, rules: SearchRules, { terms, statuses }: Criteria): Condition[] => [
  ...terms.map((term) => conditionOf(scope, rules, term)),
  ...statuses.map(({ value, isExcluded }) => has(isExcluded, propertyOf(scope, 'status', value))),
]

/** The documents of items that have this status. */
export const isOfStatus = (scope: Scope, status: string): Condition => has(false, propertyOf(scope, 'status', status))

const has = (isExcluded: boolean, property: string): Condition => ({
  isExcluded,
  whole: [quoted(property)],
  longer: [],
})

function conditionOf(scope: Scope, rules: SearchRules, term: SearchTerm): Condition {
  const { operator, value, isPhrase, isExcluded } = term
  if (operator === 'has') return has(isExcluded, propertyOf(scope, 'has', 'attachment'))
  if (operator === 'tag') {
    const { name, value: of } = parseTag(value)
    return has(isExcluded, propertyOf(scope, 'tag', of === null ? name : `${name}=${of}`))
  }
  const fields = operator === null ? rules.fields : [operator as Field]
  const texts = fields.map((field) => inField(scope, field, value))
  return {
    isExcluded,
    whole: texts.map(({ whole }) => whole),
    longer: isPhrase ? [] : texts.flatMap(({ longer }) => longer),
  }
}

/** An address is looked for as a whole, by how it begins. Other words follow each other; the last one may be the beginning of one. */
function inField(scope: Scope, field: Field, value: string): { whole: string; longer: string[] } {
  if (/^[^\s@]+@[^\s@]+$/.test(value) && (field === 'to' || field === 'from')) {
    const address = comparable(value)
    const longer = `${quoted(longerAddress(scope, field, address))}:*`
    return { whole: quoted(addressOf(scope, field, address)), longer: [longer] }
  }
  const words = wordsOf(value).map(({ word }) => word)
  const last = words.pop()
  // Letters that fold to nothing are found nowhere.
  if (last === undefined) return { whole: quoted(wordOf(scope, field, fold(value))), longer: [] }
  const behindOthers = (end: string) =>
    `(${[...words.map((word) => quoted(wordOf(scope, field, word))), end].join(' <-> ')})`
  const longer = behindOthers(`${quoted(longerThan(scope, field, last))}:*`)
  return { whole: behindOthers(quoted(wordOf(scope, field, last))), longer: [longer] }
}

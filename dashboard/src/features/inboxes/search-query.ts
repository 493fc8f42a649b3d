import type { Static } from 'typebox'
import { FOLDERS, type ThreadSearch } from '../../../../src/features/inboxes/threads/schema.ts'
import {
  grammarOf,
  parseDate,
  type SearchToken,
  tokensOf,
  writeTerm as writeSearchTerm,
} from '../../../../src/mail/search-query.ts'
import { EVERYWHERE_BUT_JUNK, type Folder, type ListFilter } from './folders.ts'
import { texts } from './texts.ts'

// What people write into the search field, in the grammar of every list: words, "phrases", -words, and terms such as from:anna. The API has a
// parameter for each kind of term; the address of the page has the text as it is.

export const PEOPLE_TERMS = ['from', 'to', 'cc', 'bcc'] as const

/** Which terms there are, with what they are for. The first name of several is the one that is shown. */
export const TERMS = [
  { name: 'from', hint: texts.search.terms.from },
  { name: 'to', hint: 'recipient' },
  { name: 'cc', hint: texts.search.terms.cc },
  { name: 'has', hint: 'attachment', only: ['attachment'] },
  { name: 'is', hint: texts.search.terms.is, only: ['unread', 'read'] },
  { name: 'label', hint: texts.search.terms.label },
  { name: 'folder', hint: texts.search.terms.folder, only: [...FOLDERS, 'anywhere'] },
  { name: 'after', hint: texts.search.terms.after },
  { name: 'before', hint: texts.search.terms.before },
  { name: 'bcc', hint: texts.search.terms.bcc },
] as const

export type TermName = (typeof TERMS)[number]['name']

export interface Term {
  readonly name: TermName
  readonly value: string
  /** `-has:attachment` */
  readonly isExcluded?: boolean
}

/** A search in pieces: what stands in chips, and what is text. */
export interface Search {
  readonly terms: readonly Term[]
  readonly text: string
}

export const GRAMMAR = grammarOf(
  TERMS.map(({ name }) => name),
  { in: 'folder', since: 'after', until: 'before' },
)

/** A term that says something. `has:fun` is words, like `12:30`, and so is what the API cannot leave out: `-from:anna`. */
function termOf({ operator, value, isExcluded }: SearchToken): Term | null {
  const known = TERMS.find(({ name }) => name === operator)
  if (!known || value === '') return null
  const { name } = known
  if (name === 'after' || name === 'before') {
    const date = parseDate(value)
    const isAfter = (name === 'after') !== isExcluded
    return date && { name: isAfter ? 'after' : 'before', value: date.text }
  }
  if (!('only' in known)) return isExcluded ? null : { name, value }
  const meant = value
    .toLowerCase()
    .replace(/^attachments$/, 'attachment')
    .replace(/^(all|any)$/, 'anywhere')
  if (!(known.only as readonly string[]).includes(meant)) return null
  if (!isExcluded) return { name, value: meant }
  if (name === 'is') return { name, value: meant === 'read' ? 'unread' : 'read' }
  return name === 'has' ? { name, value: meant, isExcluded } : null
}

export function readSearch(text: string): Search {
  const terms: Term[] = []
  const words: string[] = []
  for (const token of tokensOf(text, GRAMMAR)) {
    const term = termOf(token)
    if (term) terms.push(term)
    else words.push(token.raw)
  }
  return { terms: unique(terms), text: words.join(' ') }
}

const unique = (terms: readonly Term[]) => {
  const texts = terms.map(writeTerm)
  return terms.filter((_, at) => texts.indexOf(texts[at]!) === at)
}

export const writeTerm = ({ name, value, isExcluded = false }: Term) =>
  writeSearchTerm({ operator: name, value, isPhrase: false, isExcluded })

export const writeSearch = ({ terms, text }: Search) => [...terms.map(writeTerm), text.trim()].filter(Boolean).join(' ')

interface KnownLabel {
  readonly id: string
  readonly name: string
}

/** What to ask the API for, and what its list is of. */
export interface Asked {
  readonly input: Static<typeof ThreadSearch>
  readonly filter: ListFilter
  /** Labels that do not exist: nothing has them. */
  readonly unknownLabels: readonly string[]
}

export function askFor({ terms, text }: Search, labels: readonly KnownLabel[]): Asked {
  const valuesOf = (name: TermName) => terms.filter((term) => term.name === name).map(({ value }) => value)
  // A comma separates; in a name, a space does as well.
  const listed = (name: TermName) =>
    valuesOf(name)
      .map((value) => value.replaceAll(',', ' '))
      .join(',') || undefined
  const named = valuesOf('label').map(
    (name) => [name, labels.find((label) => label.name.toLowerCase() === name.toLowerCase())?.id] as const,
  )
  const folders = foldersOf(valuesOf('folder'))
  const known = named.flatMap(([, id]) => id ?? [])
  const read = valuesOf('is').at(-1)
  const has = terms.findLast(({ name }) => name === 'has')
  const [after, before] = [valuesOf('after').at(-1), valuesOf('before').at(-1)]
  const input = {
    query: text.trim() || undefined,
    ...Object.fromEntries(PEOPLE_TERMS.map((name) => [name, listed(name)])),
    has_attachment: has && (has.isExcluded ? ('false' as const) : ('true' as const)),
    read: read === undefined ? undefined : read === 'read' ? ('true' as const) : ('false' as const),
    labels: known.join(',') || undefined,
    folders: folders.join(','),
    start_date: after && momentOf(after).toISOString(),
    end_date: before && new Date(momentOf(before).getTime() - 1).toISOString(),
  }
  return {
    input: Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)),
    filter: { folders, labels: known },
    unknownLabels: named.flatMap(([name, id]) => (id === undefined ? [name] : [])),
  }
}

/** When a day begins here, or a moment, here unless it says otherwise. */
const momentOf = (date: string) => new Date(date.includes('T') ? date : `${date}T00:00`)

function foldersOf(named: readonly string[]): readonly Folder[] {
  if (named.length === 0) return EVERYWHERE_BUT_JUNK
  return named.includes('anywhere') ? FOLDERS : FOLDERS.filter((folder) => named.includes(folder))
}

import type { Static } from 'typebox'
import { FOLDERS, type ThreadSearch } from '../../../../src/features/inboxes/threads/schema.ts'
import { EVERYWHERE_BUT_JUNK, type Folder, type ListFilter } from './folders.ts'
import { texts } from './texts.ts'

// What people write into the search field: words, "phrases", -words, and terms such as from:anna. The API has a parameter for each kind
// of term; the address of the page has the text as it is.

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
}

/** A search in pieces: what stands in chips, and what is text. */
export interface Search {
  readonly terms: readonly Term[]
  readonly text: string
}

const ALIASES: Readonly<Record<string, TermName>> = { in: 'folder', since: 'after', until: 'before' }
const DAY = /^\d{4}[-/]\d{1,2}[-/]\d{1,2}$/

/** A term that says something. `has:fun` is words, like `12:30`. */
function termOf(word: string, value: string): Term | null {
  const lower = word.toLowerCase()
  const known = TERMS.find(({ name }) => name === (ALIASES[lower] ?? lower))
  if (!known || value === '') return null
  if ('only' in known) {
    const meant = value
      .toLowerCase()
      .replace(/^attachments$/, 'attachment')
      .replace(/^(all|any)$/, 'anywhere')
    return (known.only as readonly string[]).includes(meant) ? { name: known.name, value: meant } : null
  }
  if (known.name === 'after' || known.name === 'before') {
    const day = dayOf(value)
    return day === null ? null : { name: known.name, value: day }
  }
  return { name: known.name, value }
}

/** `2026/11/1` is `2026-11-01`, and what is no day is none. */
function dayOf(text: string): string | null {
  if (!DAY.test(text)) return null
  const [year, month, day] = text.split(/[-/]/).map(Number) as [number, number, number]
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCMonth() === month - 1 ? date.toISOString().slice(0, 10) : null
}

/** A term, or whatever else stands between spaces. Quotes hold together; one that is not closed goes to the end. */
const PIECE = /([a-z]+):(?:"([^"]*)"?|([^\s"]+))(?=\s|$)|-?"[^"]*"?|\S+/gi

export function readSearch(text: string): Search {
  const terms: Term[] = []
  const words: string[] = []
  for (const [piece, name, quoted, plain] of text.matchAll(PIECE)) {
    const term = name === undefined ? null : termOf(name, (quoted ?? plain ?? '').trim())
    if (term) terms.push(term)
    else words.push(piece)
  }
  return { terms: unique(terms), text: words.join(' ') }
}

const unique = (terms: readonly Term[]) =>
  terms.filter(({ name, value }, at) => terms.findIndex((one) => one.name === name && one.value === value) === at)

export const writeTerm = ({ name, value }: Term) =>
  `${name}:${/[\s"]/.test(value) ? `"${value.replaceAll('"', '')}"` : value}`

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
  const [after, before] = [valuesOf('after').at(-1), valuesOf('before').at(-1)]
  const input = {
    query: text.trim() || undefined,
    ...Object.fromEntries(PEOPLE_TERMS.map((name) => [name, listed(name)])),
    has_attachment: valuesOf('has').length > 0 ? ('true' as const) : undefined,
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

/** When a day begins here. */
const momentOf = (day: string) => new Date(`${day}T00:00`)

function foldersOf(named: readonly string[]): readonly Folder[] {
  if (named.length === 0) return EVERYWHERE_BUT_JUNK
  return named.includes('anywhere') ? FOLDERS : FOLDERS.filter((folder) => named.includes(folder))
}

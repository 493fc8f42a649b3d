// What is written into the search field: words, and terms such as to:ada@example.com. The address of the page has each kind of
// term under the name that the API has for it, so that a search can be kept and passed on.

/** In the order in which they stand in chips. */
export const TERMS = ['direction', 'is_read', 'from', 'to', 'subject', 'text', 'tag'] as const
export type TermName = (typeof TERMS)[number]

export type Filter = { readonly [Name in TermName | 'q']?: string | undefined }

const WRITTEN: Readonly<Record<string, TermName>> = {
  from: 'from',
  to: 'to',
  subject: 'subject',
  text: 'text',
  tag: 'tag',
  label: 'tag',
}

/** `is:unread` and its like. */
const STATES: Readonly<Record<string, Filter>> = {
  unread: { is_read: 'false' },
  read: { is_read: 'true' },
  sent: { direction: 'sent' },
  received: { direction: 'received' },
}

/** A term, or whatever else stands between spaces. Quotes hold together; one that is not closed goes to the end. */
const PIECE = /([a-z]+):(?:"([^"]*)"?|([^\s"]+))(?=\s|$)|"[^"]*"?|\S+/gi

/** The terms of a text, and the words that are left: `12:30` is a word. */
export function readFilter(text: string): Filter {
  let terms: Filter = {}
  const words: string[] = []
  for (const [piece, name = '', quoted, plain] of text.matchAll(PIECE)) {
    const value = (quoted ?? plain ?? '').trim()
    const [term, state] = [WRITTEN[name.toLowerCase()], STATES[value.toLowerCase()]]
    if (term && value) terms = { ...terms, [term]: value }
    else if (name.toLowerCase() === 'is' && state) terms = { ...terms, ...state }
    else words.push(piece)
  }
  return { ...terms, ...(words.length > 0 && { q: words.join(' ') }) }
}

/** What a chip says. */
export function chipOf(name: TermName, value: string): string {
  if (name === 'is_read') return value === 'true' ? 'read' : 'unread'
  return name === 'direction' ? value : `${name}: ${value}`
}

export const isEmpty = (filter: Filter) => Object.values(filter).every((value) => !value)

import { tokensOf } from '../../../../src/mail/search-query.ts'
import { GRAMMAR, PEOPLE_TERMS, readSearch, TERMS, type TermName, writeTerm } from './search-query.ts'
import { texts } from './texts.ts'

/** Something to take instead of writing it. */
export interface Offer {
  /** What stands in the place of the last piece then. */
  readonly text: string
  readonly hint: string
  /** Whether something has to be written behind it: `from:`. */
  readonly isBegun: boolean
}

interface Known {
  readonly labels: readonly { readonly name: string }[]
  /** Addresses, and names with addresses, that were seen in the list. */
  readonly people: readonly string[]
  readonly today: Date
}

const MOST = 8
const DAYS: readonly (readonly [number, string])[] = [
  [0, texts.search.days.today],
  [1, texts.search.days.yesterday],
  [7, texts.search.days.lastWeek],
  [30, texts.search.days.lastMonth],
  [365, texts.search.days.lastYear],
]

/** Where the piece begins that is being written. In quotes, spaces belong to it. */
export function lastPiece(text: string): { readonly before: string; readonly piece: string } {
  const last = tokensOf(text, GRAMMAR).at(-1)
  const at = last && last.start + last.raw.length === text.length ? last.start : text.length
  return { before: text.slice(0, at), piece: text.slice(at) }
}

export function offersFor(text: string, known: Known): readonly Offer[] {
  const { piece } = lastPiece(text)
  const [, name, begun] = /^([a-z]+):"?(.*)$/i.exec(piece) ?? []
  if (name !== undefined) return valuesFor(name.toLowerCase(), begun!, known).slice(0, MOST)
  return TERMS.filter((term) => term.name.startsWith(piece.toLowerCase())).flatMap((term): Offer[] =>
    'only' in term && term.only.length < 3
      ? term.only.map((value) => ({ text: `${term.name}:${value}`, hint: '', isBegun: false }))
      : [{ text: `${term.name}:`, hint: term.hint, isBegun: true }],
  )
}

function valuesFor(name: string, begun: string, { labels, people, today }: Known): Offer[] {
  const fits = (value: string) => value.toLowerCase().includes(begun.toLowerCase())
  const take = (value: string, hint = ''): Offer => ({
    text: writeTerm({ name: name as TermName, value }),
    hint,
    isBegun: false,
  })
  if (name === 'label') return labels.filter(({ name: one }) => fits(one)).map(({ name: one }) => take(one))
  if ((PEOPLE_TERMS as readonly string[]).includes(name))
    return people.filter((person) => begun !== '' && fits(person)).map((person) => take(addressIn(person), person))
  if (name === 'after' || name === 'before')
    return DAYS.map(([ago, hint]) => take(dayBefore(today, ago), hint)).filter(({ text }) => text.includes(begun))
  const term = TERMS.find((one) => one.name === name)
  return term && 'only' in term ? term.only.filter(fits).map((value) => take(value)) : []
}

const addressIn = (person: string) => /<([^<>]+)>/.exec(person)?.[1] ?? person

/** `2026-11-15`, as the calendar here has it. */
function dayBefore(today: Date, ago: number): string {
  const day = new Date(today.getFullYear(), today.getMonth(), today.getDate() - ago)
  return [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
}

/** What was written until now: finished terms apart from the text. What is in quotes that are open is not finished. */
export function absorb(text: string) {
  const isFinished = /\s$/.test(text) && (text.match(/"/g)?.length ?? 0) % 2 === 0
  if (!isFinished) return { terms: [], text }
  const { terms, text: rest } = readSearch(text)
  return terms.length > 0 ? { terms, text: rest && `${rest} ` } : { terms, text }
}

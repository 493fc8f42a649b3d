import { wordsOf } from '../../../mail/words.ts'
import type { Term } from './query.ts'

// Characters for private use. What is between them has matched; a text that has them itself loses them.
const BEGIN = '\ue000'
const END = '\ue001'
const MARKERS = /[\ue000\ue001]/g

const LONGEST_PIECE = 160
/** What stands in front of the first match. */
const LEAD = 40
const MOST_MATCHES = 200
/** Words that are compared with those of phrases, in a text: one character for long, and a phrase of nine hundred, would take a second. */
const MOST_STEPS = 100_000

/** A run of words that matched. */
interface Match {
  readonly start: number
  readonly end: number
  readonly term: number
}

/** The piece of a message that has most of what was looked for, in the first of its texts that has any. Null: none has. */
export function matchedText(texts: readonly string[], terms: readonly Term[]): string | null {
  if (terms.length === 0) return null
  const beginnings = beginningsOf(terms)
  for (const given of texts) {
    const text = given.replace(MARKERS, '')
    const matches = findMatches(text, terms, beginnings)
    if (matches.length > 0) return pieceOf(text, matches)
  }
  return null
}

/** Which terms begin with a word. */
function beginningsOf(terms: readonly Term[]): Map<string, number[]> {
  const beginnings = new Map<string, number[]>()
  for (const [term, { words }] of terms.entries()) {
    const first = words[0]!.word
    beginnings.set(first, [...(beginnings.get(first) ?? []), term])
  }
  return beginnings
}

function findMatches(text: string, terms: readonly Term[], beginnings: Map<string, number[]>): Match[] {
  const matches: Match[] = []
  const found = wordsOf(text)
  let steps = 0
  for (const [at, { word, start }] of found.entries()) {
    const begun = beginnings.get(word)
    if (!begun) continue
    for (const term of begun) {
      const { words } = terms[term]!
      let same = 1
      while (same < words.length && found[at + same]?.word === words[same]!.word) same++
      if (same === words.length) matches.push({ start, end: found[at + same - 1]!.end, term })
      steps += same
    }
    if (matches.length >= MOST_MATCHES || steps >= MOST_STEPS) break
  }
  return matches
}

function pieceOf(text: string, matches: readonly Match[]): string {
  const best = richestOf(matches)
  const start = wordStart(text, Math.max(0, best.start - LEAD))
  const end = Math.max(best.end, wordEnd(text, Math.min(text.length, start + LONGEST_PIECE)))
  let piece = ''
  let at = start
  for (const match of matches) {
    if (match.start < at || match.start >= end) continue
    const until = Math.min(match.end, end)
    piece += `${text.slice(at, match.start)}${BEGIN}${text.slice(match.start, until)}${END}`
    at = until
  }
  const whole = `${start > 0 ? '… ' : ''}${piece}${text.slice(at, end)}${end < text.length ? ' …' : ''}`
  return whole.replace(/[\s\p{Cc}\p{Cs}]+/gu, ' ').trim()
}

/** The first of those with the most different terms near behind it. */
function richestOf(matches: readonly Match[]): Match {
  const all = new Set(matches.map(({ term }) => term)).size
  let richest = matches[0]!
  let most = 0
  for (const [at, match] of matches.entries()) {
    const near = new Set<number>()
    const limit = match.start + LONGEST_PIECE - LEAD
    for (let next = at; next < matches.length && matches[next]!.start < limit; next++)
      if (matches[next]!.end <= limit) near.add(matches[next]!.term)
    if (near.size > most) {
      richest = match
      most = near.size
    }
    if (most === all) break
  }
  return richest
}

/** Behind the first space from here on, if there is one soon. */
function wordStart(text: string, at: number): number {
  if (at === 0) return 0
  const space = text.slice(at, at + LEAD).search(/\s/)
  return space < 0 ? at : at + space + 1
}

/** At the last space before, if there is one near. */
function wordEnd(text: string, at: number): number {
  if (at === text.length) return at
  const space = text.slice(at - LEAD, at).search(/\s\S*$/)
  return space < 0 ? at : at - LEAD + space
}

import { eachWord, type Word } from '../../../mail/words.ts'
import type { Term } from './query.ts'

// Characters for private use. What is between them has matched; a text that has them itself loses them.
const BEGIN = '\ue000'
const END = '\ue001'
const MARKERS = /[\ue000\ue001]/g

const LONGEST_PIECE = 160
/** What stands in front of the first match. */
const LEAD = 40
const MOST_MATCHES = 200

/** A run of words that matched. */
interface Match {
  readonly start: number
  readonly end: number
  readonly term: number
}

/** The piece of a message that has most of what was looked for, in the first of its texts that has any. Null: none has. */
export function matchedText(texts: readonly string[], terms: readonly Term[]): string | null {
  if (terms.length === 0) return null
  for (const given of texts) {
    const text = given.replace(MARKERS, '')
    const matches = findMatches(text, terms)
    if (matches.length > 0) return pieceOf(text, matches)
  }
  return null
}

function findMatches(text: string, terms: readonly Term[]): Match[] {
  const beginnings = new Map<string, number[]>()
  for (const [term, { words }] of terms.entries()) {
    const first = words[0]!.word
    beginnings.set(first, [...(beginnings.get(first) ?? []), term])
  }
  const matches: Match[] = []
  // A phrase is looked for from each word that it begins with, in the few words that follow.
  const recent: Word[] = []
  const longest = Math.max(...terms.map(({ words }) => words.length))
  const take = (last: Word | null) => {
    if (last) recent.push(last)
    if (recent.length < longest && last) return true
    const [first] = recent
    for (const term of beginnings.get(first!.word) ?? []) {
      const { words } = terms[term]!
      if (words.every(({ word }, index) => recent[index]?.word === word))
        matches.push({ start: first!.start, end: recent[words.length - 1]!.end, term })
    }
    recent.shift()
    return matches.length < MOST_MATCHES
  }
  eachWord(text, take)
  while (recent.length > 0) take(null)
  return matches
}

function pieceOf(text: string, matches: readonly Match[]): string {
  const best = matches.reduce((a, b) => (richness(matches, b) > richness(matches, a) ? b : a))
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

/** How many different terms are near behind a match. */
function richness(matches: readonly Match[], from: Match): number {
  const near = matches.filter(({ start, end }) => start >= from.start && end <= from.start + LONGEST_PIECE - LEAD)
  return new Set(near.map(({ term }) => term)).size
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

import { grammarOf, parseSearch } from '../../../mail/search-query.ts'
import { type Word, wordsOf } from '../../../mail/words.ts'
import { quoted, wordOf } from '../filing/search-marks.ts'

/** A word, or several that must follow each other. */
export interface Term {
  readonly words: readonly Word[]
}

/** What somebody looks for: all terms must be there, but those that are excluded. */
export interface Terms {
  readonly wanted: readonly Term[]
  readonly excluded: readonly Term[]
}

/** People, dates and the like are parameters of their own: a colon is part of a word. */
const WORDS_ONLY = grammarOf([])

/**
 * Whatever somebody types is a query: `words`, `"phrases"`, `-words` and `-"phrases"`. A word of several, as `report-2026.pdf` or
 * `anna@acme.test`, is a phrase. What has no letter and no digit says nothing.
 */
export function readTerms(query: string): Terms {
  const wanted = new Map<string, Term>()
  const excluded = new Map<string, Term>()
  for (const { value, isExcluded } of parseSearch(query, WORDS_ONLY)) {
    const words = wordsOf(value)
    const key = words.map(({ word }) => word).join(' ')
    if (key !== '') (isExcluded ? excluded : wanted).set(key, { words })
  }
  return { wanted: [...wanted.values()], excluded: [...excluded.values()] }
}

/** As a `tsquery` of PostgreSQL: conditions that all must hold. */
export const conditionsOf = (inbox: string, { wanted, excluded }: Terms): string[] => [
  ...wanted.map((term) => conditionOf(inbox, term)),
  ...excluded.map((term) => `!${conditionOf(inbox, term)}`),
]

/**
 * That a phrase is there is only seen in the message itself; the index tells which messages have all its words. Pairs of characters that
 * are words of their own are in the index, too, and are what makes few of many: two of them are found without a look at the message.
 */
function conditionOf(inbox: string, { words }: Term): string {
  const lexeme = (word: string) => quoted(wordOf(inbox, word))
  const phrase = words.map(({ word }) => lexeme(word)).join(' <-> ')
  if (words.length === 1) return phrase
  const pairs = words.slice(1).flatMap((second, index) => {
    const first = words[index]!
    return first.isCharacter && second.isCharacter ? [lexeme(first.word + second.word)] : []
  })
  if (words.length === 2 && pairs.length === 1) return pairs[0]!
  return `(${[`(${phrase})`, ...new Set(pairs)].join(' & ')})`
}

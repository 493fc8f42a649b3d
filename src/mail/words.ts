/** A word of a text, as it is compared, and where it stands there. */
export interface Word {
  readonly word: string
  readonly start: number
  readonly end: number
  /** One character of a script that has no spaces between words. */
  readonly isCharacter: boolean
}

// Scripts whose words are not separated, or that add endings to them without a space: each character is a word of its own, and several
// in a row are looked for as a phrase. U+30FC is the long vowel of Katakana, which Unicode counts to no script.
const OWN =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\u30fc\\uff70'
// Soft hyphens and joiners stand inside of words and are not seen.
const UNSEEN = '\\u00ad\\u200c\\u200d\\u2060\\ufeff'
const IN_WORDS = `\\p{L}\\p{N}\\p{M}${UNSEEN}`
const PIECES = new RegExp(`([${OWN}])[\\p{M}\\uff9e\\uff9f]*|(?:(?![${OWN}])[${IN_WORDS}])+`, 'gu')
const ASCII_PIECES = /[A-Za-z0-9]+/g
const AFTER_FOLDING = /[\p{L}\p{N}\p{M}]+/gu

/** Longer ones are cut: nobody looks for them, and an index has room for 2,000 bytes. */
const LONGEST_WORD = 100

/**
 * The words of a text in their order, as documents and queries have them alike: runs of letters and digits, without case, accents and
 * variants of form. Everything else separates. `take` may say `false` when it has enough.
 */
export function eachWord(text: string, take: (word: Word) => unknown): void {
  const isAscii = !BEYOND_ASCII.test(text)
  for (const match of text.matchAll(isAscii ? ASCII_PIECES : PIECES)) {
    const [piece, own] = match
    const start = match.index
    const end = start + piece.length
    const isCharacter = own !== undefined
    if (!BEYOND_ASCII.test(piece)) {
      if (take({ word: cut(piece.toLowerCase()), start, end, isCharacter }) === false) return
      continue
    }
    // A fraction or a ligature may turn into several words.
    for (const [word] of fold(piece).matchAll(AFTER_FOLDING))
      if (take({ word: cut(word), start, end, isCharacter }) === false) return
  }
}

export function wordsOf(text: string): Word[] {
  const words: Word[] = []
  eachWord(text, (word) => words.push(word))
  return words
}

const BEYOND_ASCII = /[^\0-\x7f]/

// Accents of alphabets: those of Latin, Greek and Cyrillic, the points of Hebrew and the vowels of Arabic. Marks of other scripts are
// letters to those who read them.
const ACCENTS = new RegExp(
  `[\\u0300-\\u036f\\u0483-\\u0487\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u0640\\u064b-\\u065f\\u0670\\u06d6-\\u06dc\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\ufe20-\\ufe2f${UNSEEN}]`,
  'gu',
)
/** Letters with a stroke, which Unicode does not take apart. */
const STROKES: Record<string, string> = {
  ...{ ø: 'o', đ: 'd', ł: 'l', ħ: 'h', ŧ: 't', ð: 'd', þ: 'th', æ: 'ae', œ: 'oe', ɨ: 'i', ʉ: 'u' },
}
const STROKED = new RegExp(`[${Object.keys(STROKES).join('')}]`, 'g')

/** Without case, accents and variants of form. By way of capitals, so that `ß` is `ss` and both forms of a sigma are one. */
export function fold(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text.toLowerCase()
  return text
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .replace(STROKED, (letter) => STROKES[letter]!)
    .normalize('NFC')
}

/** Never in the middle of a character: half of one cannot be stored. */
function cut(word: string): string {
  if (word.length <= LONGEST_WORD) return word
  const isInside = (word.charCodeAt(LONGEST_WORD - 1) & 0xfc00) === 0xd800
  return word.slice(0, isInside ? LONGEST_WORD - 1 : LONGEST_WORD)
}

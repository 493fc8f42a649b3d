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
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc\uff70]/u
// Soft hyphens and joiners stand inside of words and are not seen.
const UNSEEN = '\\u00ad\\u200c\\u200d\\u2060\\ufeff'
/** What belongs to the character before it. The last two are the marks of narrow Katakana. */
const MARK = new RegExp(`[\\p{M}${UNSEEN}\\uff9e\\uff9f]`, 'u')
const LETTER = /[\p{L}\p{N}]/u
/** Characters that folding leaves as they are. Nearly all that are words of their own are among them. */
const PLAIN = /^[\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fff\uac00-\ud7a3]$/
const AFTER_FOLDING = /[\p{L}\p{N}\p{M}]+/gu

/** Longer ones are cut: nobody looks for them, and an index has room for 2,000 bytes. */
const MAX_WORD_LENGTH = 100

/**
 * The words of a text in their order, as documents and queries have them alike: runs of letters and digits, without case, accents and
 * variants of form. Everything else separates. `take` may say `false` when it has enough.
 */
export function eachWord(text: string, take: (word: Word) => unknown): void {
  let known: Map<string, readonly string[]> | null = null
  eachPiece(text, (start, end, isCharacter, isAscii) => {
    const piece = text.slice(start, end)
    // Most words are. To fold one takes less time than to look whether it is known.
    if (isAscii) return take({ word: cut(piece.toLowerCase()), start, end, isCharacter }) !== false
    known ??= new Map()
    const words = known.get(piece) ?? spellings(piece)
    known.set(piece, words)
    for (const word of words) if (take({ word, start, end, isCharacter }) === false) return false
    return true
  })
}

type TakePiece = (start: number, end: number, isCharacter: boolean, isAscii: boolean) => boolean

/** Runs of letters and digits; a character that is a word of its own, with its marks. Until `take` has enough. */
function eachPiece(text: string, take: TakePiece): void {
  let start = -1
  let isCharacter = false
  /** All bits of its characters. */
  let bits = 0
  let at = 0
  while (at < text.length) {
    const point = text.codePointAt(at)!
    const kind = kindOf(point)
    const isGoingOn = start >= 0 && (kind === Kind.mark || (kind === Kind.letter && !isCharacter))
    if (!isGoingOn) {
      if (start >= 0 && !take(start, at, isCharacter, bits < 0x80)) return
      start = kind === Kind.separator ? -1 : at
      isCharacter = kind === Kind.own
      bits = 0
    }
    bits |= point
    at += point > 0xffff ? 2 : 1
  }
  if (start >= 0) take(start, text.length, isCharacter, bits < 0x80)
}

const Kind = { unknown: 0, separator: 1, letter: 2, mark: 3, own: 4 } as const

/** Looked up once for each character: Unicode's tables take 0.3 µs to ask, and a mail has 100,000 characters. */
const kinds = new Uint8Array(0x10000)

function kindOf(point: number): number {
  const known = point > 0xffff ? Kind.unknown : kinds[point]!
  if (known !== Kind.unknown) return known
  const character = String.fromCodePoint(point)
  const kind = MARK.test(character)
    ? Kind.mark
    : OWN.test(character)
      ? Kind.own
      : LETTER.test(character)
        ? Kind.letter
        : Kind.separator
  if (point <= 0xffff) kinds[point] = kind
  return kind
}

/** A fraction or a ligature may turn into several words, and a mark that stands alone into none. */
function spellings(piece: string): string[] {
  if (PLAIN.test(piece)) return [piece]
  const folded = fold(piece)
  return BEYOND_ASCII.test(folded) || folded === '' ? (folded.match(AFTER_FOLDING) ?? []).map(cut) : [cut(folded)]
}

export function hasWord(text: string): boolean {
  let has = false
  eachWord(text, () => {
    has = true
    return false
  })
  return has
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
  if (word.length <= MAX_WORD_LENGTH) return word
  const isInside = (word.charCodeAt(MAX_WORD_LENGTH - 1) & 0xfc00) === 0xd800
  return word.slice(0, isInside ? MAX_WORD_LENGTH - 1 : MAX_WORD_LENGTH)
}

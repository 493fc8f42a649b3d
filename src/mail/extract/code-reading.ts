import type { Line } from './code-lines.ts'
import { type Candidate, candidatesIn } from './code-shapes.ts'
import {
  CODE_NOUNS,
  ENTER_WORDS,
  lowered,
  MEETING_WORDS,
  ORDER_WORDS,
  OTHER_CODES,
  PROMO_WORDS,
  SIGN_IN_WORDS,
  TRAVEL_WORDS,
} from './code-words.ts'
import { QUALIFIED_CODES } from './qualified-codes.ts'

export interface TextRange {
  readonly start: number
  readonly end: number
}

/** A line, and what is found in it. Words are looked for when somebody asks: most lines have no number anywhere near. */
export class ReadLine {
  readonly text: string
  /** The same in small letters. */
  readonly lower: string
  readonly marks: Line['marks']
  readonly isSubject: boolean
  readonly candidates: readonly Candidate[]
  #without: string | undefined
  #nouns: readonly TextRange[] | undefined
  #isSignIn: boolean | undefined
  #others: readonly TextRange[] | undefined
  #enter: readonly TextRange[] | undefined
  #isQualified: boolean | undefined
  #isPromo: boolean | undefined
  #isOrder: boolean | undefined
  #isMeeting: boolean | undefined
  #isTravel: boolean | undefined
  #isBare: boolean | undefined

  constructor({ text, marks }: Line, { isSubject }: { isSubject: boolean }) {
    this.text = text
    this.lower = lowered(text)
    this.marks = marks
    this.isSubject = isSubject
    this.candidates = candidatesIn(text)
  }

  /** Words for a one-time code. */
  get nouns(): readonly TextRange[] {
    this.#nouns ??= rangesOf(this.#withoutOthers, CODE_NOUNS)
    return this.#nouns
  }

  get isSignIn(): boolean {
    this.#isSignIn ??= this.#withoutOthers.search(SIGN_IN_WORDS) >= 0
    return this.#isSignIn
  }

  /** Codes that are none for signing in: of a discount, a parcel, a product. */
  get others(): readonly TextRange[] {
    this.#others ??= this.#withoutOthers === this.lower ? [] : rangesOf(this.lower, OTHER_CODES)
    return this.#others
  }

  /** Whether it speaks of a verification code, or of whatever else can only be a one-time code. */
  get isQualified(): boolean {
    this.#isQualified ??= this.nouns.length > 0 && this.#withoutOthers.search(QUALIFIED_CODES) >= 0
    return this.#isQualified
  }

  get isPromo(): boolean {
    this.#isPromo ??=
      this.#withoutOthers !== this.lower || this.lower.search(PROMO_WORDS) >= 0 || /\d\s?%/.test(this.lower)
    return this.#isPromo
  }

  get isOrder(): boolean {
    this.#isOrder ??= this.lower.search(ORDER_WORDS) >= 0
    return this.#isOrder
  }

  get isMeeting(): boolean {
    this.#isMeeting ??= this.lower.search(MEETING_WORDS) >= 0
    return this.#isMeeting
  }

  get isTravel(): boolean {
    this.#isTravel ??= this.lower.search(TRAVEL_WORDS) >= 0
    return this.#isTravel
  }

  get enter(): readonly TextRange[] {
    this.#enter ??= rangesOf(this.lower, ENTER_WORDS)
    return this.#enter
  }

  /** Nothing but candidates. */
  get isBare(): boolean {
    this.#isBare ??= this.candidates.length > 0 && !hasWords(this.#rest)
    return this.#isBare
  }

  get #rest(): string {
    let rest = this.lower
    for (const { start, end } of this.candidates)
      rest = rest.slice(0, start) + ' '.repeat(end - start) + rest.slice(end)
    return rest
  }

  /** What has “code” in its name and is none is taken out before codes are looked for. */
  get #withoutOthers(): string {
    this.#without ??= this.lower.replace(OTHER_CODES, (found) => ' '.repeat(found.length))
    return this.#without
  }
}

export const hasWords = (text: string) => /[\p{L}\p{N}]/u.test(text)

const rangesOf = (text: string, words: RegExp): TextRange[] =>
  [...text.matchAll(words)].map(({ 0: word, index }) => ({ start: index, end: index + word.length }))

import { lowered } from './code-words.ts'

/** Something in a line that has the shape of a one-time code. */
export interface Candidate {
  /** Without spaces and dashes. */
  readonly value: string
  readonly start: number
  readonly end: number
  /** How much it looks like one, before anything around it is read: 1 is six digits, the commonest. */
  readonly likeness: number
}

interface Shape {
  readonly expression: RegExp
  readonly likeness: (value: string) => number | null
}

const DASH = '[-\u2010-\u2013\u2212]'
const GAP = '[-\u2010-\u2013\u2212 ]'
const isMixed = (value: string) => /\d/.test(value) && /[a-z]/i.test(value)
const digits = (value: string) => (value.length < 4 || value.length > 8 ? null : value.length === 6 ? 1 : 0)
/** A word with a number behind it is what shops call their offers; `XX4821` hides the rest of an account's number. */
const letters = (value: string) => (/^X{2,}\d+$/.test(value) ? null : /^[A-Z]{4,}\d{1,4}$/.test(value) ? -3 : -0.5)
/** Words have vowels; codes of letters alone are made without them, or have one by chance. */
const isWord = (value: string) => value.length < 6 || (value.match(/[AEIOU]/g)?.length ?? 0) > 1

// In this order: what is part of an earlier one is no candidate of its own. Each is followed by what ends it.
const SHAPES: readonly Shape[] = [
  // In cells or boxes of their own: `4 8 2 9 1 3`.
  { expression: /\d(?:[ \t·]\d){3,7}/g, likeness: (value) => digits(value) },
  {
    expression: /[A-Z\d](?:[ \t][A-Z\d]){4,7}/g,
    likeness: (value) => (isMixed(value) ? -0.5 : null),
  },
  // `G-482913`: the letter stands beside the field that the rest is typed into.
  { expression: new RegExp(`[A-Z]${DASH}\\d{4,8}`, 'g'), likeness: (value) => digits(value.slice(1)) },
  // `482 913`, `48 29 13`, `4829-1337`: groups of one length.
  {
    expression: new RegExp(`\\d{3}${GAP}\\d{3}|\\d{4}${GAP}\\d{4}|\\d\\d(?:${GAP}\\d\\d){1,3}`, 'g'),
    likeness: (value) => digits(value),
  },
  // `AB12-CD34`, `WDJB-MJHT`.
  {
    expression: new RegExp(
      `[A-Z\\d]{4}(?:${DASH}[A-Z\\d]{4}){1,2}|[A-Z\\d]{3}(?:${DASH}[A-Z\\d]{3}){1,3}|[a-z\\d]{4}${DASH}[a-z\\d]{4}|[A-Z\\d]{5}${DASH}[A-Z\\d]{5}`,
      'g',
    ),
    likeness: (value) => (isMixed(value) ? 0 : /\d/.test(value) ? null : isWord(value) ? null : -1),
  },
  { expression: /\d{4,8}/g, likeness: digits },
  { expression: /[A-Z\d]{5,8}/g, likeness: (value) => (isMixed(value) ? letters(value) : isWord(value) ? null : -2) },
  {
    expression: /[A-Za-z\d]{6,8}/g,
    likeness: (value) => (isMixed(value) && value.replace(/\D/g, '').length > 1 ? -2 : null),
  },
]

/** Of one line. No real one has more. */
const MAX_CANDIDATES = 20

/** What may be a code, leaving out what cannot be: parts of longer words and numbers, prices, dates, times, telephones, shares. */
export function candidatesIn(line: string): Candidate[] {
  const found: Candidate[] = []
  // Most lines have neither a number nor a word in capitals.
  if (!/\d|[A-Z]{3}/.test(line)) return found
  for (const { expression, likeness } of SHAPES) {
    for (const { 0: text, index: start } of line.matchAll(expression)) {
      if (found.length === MAX_CANDIDATES) return found
      const end = start + text.length
      if (found.some((other) => start < other.end && other.start < end)) continue
      const value = text.replace(/[^A-Za-z\d]/g, '')
      const like = likeness(value)
      if (like === null || !isAlone(line, start, end) || isMeasure(line, start, end)) continue
      const isPrefixed = /^[A-Z][^A-Za-z\d]\d+$/.test(text)
      found.push({ value: isPrefixed ? value.slice(1) : value, start, end, likeness: like - unlikeness(value) })
    }
  }
  return found
}

/** A letter of a script that puts spaces between its words. */
const JOINED = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}_@\\/&%+]/u

/** The digits of a card that are shown behind those that are not: `•••• 4242`, `xxxx-4242`, `*4242`. Two stars on both sides are bold. */
const isMasked = (before: string, behind: string) =>
  /[•●·∙×…][\s-]?$|(?:^|[^a-z])x{2,}[\s-]$/i.test(before) || (/\*[\s-]?$/.test(before) && !/^\s?\*/.test(behind))

/** Whether it ends where it seems to: `12345` is no part of `12345-678`, `A12345`, `/12345` or `12345@`. */
function isAlone(line: string, start: number, end: number): boolean {
  const [last, first] = [line[start - 1] ?? '', line[end] ?? '']
  // `#482913` is the number of something, or a color.
  if (last === '#' || JOINED.test(last) || JOINED.test(first)) return false
  if (isMasked(line.slice(Math.max(0, start - 8), start), line.slice(end, end + 2))) return false
  const before = line.slice(Math.max(0, start - 3), start)
  const behind = line.slice(end, end + 5)
  // Numbers that go on: `0800 123 456`, `1,234.50`, `12:30`, `2026-11-16`, `(030) 1234`.
  return (
    !/\d[-.,:'’\u2010-\u2013]$|\p{L}[-\u2010-\u2013]$|\d[ )/]$|\d\) $/u.test(before) &&
    !/^[-.,:'’\u2010-\u2013]\d|^[-\u2010-\u2013]\p{L}|^ \d|^ ?\/\d|^ ?\(\d{3}/u.test(behind)
  )
}

const MONEY =
  /(?:[€$£¥￥₹₽₺₩]|\b(?:eur|usd|gbp|chf|pln|jpy|cny|rmb|brl|try|zł|kr|rp|rs|inr|sek|nok|dkk|czk|huf|ron|uah|thb|vnd|idr|aed|sar))\s?$/
const UNIT =
  /^\s?(?:[€$£¥￥₹₽₺₩%‰°]|(?:eur|usd|gbp|chf|pln|jpy|cny|zł|euros?|dollars?|pounds?|złotych|reais|pesos|kr|km|m|cm|mm|kg|g|k?wh|[kmgt]i?b|px|pt|points?|pts|punkte|puntos|pontos|punti|punten|punktów|people|users|customers|members|seats|items|orders|hours?|days?|minutes?|seconds?|sekunden|minuten|stunden|tage|secondes|segundos|secondi|seconden|sekund|dpi|rpm|steps|schritte|words|views|likes|followers|subscribers|downloads|results|visits|employees|calories|k?cal|miles|feet|lei|rub|tl|грн|kč|ft|đ|vnd|rp|idr|baht|บาท)(?![a-z\u00df-\u024f\u0430-\u045f])|[年月日円元号點点人件個个名枚本秒分時时歳岁원명개년회]|ポイント|积分|公里)/
const MONTH =
  /(?:^|[^a-z\u00df-\u024f])(?:jan|feb|mar|apr|ma[iyjr]|jun|jul|ju[lin]|aug|sep|o[ck]t|nov|de[cz]|janv|févr|avr|août|déc|ene|abr|ago|dic|fev|set|out|gen|giu|lug|ott|mei|mrt|sty|lut|kwi|cze|lip|sie|wrz|paź|lis|gru)[a-z\u00df-\u024f]*\.?,?(?: \d{1,2},?)?(?: de| del)? $/

/** Prices, sizes, and the year of a date. */
function isMeasure(line: string, start: number, end: number): boolean {
  const before = lowered(line.slice(Math.max(0, start - 24), start))
  const behind = lowered(line.slice(end, end + 16))
  const isYear = /^(?:19|20)\d\d$/.test(line.slice(start, end))
  return (
    MONEY.test(before) || UNIT.test(behind) || (isYear && (MONTH.test(before) || /[©(]\s?$|\bcopyright $/.test(before)))
  )
}

/** Years and days are four and eight digits, too. No mail speaks of 2094. */
function unlikeness(value: string): number {
  if (/^(?:19[5-9]|20[0-3])\d$/.test(value)) return 3
  return /^20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/.test(value) ? 2 : 0
}

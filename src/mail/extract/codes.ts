import { visitHtml } from '../html-visitor.ts'
import { atOnce, type Steps } from '../steps.ts'
import { collectLines, type Line, linesOfText } from './code-lines.ts'
import { hasWords, ReadLine, type TextRange } from './code-reading.ts'
import type { Candidate } from './code-shapes.ts'
import { isNumbered } from './number-words.ts'

export interface CodeSource {
  readonly subject: string | null
  readonly text: string | null
  readonly html: string | null
}

/** Below this a number is a number. */
const ENOUGH = 6
/** What is so much less likely than the likeliest is none beside it. */
const FAR_BEHIND = 4
const MAX_CODES = 20
const MAX_SUBJECT_LENGTH = 1_000

/**
 * One-time codes, without spaces or dashes, the likeliest first. Each number that has the shape of one collects points for what is around
 * it: the word “code” before it, behind it or in the line above; standing alone, large or bold; the subject; and loses some when it looks
 * like the number of an order, an offer, a meeting or a year. Without any word about codes or signing in, nothing is one.
 */
export function extractCodes({ subject, text, html }: CodeSource): string[] {
  const lines = collectLines()
  if (html !== null) atOnce(visitHtml(html, lines))
  return atOnce(codesAmong({ subject, text, lines: lines.found() }))
}

/** The same for who has visited the html already. */
export function* codesAmong(message: {
  readonly subject: string | null
  readonly text: string | null
  readonly lines: readonly Line[]
}): Steps<string[]> {
  const heading = yield* linesOfText((message.subject ?? '').slice(0, MAX_SUBJECT_LENGTH))
  const subject = heading.map((line) => new ReadLine(line, { isSubject: true }))
  const bodies: ReadLine[][] = []
  for (const lines of [message.lines, yield* linesOfText(message.text ?? '')]) {
    const body: ReadLine[] = []
    for (const line of lines) {
      body.push(new ReadLine(line, { isSubject: false }))
      yield
    }
    bodies.push(body)
  }
  const all = [...subject, ...bodies.flat()]
  if (!all.some(({ candidates }) => candidates.length > 0)) return []
  const topic = yield* topicOf(all)
  if (!topic.isCode && !topic.isSignIn) return []

  const best = new Map<string, number>()
  for (const body of bodies) {
    if (body.length === 0 && subject.length === 0) continue
    // The subject is the line before the first one.
    const lines = [...subject, ...body]
    for (const [index, line] of lines.entries()) {
      for (const candidate of line.candidates) {
        const score = scoreOf(candidate, { lines, index, topic })
        if (score >= ENOUGH && score > (best.get(candidate.value) ?? 0)) best.set(candidate.value, score)
      }
      yield
    }
  }
  const top = Math.max(...best.values())
  return [...best]
    .filter(([, score]) => score > top - FAR_BEHIND)
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_CODES)
    .map(([value]) => value)
}

/** Whether the message speaks of codes, or of signing in, anywhere. */
function* topicOf(lines: readonly ReadLine[]): Steps<Around['topic']> {
  let isSignIn = false
  for (const line of lines) {
    if (line.nouns.length > 0) return { isCode: true, isSignIn }
    isSignIn ||= line.isSignIn
    yield
  }
  return { isCode: false, isSignIn }
}

interface Around {
  readonly lines: readonly ReadLine[]
  readonly index: number
  readonly topic: { readonly isCode: boolean; readonly isSignIn: boolean }
}

/** How likely it is a code. The numbers are weights of evidence, not of cases: each rule is worth the same in all languages. */
function scoreOf(candidate: Candidate, { lines, index, topic }: Around): number {
  const line = lines[index]!
  const cell = cellAround(line, candidate)
  const isAlone = !hasWords(cell.text.replace(line.text.slice(candidate.start, candidate.end), ''))
  const above = linesAbove(lines, index)
  const below = lines.slice(index + 1, index + 3)

  const nouns = Math.max(nounInLine(line, candidate), isAlone ? nounNear(above, below) : 0)
  if (nouns === 0 && !topic.isCode && !line.isSignIn && !isAlone) return 0

  let score = candidate.likeness + nouns + (topic.isCode ? 2 : 1) + (line.isSubject ? 1 : 0)
  score += isAlone ? 2 : 0
  score += Math.max(0, ...line.marks.filter((mark) => overlap(mark, candidate)).map(({ weight }) => weight))
  score += Math.max(0, ...line.enter.map((range) => enterWeight(gap(range, candidate))))
  if (line.isSignIn || (isAlone && [...above, ...below].some(({ isSignIn }) => isSignIn))) score += 1.5

  const before = line.lower.slice(0, candidate.start)
  const label = isAlone && !hasWords(before) ? `${lines[index - 1]?.lower ?? ''}:` : before
  if (isNumbered(label)) score -= 8
  else if (!line.isSubject && isAlone && isLabel(before) && !line.nouns.some(({ end }) => end <= cell.start)) score -= 4
  return score - otherwiseUsed(candidate, { line, isAlone, above, below })
}

/** How likely it belongs to something else that the mail is about. */
function otherwiseUsed(
  candidate: Candidate,
  { line, isAlone, above, below }: { line: ReadLine; isAlone: boolean; above: ReadLine[]; below: ReadLine[] },
): number {
  if (isNamedOtherwise(line, candidate)) return 8
  const near = [line, ...above.slice(0, 1)]
  const isQualified = near.some((one) => one.isQualified) || (isAlone && above.some((one) => one.isQualified))
  const around = [line, ...above, ...below]
  if (!line.isQualified && around.some(({ isMeeting }) => isMeeting)) return 6
  if (!line.isSignIn && around.some(({ isTravel }) => isTravel)) return 6
  if (isQualified) return 0
  if (line.isPromo) return 7
  if (near.some(({ isPromo }) => isPromo)) return 5
  // A code may confirm an order, and a line that has the word “code” says that this is it.
  if (near.some(({ isOrder }) => isOrder)) return near.some(({ nouns }) => nouns.length > 0) ? 1 : 5
  return below.slice(0, 1).some(({ isPromo, isOrder }) => isPromo || isOrder) ? 3 : 0
}

/** “Order code: 482913”: the nearest noun before it is one of those that mean something else. */
function isNamedOtherwise({ text, others, nouns }: ReadLine, { start }: Candidate): boolean {
  const other = others.findLast(({ end }) => end <= start)
  if (!other || start - other.end > 12 || text.slice(other.end, start).includes('\t\t')) return false
  return !nouns.some((noun) => noun.start >= other.end && noun.end <= start)
}

/** A row that begins with words says what is in its other cells. */
const isLabel = (before: string) => /\p{L}/u.test(before.slice(0, before.lastIndexOf('\t') + 1))

/** “Enter 8241” says what it is for; “enter it … 8241” is a sentence about something. */
const enterWeight = (distance: number) => (distance <= 4 ? 4 : distance <= 15 ? 2 : 0)

const overlap = (a: TextRange, b: TextRange) => a.start < b.end && b.start < a.end
const gap = (a: TextRange, b: TextRange) =>
  a.end <= b.start ? b.start - a.end : a.start >= b.end ? a.start - b.end : 0

/** The part of the line that is about the number: a cell of a table's row, or what is between the signs that part a subject. */
function cellAround({ text, isSubject }: ReadLine, { start, end }: TextRange): { text: string; start: number } {
  const ends = isSubject ? /[\t:：|–—【】[\]()]/u : /\t/
  let [from, to] = [start, end]
  while (from > 0 && !ends.test(text[from - 1]!)) from -= 1
  while (to < text.length && !ends.test(text[to]!)) to += 1
  return { text: text.slice(from, to), start: from }
}

/** A list of codes has its heading above the first one. */
function linesAbove(lines: readonly ReadLine[], index: number): ReadLine[] {
  const above: ReadLine[] = []
  for (let at = index - 1, steps = 0; at >= 0 && above.length < 3 && steps < 24; at -= 1, steps += 1)
    if (!lines[at]!.isBare) above.push(lines[at]!)
  return above
}

/** The word before a number says more about it than one behind, and one in another sentence says less. */
function nounInLine({ text, nouns }: ReadLine, candidate: Candidate): number {
  let best = 0
  for (const noun of nouns) {
    if (overlap(noun, candidate)) continue
    const isBefore = noun.end <= candidate.start
    const between = isBefore ? text.slice(noun.end, candidate.start) : text.slice(candidate.end, noun.start)
    const near = between.length <= 30 ? 0 : between.length <= 70 ? 1 : 3
    const apart = /[.!?。！？](?:\s|$)|[。！？]/.test(between) ? 1.5 : 0
    best = Math.max(best, (isBefore ? 6 : 5) - near - apart)
  }
  return best
}

const nounNear = (above: readonly ReadLine[], below: readonly ReadLine[]) =>
  Math.max(
    0,
    ...above.map(({ nouns }, distance) => (nouns.length > 0 ? 5 - distance : 0)),
    ...below.map(({ nouns }, distance) => (nouns.length > 0 ? 4 - distance : 0)),
  )

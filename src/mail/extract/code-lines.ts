import { HIDDEN_TAGS, type HtmlTag, INVISIBLE, VOID_TAGS } from '../html-visitor.ts'
import type { Steps } from '../steps.ts'
import { WITHIN_WORDS } from './links.ts'

/** A line of a message as people see it. Cells of a table's row are parted by tabs. */
export interface Line {
  readonly text: string
  /** Parts that are larger or bolder than what is around them. */
  readonly marks: readonly Mark[]
}

export interface Mark {
  readonly start: number
  readonly end: number
  readonly weight: number
}

/** In characters, of what people see. A code stands at the beginning. */
const MAX_TEXT_LENGTH = 32_768
/** What is longer is looked at in pieces, so that a line costs no more than its length. */
const MAX_LINE_LENGTH = 1_000
const MAX_DEPTH = 200
const MAX_DISTANCE = 20
/** No real code has so many. */
const MAX_BOXES = 40

// Not all that is wide: a wide comma between two numbers is a comma, a narrow one would be a part of a number.
const WIDE = /[\uff0d\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\u{1d7ce}-\u{1d7ff}]/gu
/** The digits of Arabic, Persian, Hindi, Bengali and Thai, each with those of its script in order. */
const OTHER_DIGITS = /[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef\u0e50-\u0e59]/g
const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50]
const digitOf = (digit: string) => {
  const code = digit.charCodeAt(0)
  return String(code - ZEROS.findLast((zero) => zero <= code)!)
}

/** Wide digits and letters as narrow ones, digits of other scripts as ours, and nothing that cannot be seen. Addresses on the web have numbers that are no codes. */
export const plain = (text: string) =>
  text
    .replace(WIDE, (wide) => wide.normalize('NFKC'))
    .replace(OTHER_DIGITS, digitOf)
    .replace(INVISIBLE, '')
    .replace(/(?:https?:\/\/|www\.|mailto:)[^\s<>"\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af]+/gi, ' ⟶ ')
    .replace(/(?<![^\s<>@])[^\s<>@]{1,64}@[^\s<>@]+/g, ' ⟶ ')

export function* linesOfText(whole: string): Steps<Line[]> {
  const lines: Line[] = []
  const written = whole.slice(0, MAX_TEXT_LENGTH).split(/\r\n|\r|\n/)
  for (const [index, line] of written.entries()) {
    for (const piece of piecesOf(line)) {
      const text = plain(piece).trim()
      if (text !== '') lines.push({ text, marks: [] })
    }
    if (index % 100 === 99) yield
  }
  return lines
}

function piecesOf(line: string): string[] {
  const text = line.replace(/[^\S\t]+/g, ' ')
  const pieces: string[] = []
  for (let at = 0; at < text.length; at += MAX_LINE_LENGTH) pieces.push(text.slice(at, at + MAX_LINE_LENGTH))
  return pieces
}

/** Gathers the lines of html while it is visited. */
export function collectLines() {
  const lines: Line[] = []
  const open: { name: string; weight: number }[] = []
  let line = ''
  let marks: Mark[] = []
  let length = 0
  let hidden: string | null = null

  const end = () => {
    const text = plain(line).trim()
    if (text !== '') lines.push({ text, marks: text === line.trimEnd() ? marks : shifted(text, marks, line) })
    line = ''
    marks = []
  }
  const boundary = (name: string) => {
    if (name === 'td' || name === 'th') line = line === '' || line.endsWith('\t') ? line : `${line.trimEnd()}\t`
    else if (!WITHIN_WORDS.has(name) && name !== 'a' && name !== 'img') end()
  }
  return {
    open(tag: HtmlTag) {
      if (HIDDEN_TAGS.has(tag.name)) hidden ??= tag.name
      if (tag.name !== 'td' && tag.name !== 'th') boundary(tag.name)
      if (VOID_TAGS.has(tag.name) || open.length === MAX_DEPTH) return
      open.push({ name: tag.name, weight: Math.max(open.at(-1)?.weight ?? 0, weightOf(tag)) })
    },
    close(name: string) {
      if (name === hidden) hidden = null
      boundary(name)
      // Most tags end the last one that was opened. What ends nothing costs a look at the nearest ones, not at all.
      const index = open.findLastIndex((one, depth) => depth < open.length - MAX_DISTANCE || one.name === name)
      if (open[index]?.name === name) open.length = index
    },
    text(text: string) {
      if (hidden !== null || length > MAX_TEXT_LENGTH) return
      const weight = open.at(-1)?.weight ?? 0
      for (const seen of piecesOf(text.slice(0, MAX_TEXT_LENGTH).replace(/\t/g, ' '))) {
        const piece = line === '' || /\s/.test(line.at(-1)!) ? seen.trimStart() : seen
        if (weight > 0 && piece.trim() !== '')
          marks.push({ start: line.length, end: line.length + piece.length, weight })
        line += piece
        length += piece.length
        if (line.length > MAX_LINE_LENGTH) end()
      }
    },
    found() {
      end()
      return joined(lines)
    },
  }
}

/** Marks are found again by their text once something was taken out of the line. */
function shifted(text: string, marks: readonly Mark[], line: string): Mark[] {
  return marks.flatMap(({ start, end, weight }) => {
    const marked = plain(line.slice(start, end)).trim()
    const at = marked === '' ? -1 : text.indexOf(marked)
    return at < 0 ? [] : [{ start: at, end: at + marked.length, weight }]
  })
}

/** Boxes with one character each, below each other in the source and beside each other on the page, are one line. */
function joined(lines: readonly Line[]): Line[] {
  const result: Line[] = []
  for (let index = 0; index < lines.length; ) {
    let last = index
    while (last < lines.length && last - index < MAX_BOXES && /^[A-Z\d]$/.test(lines[last]!.text)) last += 1
    if (last - index < 4) {
      result.push(lines[index]!)
      index += 1
      continue
    }
    const text = lines
      .slice(index, last)
      .map((line) => line.text)
      .join(' ')
    result.push({ text, marks: [{ start: 0, end: text.length, weight: 1 }] })
    index = last
  }
  return result
}

const BOLD = new Set(['b', 'strong', 'code', 'kbd', 'mark', 'pre', 'big', 'tt', 'samp'])
const LARGE = new Set(['h1', 'h2', 'h3'])

/** 2 is large, 1 is bold or meant for a code by its name. */
function weightOf({ name, attributes }: HtmlTag): number {
  if (LARGE.has(name)) return 2
  const style = attributes.get('style')?.value.slice(0, 2_000) ?? ''
  const size = /font(?:-size)?\s*:[^;]{0,40}?([\d.]{1,6})(px|pt|r?em)/i.exec(style)
  const pixels = size ? Number(size[1]) * (size[2] === 'px' ? 1 : size[2] === 'pt' ? 4 / 3 : 16) : 0
  if (pixels >= 20 || /letter-spacing\s*:\s*(?:0?\.[1-9]|[1-9])/i.test(style)) return 2
  if (name === 'font' && Number(attributes.get('size')?.value) >= 5) return 2
  const named = `${attributes.get('class')?.value ?? ''} ${attributes.get('id')?.value ?? ''}`.slice(0, 500)
  if (BOLD.has(name) || /font-weight\s*:\s*(?:bold|[6-9]00)|monospace/i.test(style)) return 1
  return /\b(?:otp|pin|token|\w*code)\b/i.test(named) ? 1 : 0
}

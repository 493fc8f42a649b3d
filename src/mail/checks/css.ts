import type { Steps } from '../steps.ts'

/** A part of a style sheet, and where it begins. */
export type CssPart =
  | { readonly kind: 'declaration'; readonly property: string; readonly value: string; readonly at: number }
  | { readonly kind: 'selector'; readonly text: string; readonly at: number; readonly isNested: boolean }
  | { readonly kind: 'rule'; readonly name: string; readonly prelude: string; readonly at: number }
  | { readonly kind: 'comment'; readonly at: number }

/** In characters. What is longer is a picture inside of the style sheet. */
const MAX_PART_LENGTH = 4_096
/** In characters: a step, which takes 2 ms if they are nothing but short rules. */
const STEP = 2_000

/**
 * Tells the parts of a style sheet, or of a `style` attribute, in one pass and without a tree, whatever it is: braces that nobody closes
 * and a million levels cost no more than their characters. It forgives what browsers forgive.
 */
export function* visitCss(css: string, tell: (part: CssPart) => void, { isAttribute = false } = {}): Steps<void> {
  /** Whether each open block holds declarations (a rule) or rules (`@media`). Deeper ones are counted only. */
  const blocks: boolean[] = []
  let tooDeep = 0
  let start = 0
  let parens = 0
  let nextStep = STEP
  const inRule = () => isAttribute || blocks.at(-1) === true

  const pieceUntil = (end: number): Piece => {
    const text = withoutComments(css.slice(start, Math.min(end, start + MAX_PART_LENGTH)))
    const at = start + (text.length - text.trimStart().length)
    return { text: text.trim(), at }
  }
  const endPiece = (end: number) => {
    const part = partOf(pieceUntil(end), inRule())
    if (part) tell(part)
    start = end + 1
  }
  for (let index = 0; index < css.length; index += 1) {
    if (index >= nextStep) {
      nextStep = index + STEP
      yield
    }
    const character = css[index]!
    if (character === '\\') index += 1
    else if (character === '/' && css[index + 1] === '*') {
      tell({ kind: 'comment', at: index })
      index = endOf(css, '*/', index + 2) - 1
    } else if (character === '"' || character === "'") index = endOfString(css, index)
    else if (character === '(') parens += 1
    else if (character === ')') parens = Math.max(0, parens - 1)
    else if (character === ';' && parens === 0) endPiece(index)
    else if (character === '{') {
      const piece = pieceUntil(index)
      parens = 0
      if (piece.text.startsWith('@')) tell(atRule(piece))
      else if (piece.text !== '') tell({ kind: 'selector', ...piece, isNested: inRule() })
      if (blocks.length < 100)
        blocks.push(!/^@(?:media|supports|layer|container|document|scope|(?:-\w+-)?keyframes)/i.test(piece.text))
      else tooDeep += 1
      start = index + 1
    } else if (character === '}') {
      endPiece(index)
      parens = 0
      if (tooDeep > 0) tooDeep -= 1
      else blocks.pop()
    }
  }
  endPiece(css.length)
}

interface Piece {
  readonly text: string
  readonly at: number
}

/** What ends without a block. */
function partOf(piece: Piece, isInRule: boolean): CssPart | null {
  if (piece.text.startsWith('@')) return atRule(piece)
  const colon = piece.text.indexOf(':')
  if (!isInRule || colon <= 0) return null
  const property = piece.text.slice(0, colon).trim().toLowerCase()
  if (!/^[-\w*]+$/.test(property)) return null
  return {
    kind: 'declaration',
    property,
    value: piece.text
      .slice(colon + 1)
      .trim()
      .toLowerCase(),
    at: piece.at,
  }
}

function atRule({ text, at }: Piece): CssPart {
  const name = /^@([-\w]+)/.exec(text)?.[1] ?? ''
  return {
    kind: 'rule',
    name: name.toLowerCase(),
    prelude: text
      .slice(name.length + 1)
      .trim()
      .toLowerCase(),
    at,
  }
}

/** Blanks in their place, so that nothing moves. */
const withoutComments = (text: string) =>
  text.replace(/\/\*[\s\S]*?(?:\*\/|$)/g, (comment) => ' '.repeat(comment.length))

function endOf(css: string, what: string, from: number): number {
  const found = css.indexOf(what, from)
  return found < 0 ? css.length : found + what.length
}

/** A string ends with its quote, or with the line. */
function endOfString(css: string, from: number): number {
  for (let index = from + 1; index < css.length; index += 1) {
    if (css[index] === '\\') index += 1
    else if (css[index] === css[from] || css[index] === '\n') return index
  }
  return css.length
}

import { type HtmlTag, type HtmlVisitor, VOID_TAGS } from '../html-visitor.ts'
import { contrastOf, type Rgb, rgbOf } from './color.ts'
import type { Found } from './finding.ts'

const MAX_DEPTH = 500
const MAX_PAIRS = 100
const MAX_CSS_LENGTH = 262_144

/** What is known about the text inside of an element. */
interface Level {
  readonly name: string
  readonly color: Rgb | null
  /** Null: nothing is behind it, or nobody can tell what. */
  readonly ground: Rgb | null
  readonly isHidden: boolean
  readonly isLarge: boolean
  /** Tags, classes and ids below where both colors were said: style sheets may give these others. */
  readonly names: readonly string[]
}

interface Pair {
  readonly ratio: number
  readonly written: string
  readonly at: number
  readonly names: ReadonlySet<string>
  count: number
}

const OUTSIDE: Level = { name: '', color: null, ground: null, isHidden: false, isLarge: false, names: [] }

/**
 * Notes text that hardly stands out from what is behind it. Only where the mail itself says both colors, by style attributes or
 * attributes of tables, and no style sheet says something else about what is between.
 */
export function collectContrast() {
  const open: Level[] = []
  const pairs = new Map<string, Pair>()

  const visitor: HtmlVisitor = {
    open(tag) {
      if (VOID_TAGS.has(tag.name) || open.length === MAX_DEPTH) return
      open.push(levelOf(tag, open.at(-1) ?? OUTSIDE))
    },
    close(name) {
      const index = open.findLastIndex((one, depth) => depth < open.length - 20 || one.name === name)
      if (open[index]?.name === name) open.length = index
    },
    text(text, at) {
      const level = open.at(-1)
      if (!level?.color || !level.ground || level.isHidden || !/[\p{L}\p{N}]/u.test(text.slice(0, 500))) return
      const ratio = contrastOf(level.color, level.ground)
      if (ratio >= (level.isLarge ? 3 : 4.5)) return
      const written = `${hex(level.color)} on ${hex(level.ground)}`
      const known = pairs.get(written)
      if (known) known.count += 1
      else if (pairs.size < MAX_PAIRS) pairs.set(written, { ratio, written, at, names: new Set(level.names), count: 1 })
    },
  }
  return {
    visitor,
    found: (sheets: readonly string[]): Found[] => {
      const css = sheets.join('\n').slice(0, MAX_CSS_LENGTH)
      const colored = namesColoredIn(css)
      return [...pairs.values()]
        .filter(({ names }) => ![...names].some((name) => colored.has(name)))
        .sort((a, b) => a.ratio - b.ratio)
        .map(({ ratio, written, at, count }) => ({
          check: 'accessibility',
          severity: ratio < 3 ? 'warning' : 'notice',
          impact: ratio < 3 ? 'major' : 'minor',
          title: 'Low contrast between text and background',
          detail: `${written} has a contrast of ${ratio.toFixed(1)} to 1; WCAG asks for 4.5, or 3 where text is large.${count > 1 ? ` It is used ${count} times.` : ''}`,
          at,
        }))
    },
  }
}

const HIDDEN =
  /display\s*:\s*none|visibility\s*:\s*hidden|mso-hide|(?:max-height|font-size|line-height|opacity)\s*:\s*[01]?(?:px|em)?\s*(?:;|$|!)/
const GROUND = /(?:^|[;\s])background(?:-color)?\s*:\s*([^;]{1,200})/g
const COLOR = /(?:^|[;\s])color\s*:\s*([^;]{1,60})/

function levelOf({ name, attributes }: HtmlTag, outer: Level): Level {
  const style = attributes.get('style')?.value.slice(0, 4_096).toLowerCase() ?? ''
  const color = COLOR.exec(style)?.[1] ?? attributes.get('color')?.value
  const ground = [...style.matchAll(GROUND)].at(-1)?.[1] ?? attributes.get('bgcolor')?.value
  const hasPicture = /background(?:-image)?\s*:[^;]*(?:url|gradient)/.test(style) || attributes.has('background')
  const isSaid = color !== undefined || ground !== undefined
  const own = [name, ...namesOf('.', attributes.get('class')?.value), ...namesOf('#', attributes.get('id')?.value)]
  return {
    name,
    color: color === undefined ? outer.color : rgbOf(color),
    ground: hasPicture ? null : ground === undefined ? outer.ground : groundOf(ground, outer.ground),
    isHidden: outer.isHidden || HIDDEN.test(style) || name === 'style' || name === 'title' || name === 'script',
    isLarge: outer.isLarge || isLarge(style, name),
    // An element that says both itself begins anew; a rule of a style sheet is weaker than its style attribute.
    names: color !== undefined && ground !== undefined ? [] : [...outer.names, ...(isSaid ? [] : own)].slice(-40),
  }
}

const groundOf = (written: string, outer: Rgb | null) =>
  /^\s*(?:transparent|none|inherit)/.test(written) ? outer : rgbOf(written)

const namesOf = (mark: string, value: string | undefined) =>
  (value ?? '')
    .slice(0, 200)
    .split(/\s+/)
    .filter((name) => name !== '')
    .map((name) => `${mark}${name.toLowerCase()}`)

function isLarge(style: string, name: string): boolean {
  const size = /font-size\s*:\s*([\d.]{1,6})px/.exec(style)
  const isBold = /font-weight\s*:\s*(?:bold|[6-9]00)/.test(style) || /^h[1-3]$|^b$|^strong$/.test(name)
  return size !== null && Number(size[1]) >= (isBold ? 18.66 : 24)
}

const COLORS = /(?:^|[;\s])(?:color|background(?:-color|-image)?)\s*:/i

/** Tags, classes and ids that style sheets give a color or a background. */
function namesColoredIn(css: string): Set<string> {
  const names = new Set<string>()
  for (const block of css.split('}')) {
    const brace = block.lastIndexOf('{')
    if (brace < 0 || !COLORS.test(block.slice(brace + 1, brace + 4_000))) continue
    const selector = block.slice(block.lastIndexOf('{', brace - 1) + 1, brace).slice(-1_000)
    for (const [name] of selector.toLowerCase().matchAll(/[.#]?[a-z][\w-]{0,100}/g)) names.add(name)
  }
  return names
}

const hex = (color: Rgb) => `#${color.map((part) => Math.min(part, 255).toString(16).padStart(2, '0')).join('')}`

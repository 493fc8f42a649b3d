import { type HtmlTag, type HtmlVisitor, VOID_TAGS } from '../html-visitor.ts'
import { rgbOf } from './color.ts'
import { atMost, type Found } from './finding.ts'

const MAX_DEPTH = 500

/**
 * Notes what matters where everything is dark. Only what is certain: a mail that says that it can be dark is not changed by mail
 * clients, so its dark letters stay dark, and stand on whatever the client has behind them unless the mail brings its own ground.
 */
export function collectColors() {
  const open: { name: string; hasGround: boolean }[] = []
  const darkTexts: number[] = []
  let declared: string | null = null

  const visitor: HtmlVisitor = {
    open(tag) {
      declared ??= schemeOf(tag)
      const style = tag.attributes.get('style')?.value.slice(0, 4_096).toLowerCase() ?? ''
      const hasGround = (open.at(-1)?.hasGround ?? false) || hasGroundOf(tag, style)
      const color =
        /(?:^|[;\s])color\s*:\s*([^;]{1,60})/.exec(style)?.[1] ?? tag.attributes.get('color')?.value.slice(0, 60)
      if (darkTexts.length < 1_000 && !hasGround && color !== undefined && isDark(color)) darkTexts.push(tag.at)
      if (!VOID_TAGS.has(tag.name) && open.length < MAX_DEPTH) open.push({ name: tag.name, hasGround })
    },
    close(name) {
      const index = open.findLastIndex((one, depth) => depth < open.length - 20 || one.name === name)
      if (open[index]?.name === name) open.length = index
    },
  }
  return { visitor, found: (sheets: readonly string[]) => findTraps({ declared, darkTexts, sheets }) }
}

function findTraps(colors: {
  declared: string | null
  darkTexts: readonly number[]
  sheets: readonly string[]
}): Found[] {
  const css = colors.sheets.map((sheet) => sheet.slice(0, 262_144)).join('\n')
  const hasRules = /prefers-color-scheme\s*:\s*dark/i.test(css)
  const scheme = colors.declared ?? /(?<![-\w])color-scheme\s*:\s*([^;}]{1,60})/i.exec(css)?.[1] ?? null
  const saysDark = scheme !== null && /\bdark\b/i.test(scheme)
  if (hasRules && !saysDark)
    return [
      {
        check: 'dark_mode',
        severity: 'warning',
        title: 'Dark mode styles without a color-scheme declaration',
        detail: 'Apple Mail wants <meta name="color-scheme" content="light dark"> in the head to use them.',
      },
    ]
  if (scheme === null)
    return [
      {
        check: 'dark_mode',
        severity: 'notice',
        impact: 'minor',
        title: 'No color-scheme declaration',
        detail:
          'Mail clients choose colors of their own in dark mode. <meta name="color-scheme" content="light dark"> says that it has both.',
      },
    ]
  if (!saysDark || hasRules) return []
  return atMost(
    colors.darkTexts.map((at) => ({
      check: 'dark_mode',
      severity: 'warning',
      title: 'Dark text without a background color',
      detail: 'The mail says that it can be dark, so its colors stay as they are: this text stands on a dark ground.',
      at,
    })),
  )
}

function schemeOf({ name, attributes }: HtmlTag): string | null {
  if (name !== 'meta' || !/^(?:supported-)?color-schemes?$/i.test(attributes.get('name')?.value ?? '')) return null
  return attributes.get('content')?.value ?? ''
}

const hasGroundOf = ({ attributes }: HtmlTag, style: string) =>
  attributes.has('bgcolor') ||
  attributes.has('background') ||
  /(?:^|[;\s])background(?:-color|-image)?\s*:(?!\s*(?:transparent|none|inherit|initial|unset))/.test(style)

/** Whether white behind it would be the only choice. */
export function isDark(written: string): boolean {
  const color = rgbOf(written, { allowsAlpha: true })
  return color !== null && 0.299 * color[0] + 0.587 * color[1] + 0.114 * color[2] < 75
}

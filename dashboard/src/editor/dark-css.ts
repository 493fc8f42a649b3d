/** How an email looks to readers whose device is dark. Kept as css in the document, since mail has no other way to say it. */
export interface DarkColors {
  readonly background: string
  readonly panel: string
  readonly text: string
  readonly link: string
}

export const DEFAULT_DARK: DarkColors = { background: '#111111', panel: '#1b1b1b', text: '#ececec', link: '#8ab4f8' }

const BEGIN = '/* dark */'
const END = '/* end of dark */'

/** A document's css with these colors in place of those that it has; null: with none. */
export function withDarkColors(css: string, colors: DarkColors | null): string {
  const others = css.replace(between(), '').trim()
  if (!colors) return others
  const { background, panel, text, link } = colors
  const rules = [
    `body,body>table>tbody>tr>td{background-color:${background} !important}`,
    `body>table>tbody>tr>td>table{background-color:${panel} !important;color:${text} !important}`,
    `p,h1,h2,h3,li,blockquote{color:${text} !important}`,
    `a:not(.button){color:${link} !important}`,
  ].join('')
  const dark = `${BEGIN}:root{color-scheme:light dark;supported-color-schemes:light dark}@media (prefers-color-scheme: dark){${rules}}${END}`
  return [others, dark].filter((part) => part !== '').join('\n')
}

/** The colors that this css was made with; null: it says nothing about dark devices. */
export function darkColorsIn(css: string): DarkColors | null {
  const own = between().exec(css)?.[0]
  if (!own) return null
  const color = (rule: RegExp) => rule.exec(own)?.[1] ?? ''
  return {
    background: color(/td\{background-color:([^ ]+) /),
    panel: color(/td>table\{background-color:([^ ]+) /),
    text: color(/blockquote\{color:([^ ]+) /),
    link: color(/\.button\)\{color:([^ ]+) /),
  }
}

const between = () => /\/\* dark \*\/[\s\S]*?\/\* end of dark \*\//

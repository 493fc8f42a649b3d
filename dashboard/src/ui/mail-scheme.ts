// A mail in light or in dark, whatever the reader's own theme is: the frame that shows it cannot be told what to prefer, so its style
// sheets are rewritten. Works on html that is cleaned already, of which each style sheet has an end.

export type MailScheme = 'light' | 'dark'

const OTHER = { light: 'dark', dark: 'light' } as const

/** Conditions that are always true and never true, in any browser. */
const ALWAYS = '(min-width:0)'
const NEVER = '(max-width:0)'

const PREFERENCE = /\(\s*prefers-color-scheme\s*:\s*(light|dark)\s*\)/gi
const PROPERTY = /(?<![\w-])color-scheme\s*:\s*[^;}"'<]{0,100}/gi
const STYLE_ATTRIBUTE = /\sstyle="[^"]*"/gi

/** The html as a reader sees it who prefers this scheme. */
export function inScheme(clean: string, scheme: MailScheme): string {
  const choose = (css: string) =>
    withProperty(
      css.replace(PREFERENCE, (_, name) => condition(name, scheme)),
      scheme,
    )
  return mapStyleSheets(clean, choose).replace(STYLE_ATTRIBUTE, (attribute) => withProperty(attribute, scheme))
}

const condition = (preferred: string, scheme: MailScheme) => (preferred.toLowerCase() === scheme ? ALWAYS : NEVER)

/** Of what an element supports the scheme that is shown, if that is among it. */
const withProperty = (css: string, scheme: MailScheme) =>
  css.replace(PROPERTY, (whole) => {
    const supports = (name: MailScheme) => new RegExp(`[\\s:]${name}\\b`, 'i').test(whole)
    if (supports(scheme)) return `color-scheme:${scheme}`
    return supports(OTHER[scheme]) ? `color-scheme:${OTHER[scheme]}` : whole
  })

/** One pass, also over html that was made to take long: a tag without an end is the last. */
function mapStyleSheets(html: string, map: (sheet: string) => string): string {
  const pieces: string[] = []
  const low = html.toLowerCase()
  let at = 0
  for (;;) {
    const start = low.indexOf('<style', at)
    const end = start < 0 ? -1 : low.indexOf('</style', start)
    if (end < 0) break
    pieces.push(html.slice(at, start), map(html.slice(start, end)))
    at = end
  }
  return pieces.join('') + html.slice(at)
}

/** Whether a mail says how it looks in the dark: by a style of its own, or by leaving it to the mail client. */
export function hasDarkStyles(html: string): boolean {
  if (/prefers-color-scheme\s*:\s*dark/i.test(html)) return true
  if (/(?<![\w-])color-scheme\s*:[^;}"'<]{0,100}\bdark\b/i.test(html)) return true
  for (const [tag] of html.matchAll(/<meta\b[^<>]{0,500}>/gi))
    if (/color-schemes?\b/i.test(tag) && /\bdark\b/i.test(tag)) return true
  return false
}

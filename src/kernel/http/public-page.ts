import { createHash } from 'node:crypto'
import { escapeHtml } from '../../mail/html.ts'
import { textColorOn } from './contrast.ts'
import type { PublicAnswer } from './public-route.ts'

/** Of every page that people open without a key: light and dark, from a telephone to a desk. The colours are the dashboard's. */
const STYLE = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#faf9f7, #141513); --raised: light-dark(#ffffff, #1b1d1a);
  --line: light-dark(#e4e1db, #2c2f2a); --line-strong: light-dark(#cfcac1, #434740);
  --text: light-dark(#21201c, #ecebe6); --muted: light-dark(#66625a, #a3a198);
  --accent: light-dark(#27695a, #6cc3a8); --accent-text: light-dark(#ffffff, #0c1a15);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "Liberation Sans", sans-serif;
  background: var(--ground); color: var(--text);
}
* { box-sizing: border-box }
body { display: grid; gap: 16px; max-width: 34rem; margin: 0 auto; padding: clamp(24px, 10vh, 96px) 16px 32px }
body.wide { max-width: 50rem; padding-top: 32px }
header, footer { color: var(--muted); overflow-wrap: anywhere }
header { display: flex; align-items: center; gap: 12px; font-weight: 600; color: var(--text) }
header img { flex: none; max-width: 160px; max-height: 48px; border-radius: 4px; background: light-dark(transparent, #ffffff) }
footer { font-size: 14px }
main { padding: clamp(20px, 5vw, 32px); border: 1px solid var(--line); border-top: var(--band, 1px solid var(--line)); border-radius: 14px; background: var(--raised) }
h1 { margin: 0 0 12px; font-size: 22px; font-weight: 600; line-height: 1.3; overflow-wrap: anywhere }
h2 { margin: 32px 0 0; font-size: 16px; font-weight: 600 }
p { margin: 0 0 16px; overflow-wrap: anywhere }
p:last-child { margin-bottom: 0 }
a { color: var(--accent) }
ul { margin: 0; padding: 0; list-style: none }
li { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 8px 16px; padding: 16px 0; border-bottom: 1px solid var(--line) }
li:last-child { padding-bottom: 0; border: 0 }
li p { flex: 1 1 12rem; margin: 0 }
small, dt { color: var(--muted) }
.choices { display: flex; flex-wrap: wrap; gap: 12px }
button { padding: 8px 16px; border: 1px solid var(--line-strong); border-radius: 8px; background: none; color: inherit; font: inherit; font-weight: 500; cursor: pointer }
button.primary { border-color: var(--primary-edge, var(--accent)); background: var(--primary, var(--accent)); color: var(--primary-text, var(--accent-text)) }
:focus-visible { outline: 2px solid var(--focus, var(--accent)); outline-offset: 2px }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 2px 16px; margin: 0 0 16px }
dd { margin: 0; overflow-wrap: anywhere }
iframe { display: block; width: 100%; height: 75vh; border: 1px solid var(--line); border-radius: 8px; background: #fff }
`

/** Whose page it is, as they want to be seen. */
export interface Brand {
  readonly name: string
  /** `#rrggbb`. */
  readonly accentColor: string | null
  /** Of an image of ours. */
  readonly logoUrl: string | null
}

/** A colour of a team, for what is no text on our ground: any colour will do there. What could be anything else is no colour. */
function brandStyle(color: string | null): string | null {
  if (color === null || !/^#[0-9a-f]{6}$/i.test(color)) return null
  return `:root { --primary: ${color}; --primary-text: ${textColorOn(color)}; --primary-edge: var(--line-strong); --focus: var(--text); --band: 4px solid ${color} }`
}

/** The policy names each style sheet by its content: no other one holds. */
const hashOf = (style: string) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`
const OWN_STYLE = hashOf(STYLE)

interface Page {
  readonly status?: number
  readonly title: string
  /** Whose page it is: a team's. Null: the installation's. */
  readonly sender: Brand | null
  /** What the page may do besides looking as it does: it runs no script, fetches nothing, and is framed by nobody. */
  readonly policy: string
  /** A mail is shown in it, with styles of its own: its frame inherits the policy. */
  readonly showsMail?: boolean
  /** Html, ready as it is. */
  readonly body: string
  readonly footer?: string
}

/** A page for people who have its link: small, without scripts, in nobody's index and in nobody's cache. */
export function publicPage({ status = 200, title, sender, policy, showsMail = false, ...html }: Page): PublicAnswer {
  const styles = [STYLE, brandStyle(sender?.accentColor ?? null)].filter((style) => style !== null)
  const logoUrl = sender?.logoUrl ?? null
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': [
        "default-src 'none'",
        `style-src ${showsMail ? "'unsafe-inline'" : styles.map((style) => (style === STYLE ? OWN_STYLE : hashOf(style))).join(' ')}`,
        imagePolicy(logoUrl),
        policy,
        "frame-ancestors 'none'",
        "base-uri 'none'",
      ].join('; '),
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
      'cache-control': 'no-store',
    },
    body: `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(title)}</title>
    <link rel="icon" href="data:,">
    ${styles.map((style) => `<style>${style}</style>`).join('\n    ')}
  </head>
  <body${showsMail ? ' class="wide"' : ''}>
    <header>${logoUrl === null ? '' : `<img src="${escapeHtml(logoUrl)}" alt="">`}${escapeHtml(sender?.name ?? 'Postwren')}</header>
    <main>
      <h1>${escapeHtml(title)}</h1>
      ${html.body}
    </main>
    ${html.footer === undefined ? '' : `<footer>${html.footer}</footer>`}
  </body>
</html>
`,
  }
}

/** Images in the page itself, the empty icon for one, and the logo by its whole address: a mail in the page can fetch no other. */
const imagePolicy = (logoUrl: string | null) =>
  ['img-src data:', ...(logoUrl === null ? [] : [logoUrl.replace(/[;,]/g, encodeURIComponent)])].join(' ')

/** A page that says one thing, and where to go from there if there is such a place. */
export const noticePage = (notice: {
  status: number
  title: string
  text: string
  link?: { path: string; text: string }
}): PublicAnswer =>
  publicPage({
    status: notice.status,
    title: notice.title,
    sender: null,
    policy: "form-action 'none'",
    body: `<p>${escapeHtml(notice.text)}</p>${notice.link ? `<p><a href="${escapeHtml(notice.link.path)}">${escapeHtml(notice.link.text)}</a></p>` : ''}`,
  })

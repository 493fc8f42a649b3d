import { createHash } from 'node:crypto'
import { escapeHtml } from '../../mail/html.ts'
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
header { font-weight: 600; color: var(--text) }
footer { font-size: 14px }
main { padding: clamp(20px, 5vw, 32px); border: 1px solid var(--line); border-radius: 14px; background: var(--raised) }
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
button.primary { border-color: var(--accent); background: var(--accent); color: var(--accent-text) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 2px 16px; margin: 0 0 16px }
dd { margin: 0; overflow-wrap: anywhere }
iframe { display: block; width: 100%; height: 75vh; border: 1px solid var(--line); border-radius: 8px; background: #fff }
`

/** The policy names the one style sheet by its content: no other one holds. */
const OWN_STYLE = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`

interface Page {
  readonly status?: number
  readonly title: string
  /** Whose page it is: a team, by its name. Null: the installation's. */
  readonly sender: string | null
  /** What the page may do besides looking as it does: it runs no script, fetches nothing, and is framed by nobody. */
  readonly policy: string
  /** A mail is shown in it, with styles of its own: its frame inherits the policy. */
  readonly showsMail?: boolean
  /** Html, ready as it is. */
  readonly body: string
  readonly footer?: string
}

/** A page for people who have its link: small, without scripts, in nobody's index and in nobody's cache. */
export const publicPage = ({
  status = 200,
  title,
  sender,
  policy,
  showsMail = false,
  ...html
}: Page): PublicAnswer => ({
  status,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src ${showsMail ? "'unsafe-inline'" : OWN_STYLE}; ${policy}; frame-ancestors 'none'; base-uri 'none'`,
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
    <style>${STYLE}</style>
  </head>
  <body${showsMail ? ' class="wide"' : ''}>
    <header>${escapeHtml(sender ?? 'Postwren')}</header>
    <main>
      <h1>${escapeHtml(title)}</h1>
      ${html.body}
    </main>
    ${html.footer === undefined ? '' : `<footer>${html.footer}</footer>`}
  </body>
</html>
`,
})

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

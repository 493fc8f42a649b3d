import { escapeHtml } from '../../mail/html.ts'
import type { PublicAnswer } from './public-route.ts'

interface Page {
  readonly status?: number
  readonly title: string
  /** What the page may do besides looking as it does: it runs no script, fetches nothing, and is framed by nobody. */
  readonly policy: string
  readonly style: string
  /** Html, ready as it is. */
  readonly body: string
}

/** A page for people who have its link: small, without scripts, in nobody's index and in nobody's cache. */
export const publicPage = ({ status = 200, title, policy, style, body }: Page): PublicAnswer => ({
  status,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; ${policy}; frame-ancestors 'none'; base-uri 'none'`,
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
    <style>
      :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
      ${style}
    </style>
  </head>
  <body><main>
    <h1>${escapeHtml(title)}</h1>
    ${body}
  </main></body>
</html>
`,
})

/** A page that says one thing, and where to go from there. */
export const noticePage = (notice: {
  status: number
  title: string
  text: string
  link: { path: string; text: string }
}): PublicAnswer =>
  publicPage({
    status: notice.status,
    title: notice.title,
    policy: "form-action 'none'",
    style: 'main { max-width: 32rem; margin: 20vh auto; padding: 0 1rem }',
    body: `<p>${escapeHtml(notice.text)}</p>
    <p><a href="${escapeHtml(notice.link.path)}">${escapeHtml(notice.link.text)}</a></p>`,
  })

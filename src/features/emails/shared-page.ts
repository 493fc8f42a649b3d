import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { publicPage } from '../../kernel/http/public-page.ts'
import type { PublicAnswer } from '../../kernel/http/public-route.ts'
import { escapeHtml } from '../../mail/html.ts'

const STYLE = `main { margin: 0 auto; max-width: 48rem; padding: 1rem }
      dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; opacity: .8 }
      dd { margin: 0; overflow-wrap: anywhere }
      iframe { width: 100%; height: 75vh; border: 1px solid #8884; border-radius: .5rem; background: #fff }`

/** What is shown of an email, sent or received. */
export interface Shown {
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  readonly created_at: string
  readonly html: string | null
  readonly text: string | null
}

/** Where the email goes in the page. Nobody else can know it, so no email has it. */
const PLACEHOLDER = randomBytes(12).toString('hex')

/**
 * An email for somebody who has the link. Its html is shown in a frame that can run nothing, open nothing and fetch nothing: the
 * frame is sandboxed, and the policy of this page allows neither scripts nor other hosts.
 */
export function sharedPage(email: Shown): PublicAnswer {
  const { body, ...page } = publicPage({
    title: email.subject,
    policy: "img-src data:; frame-src 'self'; form-action 'none'",
    style: STYLE,
    body: `<dl>
      <dt>From</dt><dd>${escapeHtml(email.from)}</dd>
      <dt>To</dt><dd>${escapeHtml(email.to.join(', '))}</dd>
      <dt>Sent</dt><dd>${escapeHtml(email.created_at)}</dd>
    </dl>
    <iframe sandbox="" title="The email" srcdoc="${PLACEHOLDER}"></iframe>`,
  })
  const [before = '', after = ''] = (body as string).split(PLACEHOLDER)
  return { ...page, body: Readable.from(pieces(before, email, after), { objectMode: true, highWaterMark: 1 }) }
}

/** 64 kB take 10 ms to escape, and the html of an email can be 5 MB, with 10 MB of images in it. */
const SLICE = 64 * 1024

async function* pieces(before: string, { html, text }: Shown, after: string): AsyncGenerator<string> {
  yield before
  const content = html ?? text ?? ''
  if (html === null) yield escapeHtml('<pre style="white-space: pre-wrap; font: inherit">')
  for (let at = 0; at < content.length; ) {
    // A character of two halves is not cut in two.
    const end = at + SLICE - (/[\ud800-\udbff]/.test(content[at + SLICE - 1] ?? '') ? 1 : 0)
    const slice = content.slice(at, end)
    yield escapeHtml(html === null ? escapeHtml(slice) : slice)
    await nextTurn()
    at = end
  }
  if (html === null) yield escapeHtml('</pre>')
  yield after
}

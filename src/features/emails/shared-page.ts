import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Brand, noticePage, publicPage } from '../../kernel/http/public-page.ts'
import type { PublicAnswer } from '../../kernel/http/public-route.ts'
import { escapeHtml } from '../../mail/html.ts'

/** What is shown of an email, sent or received. */
export interface Shown {
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  readonly created_at: string
  readonly html: string | null
  readonly text: string | null
}

/** Of a link that nobody signed, whose time is over, or whose email is deleted. */
export const notShared = () =>
  noticePage({ status: 404, title: 'Email not found', text: 'This link is not valid, or it has expired.' })

/** Where the email goes in the page. Nobody else can know it, so no email has it. */
const PLACEHOLDER = randomBytes(12).toString('hex')

/**
 * An email for somebody who has the link. Its html is shown in a frame that can run nothing, open nothing and fetch nothing: the
 * frame is sandboxed, and the policy of this page allows neither scripts nor other hosts.
 */
export function sharedPage(email: Shown, brand: Brand): PublicAnswer {
  const { body, ...page } = publicPage({
    title: email.subject || '(no subject)',
    sender: brand,
    policy: "frame-src 'self'; form-action 'none'",
    showsMail: true,
    body: `<dl>
      <dt>From</dt><dd>${escapeHtml(email.from)}</dd>
      <dt>To</dt><dd>${escapeHtml(email.to.join(', '))}</dd>
      <dt>Sent</dt><dd>${escapeHtml(new Date(email.created_at).toUTCString())}</dd>
    </dl>
    <iframe sandbox="" title="The email" srcdoc="${PLACEHOLDER}"></iframe>`,
    footer: 'Shared by link. Anyone with the link can read this email until the link expires.',
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

import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { escapeHtml } from '../../mail/html.ts'
import type { PublicAnswer } from './public-route.ts'

/** Where the email goes in the page. Nobody else can know it, so no email has it. */
const PLACEHOLDER = randomBytes(12).toString('hex')

/**
 * An email within a page for somebody who has a link. Its html is shown in a frame that can run nothing, open nothing and fetch nothing: the
 * frame is sandboxed, and the policy of the page allows neither scripts nor other hosts.
 */
export const MAIL_FRAME = `<iframe sandbox="" title="The email" srcdoc="${PLACEHOLDER}"></iframe>`

/** The policy of a page with such a frame. */
export const FRAME_POLICY = "frame-src 'self'"

interface Content {
  readonly html: string | null
  readonly text: string | null
}

/** The page with the email in its `MAIL_FRAME`. */
export function withMail({ body, ...page }: PublicAnswer, content: Content): PublicAnswer {
  const [before = '', after = ''] = (body as string).split(PLACEHOLDER)
  return { ...page, body: Readable.from(pieces(before, content, after), { objectMode: true, highWaterMark: 1 }) }
}

/** 64 kB take 10 ms to escape, and the html of an email can be 5 MB, with 10 MB of images in it. */
const SLICE = 64 * 1024

async function* pieces(before: string, { html, text }: Content, after: string): AsyncGenerator<string> {
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

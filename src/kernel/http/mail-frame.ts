import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { escapeHtml } from '../../mail/html.ts'
import type { PublicAnswer } from './public-route.ts'

/** Where the email, and its text beside html, go in the page. Nobody else can know it, so no email has it. */
const PLACEHOLDER = randomBytes(12).toString('hex')
const TEXT_PLACEHOLDER = randomBytes(12).toString('hex')

/**
 * An email within a page for somebody who has a link. Its html is shown in a frame that can run nothing, open nothing and fetch nothing: the
 * frame is sandboxed, and the policy of the page allows neither scripts nor other hosts.
 */
export const MAIL_FRAME = `<iframe sandbox="" title="The email" srcdoc="${PLACEHOLDER}"></iframe>`

/** The text beside its html, for a page that shows it: programs that show no html show this, and it may say something else. */
export const MAIL_TEXT = `<pre style="white-space: pre-wrap; overflow-wrap: anywhere; font: inherit">${TEXT_PLACEHOLDER}</pre>`

/** The policy of a page with such a frame. */
export const FRAME_POLICY = "frame-src 'self'"

interface Content {
  readonly html: string | null
  readonly text: string | null
}

/** The page with the email in its `MAIL_FRAME`, and behind that its `MAIL_TEXT` if it has one. */
export function withMail({ body, ...page }: PublicAnswer, content: Content): PublicAnswer {
  return { ...page, body: Readable.from(pieces(body as string, content), { objectMode: true, highWaterMark: 1 }) }
}

/** 64 kB take 10 ms to escape, and the html of an email can be 5 MB, with 10 MB of images in it. */
const SLICE = 64 * 1024

async function* pieces(page: string, { html, text }: Content): AsyncGenerator<string> {
  const [before = '', rest = ''] = page.split(PLACEHOLDER)
  const [between = '', after] = rest.split(TEXT_PLACEHOLDER)
  yield before
  if (html === null) {
    yield escapeHtml('<pre style="white-space: pre-wrap; font: inherit">')
    yield* slices(text ?? '', (slice) => escapeHtml(escapeHtml(slice)))
    yield escapeHtml('</pre>')
  } else yield* slices(html, escapeHtml)
  yield between
  if (after === undefined) return
  yield* slices(text ?? '', escapeHtml)
  yield after
}

async function* slices(content: string, escapeSlice: (slice: string) => string): AsyncGenerator<string> {
  for (let at = 0; at < content.length; ) {
    // A character of two halves is not cut in two.
    const end = at + SLICE - (/[\ud800-\udbff]/.test(content[at + SLICE - 1] ?? '') ? 1 : 0)
    yield escapeSlice(content.slice(at, end))
    await nextTurn()
    at = end
  }
}

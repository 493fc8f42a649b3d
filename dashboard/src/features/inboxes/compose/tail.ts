import { markupOfText, plainText } from './plain-text.ts'

/** What follows the words that the editor knows, and goes out with them as it is: html from elsewhere. */
export interface Tail {
  readonly html: string
  /** Null: not known, so the text of the mail is made from its html when it is sent. */
  readonly text: string | null
}

interface Body {
  readonly html: string
  readonly text: string | null
}

/** The body of the mail: first what was written, then what follows it. */
export const joinBody = (own: { readonly html: string; readonly text: string }, tail: Tail | null): Body =>
  tail === null
    ? own
    : { html: own.html + tail.html, text: tail.text === null ? null : `${own.text}\n\n${tail.text}`.trim() }

const TAG = /<(\/?)([a-z!?][^\s>]*)([^>]*)>?/gi
/** As the editor writes them: see `rich-text.ts`. */
const OWN_TAG = /^<\/?(?:p|br|b|strong|i|em|u|a|ul|ol|li|blockquote)(?:\s+href="[^"<>]*")?\s*\/?>$/i

const TRAILING_BREAKS = /(?:<br\s*\/?>|\s)+$/i

/**
 * The same in two parts. A person's own words end before the first outermost element with something in it that the editor would not
 * write: everything from there on stays as it is.
 */
export function splitBody(
  html: string | null,
  text: string | null,
): { readonly html: string; readonly tail: Tail | null } {
  if (!html) return { html: markupOfText(text ?? ''), tail: null }
  const end = ownEnd(html)
  const own = html.slice(0, end)
  if (end === html.length) return { html: own, tail: null }
  const words = plainText(own)
  return {
    html: own,
    tail: { html: html.slice(end), text: text?.startsWith(words) ? text.slice(words.length).trim() : null },
  }
}

function ownEnd(html: string): number {
  let depth = 0
  let outermost = 0
  for (const { 0: tag, 1: slash, 2: name, index } of html.matchAll(TAG)) {
    if (depth === 0 && !slash) outermost = index
    if (!OWN_TAG.test(tag)) return html.slice(0, outermost).replace(TRAILING_BREAKS, '').length
    if (/^br$/i.test(name!)) continue
    depth = Math.max(0, depth + (slash ? -1 : 1))
  }
  return html.length
}

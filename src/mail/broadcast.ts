import { escapeHtml } from './html.ts'
import { textOf } from './html-text.ts'

/** What a broadcast says to everybody, as its author wrote it. */
export interface Letter {
  readonly html: string | null
  readonly text: string | null
  readonly previewText: string | null
}

/** The same, ready to be filled in: what all copies share is done, and only the placeholders are left. */
export interface ReadyLetter {
  readonly html: string | null
  readonly text: string | null
}

/**
 * The preview goes to the top of the html, where inboxes look for it, and the text is made from the html if the author gave none:
 * once for all, which saves half a millisecond for each copy.
 */
export function prepareLetter({ html, text, previewText }: Letter): ReadyLetter {
  return {
    html: html !== null && previewText ? withPreview(html, previewText) : html,
    // Left out: made from the html. Given as nothing: not wanted.
    text: (text ?? (html === null ? '' : textOf(html))) || null,
  }
}

/** About as many characters as an inbox shows beside a subject. */
const PREVIEW_LENGTH = 150
const HIDDEN = 'display:none;overflow:hidden;line-height:1px;opacity:0;max-height:0;max-width:0'
const BODY = /<body(?:\s(?:[^>"']|"[^"]*"|'[^']*')*)?>/iy

/** Invisible in the mail itself. Blanks follow, or the inbox would go on with the first words of the mail. */
function withPreview(html: string, previewText: string): string {
  const blanks = '&nbsp;&zwnj;'.repeat(Math.max(0, PREVIEW_LENGTH - previewText.length))
  const preview = `<div style="${HIDDEN}" data-skip-in-text="true">${escapeHtml(previewText)}${blanks}</div>`
  // Only the first is looked at: in a text of nothing but such tags the search would take the square of its length.
  BODY.lastIndex = Math.max(0, html.search(/<body[\s>]/i))
  const at = BODY.test(html) ? BODY.lastIndex : 0
  return html.slice(0, at) + preview + html.slice(at)
}

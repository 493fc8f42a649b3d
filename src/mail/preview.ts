import { escapeHtml } from './html.ts'

/** About as many characters as an inbox shows beside a subject. */
const PREVIEW_LENGTH = 150
const HIDDEN = 'display:none;overflow:hidden;line-height:1px;opacity:0;max-height:0;max-width:0'
const BODY = /<body(?:\s(?:[^>"']|"[^"]*"|'[^']*')*)?>/iy

/** Invisible in the mail itself. Blanks follow, or the inbox would go on with the first words of the mail. */
export function withPreview(html: string, previewText: string): string {
  const blanks = '&nbsp;&zwnj;'.repeat(Math.max(0, PREVIEW_LENGTH - previewText.length))
  const preview = `<div style="${HIDDEN}" data-skip-in-text="true">${escapeHtml(previewText)}${blanks}</div>`
  // Only the first is looked at: in a text of nothing but such tags the search would take the square of its length.
  BODY.lastIndex = Math.max(0, html.search(/<body[\s>]/i))
  const at = BODY.test(html) ? BODY.lastIndex : 0
  return html.slice(0, at) + preview + html.slice(at)
}

import { textOf } from './html-text.ts'
import { withPreview } from './preview.ts'

/** What a broadcast says to everybody, as its author wrote it. */
export interface BroadcastContent {
  readonly html: string | null
  readonly text: string | null
  readonly previewText: string | null
}

/** The same, ready to be filled in: what all copies share is done, and only the placeholders are left. */
export interface PreparedContent {
  readonly html: string | null
  readonly text: string | null
}

/**
 * The preview goes to the top of the html, where inboxes look for it, and the text is made from the html if the author gave none:
 * once for all, which saves half a millisecond for each copy.
 */
export function prepareContent({ html, text, previewText }: BroadcastContent): PreparedContent {
  return {
    html: html !== null && previewText ? withPreview(html, previewText) : html,
    // Left out: made from the html. Given as nothing: not wanted.
    text: (text ?? (html === null ? '' : textOf(html))) || null,
  }
}

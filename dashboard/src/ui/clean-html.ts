import createPurifier from 'dompurify'

const purifier = createPurifier(window)

// A mail's links leave this page for good: another tab, which knows nothing of this one.
purifier.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName !== 'A' && node.tagName !== 'AREA') return
  node.setAttribute('target', '_blank')
  node.setAttribute('rel', 'noopener noreferrer nofollow')
})

const FORBIDDEN_TAGS = [
  ...['form', 'input', 'button', 'select', 'option', 'textarea', 'dialog', 'template', 'slot'],
  ...['iframe', 'frame', 'frameset', 'object', 'embed', 'audio', 'video', 'source', 'track', 'svg', 'math'],
  ...['link', 'meta', 'base', 'script', 'noscript'],
]

/**
 * The html of a stranger's mail without anything that runs, submits or navigates by itself. This is the second wall: the frame
 * that shows it is sandboxed and has a policy, so what slips through here still can do nothing.
 */
export function cleanHtml(html: string): string {
  return purifier.sanitize(html, {
    WHOLE_DOCUMENT: true,
    FORBID_TAGS: FORBIDDEN_TAGS,
    FORBID_ATTR: ['srcset', 'ping', 'autofocus', 'tabindex'],
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|tel:|cid:|data:image\/|#)/i,
  })
}

/** Whether something in it would come from another host. */
export const hasRemoteContent = (clean: string) =>
  /(?:\ssrc|\sbackground)\s*=\s*["']?\s*https?:|url\(\s*["']?\s*(?:https?:)?\/\/|@import/i.test(clean)

/** Pictures that came with the mail, by content id, in the place of their `cid:` addresses. */
export const withInlineImages = (clean: string, images: ReadonlyMap<string, string>) =>
  clean.replace(/(["'(])cid:([^"')]+)/gi, (whole, quote: string, id: string) => {
    const image = images.get(id) ?? images.get(decoded(id))
    return image ? `${quote}${image}` : whole
  })

/** Strangers write what they like. */
function decoded(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}

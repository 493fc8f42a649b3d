import createPurifier from 'dompurify'

const purifier = createPurifier(window)

// A mail's links leave this page for good: another tab, which knows nothing of this one.
purifier.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName !== 'A' && node.tagName !== 'AREA') return
  node.setAttribute('target', '_blank')
  node.setAttribute('rel', 'noopener noreferrer nofollow')
})

// Word and many newsletter tools hide their style sheets in a comment of html, as was needed for browsers of the nineties. What looks
// like markup inside of a style sheet makes the purifier drop the whole sheet, so the marks go, and no `<` begins a tag.
purifier.addHook('beforeSanitizeElements', (node) => {
  if (node.nodeName !== 'STYLE' || !node.textContent?.includes('<')) return
  node.textContent = node.textContent.replace(/<!--|-->/g, '').replace(/<(?=[/\w!])/g, '< ')
})

const FORBIDDEN_TAGS = [
  ...['form', 'input', 'button', 'select', 'option', 'textarea', 'dialog', 'template', 'slot'],
  ...['iframe', 'frame', 'frameset', 'object', 'embed', 'audio', 'video', 'source', 'track', 'svg', 'math'],
  ...['link', 'meta', 'base', 'script', 'noscript'],
]

/**
 * What mails lay themselves out with: sizes, places, colours and words. None of them is ever an address, so none is tested against
 * the allowed ones; `width="600"` would not pass. Attributes with addresses (`href`, `src`, `background`, …) are not in this list.
 */
const LAYOUT_ATTRIBUTES = [
  ...['align', 'valign', 'width', 'height', 'hspace', 'vspace', 'border', 'clear', 'nowrap', 'noshade', 'hidden'],
  ...['cellpadding', 'cellspacing', 'colspan', 'rowspan', 'span', 'frame', 'rules', 'char', 'charoff'],
  ...['bgcolor', 'bordercolor', 'color', 'face', 'size', 'text', 'link', 'alink', 'vlink'],
  ...['topmargin', 'bottommargin', 'leftmargin', 'rightmargin', 'marginwidth', 'marginheight'],
  ...['dir', 'lang', 'translate', 'type', 'media', 'start', 'reversed', 'compact', 'open', 'datetime'],
  ...['abbr', 'axis', 'headers', 'scope', 'shape', 'coords', 'ismap', 'hreflang', 'loading', 'sizes'],
]

/**
 * The html of untrusted mail without anything that runs, submits or navigates by itself. This is the second wall: the frame
 * that shows it is sandboxed and has a policy, so what slips through here still can do nothing.
 */
export function cleanHtml(html: string): string {
  return purifier.sanitize(html, {
    WHOLE_DOCUMENT: true,
    FORBID_TAGS: FORBIDDEN_TAGS,
    FORBID_ATTR: ['srcset', 'ping', 'autofocus', 'tabindex'],
    ADD_ATTR: LAYOUT_ATTRIBUTES,
    ADD_URI_SAFE_ATTR: LAYOUT_ATTRIBUTES,
    ALLOWED_URI_REGEXP: /^(?:https?:|\/\/|mailto:|tel:|cid:|data:image\/|#)/i,
    // A name like `body` shadows a property for scripts only, and there are none; a style sheet may need it.
    SANITIZE_DOM: false,
  })
}

/** Of cleaned html what takes part in its layout: no addresses but those of pictures that it has inside. */
export const layoutOf = (clean: string) =>
  purifier.sanitize(clean, {
    WHOLE_DOCUMENT: true,
    FORBID_TAGS: FORBIDDEN_TAGS,
    FORBID_ATTR: ['srcset', 'ping', 'autofocus', 'tabindex', 'background', 'href'],
    ADD_ATTR: LAYOUT_ATTRIBUTES,
    ADD_URI_SAFE_ATTR: LAYOUT_ATTRIBUTES,
    ALLOWED_URI_REGEXP: /^data:image\//i,
    SANITIZE_DOM: false,
  })

/** Whether something in it would come from another host. */
export const hasRemoteContent = (clean: string) =>
  /(?:\ssrc|\sbackground)\s*=\s*["']?\s*(?:https?:)?\/\/|url\(\s*["']?\s*(?:https?:)?\/\/|@import/i.test(clean)

/** Pictures that came with the mail, by content id, in the place of their `cid:` addresses. */
export const withInlineImages = (clean: string, images: ReadonlyMap<string, string>) =>
  clean.replace(/(["'(])cid:([^"')]+)/gi, (whole, quote: string, id: string) => {
    const image = images.get(id) ?? images.get(decoded(id))
    return image ? `${quote}${image}` : whole
  })

/** The input is untrusted. */
function decoded(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}

const KEPT: Readonly<Record<string, readonly string[]>> = {
  A: ['href'],
  IMG: ['src', 'alt', 'width', 'height'],
  TD: ['colspan', 'rowspan'],
  TH: ['colspan', 'rowspan'],
}

/** What was copied from an editor of this kind keeps how it looks; anything else takes the look of this email. */
const isOwn = (html: string) => /class="[^"]*\bnode-/.test(html)

export function cleanPasted(html: string): string {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  for (const element of body.querySelectorAll('script, style, iframe, object, embed, meta, base, link'))
    element.remove()
  for (const element of body.querySelectorAll('*')) {
    for (const { name, value } of [...element.attributes]) {
      const isUnsafe = (name === 'href' || name === 'src') && /^\s*(javascript|vbscript|data:(?!image\/))/i.test(value)
      const isKept = isOwn(html) ? !name.startsWith('on') : KEPT[element.tagName]?.includes(name)
      if (isUnsafe || !isKept) element.removeAttribute(name)
    }
  }
  return body.innerHTML
}

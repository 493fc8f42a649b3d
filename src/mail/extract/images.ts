import type { HtmlTag } from '../html-visitor.ts'
import { collapsed, visitHtml } from '../html-visitor.ts'
import { atOnce } from '../steps.ts'

export interface ExtractedImage {
  readonly src: string
  /** Null without the attribute, which is not the same as an empty one: that says that there is nothing to say. */
  readonly alt: string | null
}

const MAX_IMAGES = 1_000
/** A picture inside of the html is told by how it begins. */
const MAX_SRC_LENGTH = 2_048
const MAX_ALT_LENGTH = 1_000

/** The pictures that html shows, in order. One of tracking is a picture, too. */
export function extractImages(html: string | null): ExtractedImage[] {
  const images = collectImages()
  if (html !== null) atOnce(visitHtml(html, images))
  return images.found
}

export function collectImages() {
  const found: ExtractedImage[] = []
  return {
    found,
    open({ name, attributes }: HtmlTag) {
      if (name !== 'img' || found.length === MAX_IMAGES) return
      const src = attributes.get('src')?.value.trim() ?? ''
      if (src === '') return
      const alt = attributes.get('alt')?.value ?? null
      found.push({
        src: cut(src, MAX_SRC_LENGTH),
        alt: alt && cut(collapsed(alt.slice(0, 8 * MAX_ALT_LENGTH)), MAX_ALT_LENGTH),
      })
    },
  }
}

const cut = (text: string, longest: number) => (text.length > longest ? `${text.slice(0, longest)}…` : text)

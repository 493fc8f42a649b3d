import type { NodeViewRenderer } from '@tiptap/core'
import { shownImage } from './own-images.ts'
import { texts } from './texts.ts'

/**
 * An image on the canvas. The page loads none from other hosts; of those it says where they are, and readers of the email see them.
 */
export const imageView: NodeViewRenderer = ({ node: first }) => {
  const dom = document.createElement('div')
  const image = document.createElement('img')
  const note = document.createElement('span')
  dom.className = 'image-block'
  note.className = 'image-note'
  dom.append(image, note)
  const show = ({ attrs }: typeof first) => {
    const { src, alt, width, alignment } = attrs as Readonly<Record<string, string | null>>
    dom.style.textAlign = alignment ?? 'center'
    dom.classList.remove('failed')
    image.className = 'node-image'
    image.alt = alt ?? ''
    image.style.cssText = attrs.style ?? ''
    if (width && width !== 'auto') image.style.width = `${Number.parseFloat(width)}px`
    if (image.dataset.src !== src) {
      image.dataset.src = src ?? ''
      image.src = shownImage(src ?? '')
    }
    note.textContent = alt || src || texts.nodes.image
  }
  image.addEventListener('error', () => dom.classList.add('failed'))
  show(first)
  return {
    dom,
    update: (next) => {
      if (next.type !== first.type) return false
      show(next)
      return true
    },
  }
}

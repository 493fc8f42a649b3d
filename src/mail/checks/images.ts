import type { HtmlTag } from '../html-visitor.ts'
import { atMost, type Found } from './finding.ts'

export interface UsedImage {
  readonly src: string
  /** The part of the same message that `cid:` names. */
  readonly part: string | null
  readonly hasAlt: boolean
  /** One pixel, or none: it counts opens, and nobody sees it. */
  readonly isPixel: boolean
  readonly at: number
}

export interface AttachedFile {
  readonly filename: string | null
  readonly content_id: string | null
  readonly content_type: string
  readonly size: number
}

const MAX_IMAGES = 2_000
export const LARGE_BYTES = 1024 * 1024

/** Notes the pictures of html. */
export function collectImageUses() {
  const images: UsedImage[] = []
  return {
    images,
    open({ name, attributes, at }: HtmlTag) {
      if (name !== 'img' || images.length === MAX_IMAGES) return
      const isTiny = (side: string) => /^[01](?:px)?$/.test(attributes.get(side)?.value.trim() ?? '')
      const isHidden =
        /^(?:true)$/i.test(attributes.get('aria-hidden')?.value ?? '') ||
        attributes.get('role')?.value === 'presentation'
      const src = attributes.get('src')?.value.trim() ?? ''
      images.push({
        src,
        part: /^cid:/i.test(src) ? bare(decoded(src.slice(4, 1_000))) : null,
        hasAlt: attributes.has('alt') || isHidden,
        isPixel: isTiny('width') && isTiny('height'),
        at,
      })
    },
  }
}

export function findWrongImages(images: readonly UsedImage[], files: readonly AttachedFile[]): Found[] {
  const shown = images.filter(({ isPixel }) => !isPixel)
  const of = (wrong: readonly UsedImage[], rest: Pick<Found, 'severity' | 'title'> & { detail?: string }) =>
    atMost(wrong.map(({ at }) => ({ check: 'images' as const, at, ...rest })))
  return [
    ...of(
      shown.filter(({ hasAlt }) => !hasAlt),
      {
        severity: 'warning',
        title: 'An image has no alt text',
        detail:
          'Who does not load images, or cannot see them, learns nothing. An empty alt says that there is nothing to learn.',
      },
    ),
    ...of(
      images.filter(({ src }) => src === ''),
      { severity: 'error', title: 'An image has no source' },
    ),
    ...of(
      images.filter(({ src }) => /^(?!cid:|data:|https?:)/i.test(src) && src !== ''),
      {
        severity: 'error',
        title: 'An image has a relative URL, which does not work in email',
      },
    ),
    ...of(
      images.filter(({ src }) => /^http:\/\//i.test(src)),
      {
        severity: 'warning',
        title: 'An image is not encrypted (http)',
        detail: 'Some mail clients do not load it.',
      },
    ),
    ...of(
      images.filter(({ src }) => /^data:/i.test(src) && (src.length * 3) / 4 > LARGE_BYTES),
      {
        severity: 'warning',
        title: 'An embedded image is larger than 1 MB',
      },
    ),
    ...missingParts(images, files),
    ...largeFiles(files),
  ]
}

const bare = (id: string) => id.trim().replace(/^<|>$/g, '').toLowerCase()

function missingParts(images: readonly UsedImage[], files: readonly AttachedFile[]): Found[] {
  const ids = new Set(files.flatMap(({ content_id }) => (content_id ? [bare(content_id)] : [])))
  const missing = images.filter(({ part }) => part !== null && !ids.has(part))
  return atMost(
    missing.map(({ at }) => ({
      check: 'images',
      severity: 'error',
      title: 'An image is missing from the message (cid)',
      at,
    })),
  )
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function largeFiles(files: readonly AttachedFile[]): Found[] {
  const large = files.filter(({ content_type, size }) => content_type.startsWith('image/') && size > LARGE_BYTES)
  return atMost(
    large.map(({ filename, size }) => ({
      check: 'images',
      severity: 'warning',
      title: 'An attached image is larger than 1 MB',
      detail: `${filename ?? 'An attachment'}: ${(size / LARGE_BYTES).toFixed(1)} MB`,
    })),
  )
}

import { useEffect, useState } from 'react'
import { onThisHost } from '../api.ts'
import { readDataUrl } from '../ui/inline-images.ts'

/** Where the service serves images that were uploaded for emails. */
const OWN_IMAGE = /https?:\/\/[^\s"'()<>]+\/images\/[\w.-]+/g

const isOwnImage = (url: string) => new RegExp(`^${OWN_IMAGE.source}$`).test(url)

/** Where an image is loaded from in this page, whose policy allows its own host only. */
export const shownImage = (url: string) => (isOwnImage(url) ? onThisHost(url) : url)

const loaded = new Map<string, Promise<string>>()

/**
 * An email with the images in it that were uploaded here: a preview blocks what is loaded from elsewhere, so that nobody learns of it,
 * and these tell nobody.
 */
export function useOwnImages(html: string): string {
  const [known, setKnown] = useState<ReadonlyMap<string, string>>(new Map())
  useEffect(() => {
    let isOver = false
    for (const url of new Set(html.match(OWN_IMAGE) ?? [])) {
      if (!loaded.has(url)) loaded.set(url, readDataUrl(url))
      loaded.get(url)!.then(
        (data) => isOver || setKnown((before) => (before.has(url) ? before : new Map([...before, [url, data]]))),
        () => loaded.delete(url),
      )
    }
    return () => {
      isOver = true
    }
  }, [html])
  return html.replace(OWN_IMAGE, (url) => known.get(url) ?? url)
}

import { useEffect, useMemo, useRef, useState } from 'react'
import { cleanHtml, hasRemoteContent, withInlineImages } from './clean-html.ts'
import { measureHeight } from './frame-height.ts'
import { beginningOf, withoutPictures } from './html-beginning.ts'
import { hasDarkStyles, inScheme, type MailScheme } from './mail-scheme.ts'

const NO_IMAGES: ReadonlyMap<string, string> = new Map()

function cleanBeginningOf(html: string) {
  const { html: short, pictures } = withoutPictures(html)
  const beginning = beginningOf(short)
  const isCut = beginning.length < short.length
  return { clean: cleanHtml(beginning), isCut, pictures, isMadeForDark: hasDarkStyles(beginning) }
}

/** A mail's html as a frame may show it: cleaned, of a bounded length, with the pictures that came along, in light or in dark. */
export function useShownMail(html: string, inlineImages = NO_IMAGES, wanted: MailScheme = 'light') {
  const { clean, isCut, pictures, isMadeForDark } = useMemo(() => cleanBeginningOf(html), [html])
  const scheme = isMadeForDark ? wanted : 'light'
  const shown = useMemo(
    () => withInlineImages(inScheme(clean, scheme), new Map([...inlineImages, ...pictures])),
    [clean, scheme, pictures, inlineImages],
  )
  const isRemote = useMemo(() => hasRemoteContent(clean), [clean])
  return { shown, scheme, isCut, isRemote }
}

/** The width that there is for an element, in whole pixels; 0 until it is known. */
export function useAvailableWidth<Box extends HTMLElement>() {
  const box = useRef<Box>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)))
    observer.observe(box.current!)
    return () => observer.disconnect()
  }, [])
  return { box, width }
}

/** A pane that is being made wider passes many widths. */
const SETTLING_MS = 30

/** The height of a mail at this width. Undefined: not known yet; null: it cannot be known. */
export function useMailHeight(html: string, width: number) {
  const [height, setHeight] = useState<number | null>()
  useEffect(() => {
    if (width === 0) return
    const abort = new AbortController()
    const timer = setTimeout(async () => {
      const measured = await measureHeight(html, width, abort.signal)
      if (!abort.signal.aborted) setHeight(measured)
    }, SETTLING_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [html, width])
  return height
}

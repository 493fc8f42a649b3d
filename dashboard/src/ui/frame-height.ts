import { layoutOf } from './clean-html.ts'
import { frameDocument } from './frame-document.ts'

/** Longer ones take too long to lay out twice. */
const MAX_MEASURED = 200_000
/** Some twenty screens; what is longer scrolls inside. */
const MAX_HEIGHT = 20_000

/**
 * How high a mail is at this width; null: nobody knows, or it is too long. The frame that shows a mail cannot be asked, since it has
 * no origin. So its layout is made once more, out of sight, in a frame that can be asked for a moment and in which nothing is left to
 * follow, to fetch or to run: no addresses, and no scripts, as in all of them.
 */
export function measureHeight(clean: string, width: number, signal: AbortSignal): Promise<number | null> {
  if (clean.length > MAX_MEASURED || width < 1) return Promise.resolve(null)
  const frame = document.createElement('iframe')
  frame.setAttribute('sandbox', 'allow-same-origin')
  frame.setAttribute('aria-hidden', 'true')
  frame.tabIndex = -1
  frame.style.cssText = `position:fixed;top:0;left:-99999px;width:${width}px;height:10px;border:0;visibility:hidden`
  frame.srcdoc = frameDocument(layoutOf(clean), 'data:')
  return new Promise((resolve) => {
    const end = (height: number | null) => {
      frame.remove()
      resolve(height)
    }
    signal.addEventListener('abort', () => end(null), { once: true })
    frame.onload = () => {
      const root = frame.contentDocument?.documentElement
      end(root ? Math.min(MAX_HEIGHT, Math.max(root.scrollHeight, root.offsetHeight) + 1) : null)
    }
    document.body.append(frame)
  })
}

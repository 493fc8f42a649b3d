import { useEffect } from 'react'

/**
 * How much of the page the keyboard on the screen covers, as `--keyboard-inset`: some browsers lay it over the page instead of making
 * the page smaller, and what is at the bottom would be behind it.
 */
export function useKeyboardInset() {
  useEffect(() => {
    const viewport = window.visualViewport
    if (!viewport) return
    const root = document.documentElement
    const measure = () => {
      const covered = Math.round(root.clientHeight - viewport.height - viewport.offsetTop)
      // Whoever magnifies the page sees less of it, too: that is no keyboard.
      root.style.setProperty('--keyboard-inset', viewport.scale > 1 ? '0px' : `${Math.max(0, covered)}px`)
    }
    measure()
    viewport.addEventListener('resize', measure)
    viewport.addEventListener('scroll', measure)
    return () => {
      viewport.removeEventListener('resize', measure)
      viewport.removeEventListener('scroll', measure)
      root.style.removeProperty('--keyboard-inset')
    }
  }, [])
}

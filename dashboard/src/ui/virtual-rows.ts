import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react'
import { type Range, shiftOf, visibleRange } from './visible-rows.ts'

export interface VirtualRows {
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly range: Range
  readonly onScroll: () => void
  /** Scrolls only as far as it has to. */
  readonly reveal: (index: number) => void
}

/**
 * Rows of one height, of which only those in sight are in the page: ten thousand cost as much as thirty. When rows come and go above,
 * what is in sight stays where it is, unless the beginning is in sight.
 */
export function useVirtualRows(ids: readonly string[], rowHeight: number): VirtualRows {
  const scroller = useRef<HTMLDivElement>(null)
  const [range, setRange] = useState<Range>({ first: 0, end: 0 })
  const before = useRef<readonly string[]>(ids)
  const count = ids.length

  const updateRange = useCallback(() => {
    const { scrollTop, clientHeight } = scroller.current ?? { scrollTop: 0, clientHeight: 0 }
    const next = visibleRange(scrollTop, clientHeight, rowHeight, count)
    setRange((old) => (old.first === next.first && old.end === next.end ? old : next))
  }, [count, rowHeight])

  useLayoutEffect(() => {
    const element = scroller.current
    if (element && element.scrollTop > 0 && before.current !== ids)
      element.scrollTop += rowHeight * shiftOf(before.current, ids, Math.floor(element.scrollTop / rowHeight))
    before.current = ids
    updateRange()
  }, [ids, rowHeight, updateRange])

  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const observer = new ResizeObserver(updateRange)
    observer.observe(element)
    return () => observer.disconnect()
  }, [updateRange])

  const reveal = useCallback(
    (index: number) => {
      const element = scroller.current
      if (!element || index < 0) return
      const top = index * rowHeight
      if (top < element.scrollTop) element.scrollTop = top
      else if (top + rowHeight > element.scrollTop + element.clientHeight)
        element.scrollTop = top + rowHeight - element.clientHeight
      updateRange()
    },
    [rowHeight, updateRange],
  )
  return { scroller, range, onScroll: updateRange, reveal }
}

import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react'

export interface Range {
  /** The first row that is drawn. */
  readonly first: number
  /** The one behind the last. */
  readonly end: number
}

/** Drawn beside what is in sight, so that a quick turn of the wheel shows no empty place. */
const BESIDE = 8

export function rangeInSight(scrollTop: number, height: number, rowHeight: number, count: number): Range {
  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - BESIDE)
  return { first: Math.min(first, count), end: Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + BESIDE) }
}

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

  const look = useCallback(() => {
    const { scrollTop, clientHeight } = scroller.current ?? { scrollTop: 0, clientHeight: 0 }
    const next = rangeInSight(scrollTop, clientHeight, rowHeight, count)
    setRange((old) => (old.first === next.first && old.end === next.end ? old : next))
  }, [count, rowHeight])

  useLayoutEffect(() => {
    const element = scroller.current
    if (element && element.scrollTop > 0 && before.current !== ids)
      element.scrollTop += rowHeight * shiftOf(before.current, ids, Math.floor(element.scrollTop / rowHeight))
    before.current = ids
    look()
  }, [ids, rowHeight, look])

  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const observer = new ResizeObserver(look)
    observer.observe(element)
    return () => observer.disconnect()
  }, [look])

  const reveal = useCallback(
    (index: number) => {
      const element = scroller.current
      if (!element || index < 0) return
      const top = index * rowHeight
      if (top < element.scrollTop) element.scrollTop = top
      else if (top + rowHeight > element.scrollTop + element.clientHeight)
        element.scrollTop = top + rowHeight - element.clientHeight
      look()
    },
    [rowHeight, look],
  )
  return { scroller, range, onScroll: look, reveal }
}

/** By how many rows that one, or the next that is still there, has moved. */
export function shiftOf(old: readonly string[], ids: readonly string[], index: number): number {
  for (let at = index; at < Math.min(old.length, index + 50); at++) {
    const now = ids.indexOf(old[at]!)
    if (now >= 0) return now - at
  }
  return 0
}

import { useEffect, useMemo, useRef, useState } from 'react'
import { extended, kept, NOTHING, type Selection, toggled } from './selection.ts'
import type { ThreadRow } from './thread-rows.ts'

/** Which row the keys are about, and which ones are chosen. Another list begins anew. */
export function useSelection(threads: readonly ThreadRow[], listKey: string) {
  const [selection, setSelection] = useState<Selection>(NOTHING)
  const [cursor, setCursor] = useState<string | null>(null)
  const [isFollowed, setFollowed] = useState(false)
  const ids = useMemo(() => threads.map(({ id }) => id), [threads])
  const lastIndex = useRef(0)

  // biome-ignore lint/correctness/useExhaustiveDependencies: another list
  useEffect(() => {
    setSelection(NOTHING)
    setCursor(null)
    setFollowed(false)
    lastIndex.current = 0
  }, [listKey])

  const selected = useMemo(
    () => (selection.ids.size === 0 ? [] : threads.filter(({ id }) => selection.ids.has(id))),
    [threads, selection],
  )

  return {
    ...{ selection, setSelection, selected, cursor, isFollowed },
    setCursor: (id: string | null) => {
      setFollowed(false)
      setCursor(id)
    },
    /** The row beside `from`, or beside where it was until it went away; null at the end. */
    step(from: string | null, by: 1 | -1): string | null {
      const at = from === null ? -1 : ids.indexOf(from)
      if (at >= 0) lastIndex.current = at
      // Of a row that is gone, the next one has taken the place.
      const next = at >= 0 ? at + by : from === null ? 0 : by > 0 ? lastIndex.current : lastIndex.current - 1
      const id = ids[Math.max(0, Math.min(ids.length - 1, next))] ?? null
      setFollowed(true)
      setCursor(id)
      return id
    },
    select: (id: string, isRange: boolean) =>
      setSelection((old) => (isRange ? extended(old, ids, id) : toggled(old, id))),
    selectAll: () =>
      setSelection((old) => (kept(old, ids).length === ids.length ? NOTHING : { ids: new Set(ids), anchor: null })),
  }
}

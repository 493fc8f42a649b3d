import { useState } from 'react'

/** Which rows are chosen, of those that are shown. With Shift, from the last one that was chosen to this one. */
export function useSelection(ids: readonly string[]) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [anchor, setAnchor] = useState<string | null>(null)
  const selected = ids.filter((id) => chosen.has(id))
  const select = (id: string, isRange: boolean) => {
    const [from, to] = [ids.indexOf(anchor ?? id), ids.indexOf(id)].sort((a, b) => a - b) as [number, number]
    setAnchor(id)
    if (isRange && from >= 0) return setChosen(new Set([...selected, ...ids.slice(from, to + 1)]))
    const next = new Set(selected)
    if (!next.delete(id)) next.add(id)
    setChosen(next)
  }
  return {
    selected,
    select,
    selectAll: () => setChosen(new Set(ids)),
    clearSelection: () => setChosen(new Set()),
  }
}

import { useState } from 'react'

/** Which rows are selected, of those that are shown. With Shift, from the last one that was selected to this one. */
export function useSelection(ids: readonly string[]) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [anchor, setAnchor] = useState<string | null>(null)
  const selected = ids.filter((id) => chosen.has(id))
  const select = (id: string, isRange: boolean) => {
    setAnchor(id)
    setChosen(new Set(toggled(ids, selected, id, isRange ? anchor : null)))
  }
  return {
    selected,
    select,
    /** All of these, or none of them; the others stay as they are. */
    setMany: (some: readonly string[], isOn: boolean) =>
      setChosen(new Set(ids.filter((id) => (some.includes(id) ? isOn : chosen.has(id))))),
    selectAll: () => setChosen(new Set(ids)),
    clearSelection: () => setChosen(new Set()),
  }
}

export type Selection = ReturnType<typeof useSelection>

/** What is selected when `id` was: it, or no longer it; with an anchor everything between, in the order of the list. */
export function toggled(
  ids: readonly string[],
  selected: readonly string[],
  id: string,
  anchor: string | null,
): readonly string[] {
  const [from, to] = [ids.indexOf(anchor ?? id), ids.indexOf(id)].sort((a, b) => a - b) as [number, number]
  if (anchor !== null && from >= 0) return ids.filter((one, at) => selected.includes(one) || (at >= from && at <= to))
  return selected.includes(id) ? selected.filter((one) => one !== id) : [...selected, id]
}

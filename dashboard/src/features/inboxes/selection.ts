/** Which rows are chosen, and from which one a range goes. */
export interface Selection {
  readonly ids: ReadonlySet<string>
  readonly anchor: string | null
}

export const NOTHING: Selection = { ids: new Set(), anchor: null }

export function toggled({ ids }: Selection, id: string): Selection {
  const next = new Set(ids)
  if (!next.delete(id)) next.add(id)
  return { ids: next, anchor: id }
}

/** From the last one that was chosen to this one, as with Shift in other programs. */
export function extended(selection: Selection, all: readonly string[], id: string): Selection {
  const [from, to] = [all.indexOf(selection.anchor ?? id), all.indexOf(id)].sort((a, b) => a - b) as [number, number]
  if (from < 0) return toggled(selection, id)
  return { ids: new Set([...selection.ids, ...all.slice(from, to + 1)]), anchor: id }
}

/** Those that are still there. */
export const kept = ({ ids }: Selection, all: readonly string[]) => all.filter((id) => ids.has(id))

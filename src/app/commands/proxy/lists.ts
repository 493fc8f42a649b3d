import type { KnownIds } from './compare.ts'
import { isUuid } from './fields.ts'

/** Something with an id, as lists have them. */
export type Item = Record<string, unknown> & { id: string }

export const isItemList = (values: unknown[]): values is Item[] =>
  values.every((value) => isUuid((value as { id?: unknown } | null)?.id))

/**
 * The items that both sides have, in pairs. What our side cannot know (it was made before the shadow began) is left out, and so are items
 * of ours without a counterpart: the call that made them was reported. `missing`: our side has a counterpart, and does not list it though
 * it should: it stands between others that are listed, or the whole list is known.
 */
export function alignLists(theirs: readonly Item[], ours: readonly Item[], ids: KnownIds) {
  const ourPositions = new Map(ours.map(({ id }, index) => [id, index]))
  const pairs: [Item, Item][] = []
  const positions: number[] = []
  const unlisted: number[] = []
  let isAllKnown = true
  theirs.forEach((item) => {
    const ourId = ids.ourIdOf(item.id)
    if (ourId === undefined) {
      isAllKnown = false
      return
    }
    const position = ourPositions.get(ourId)
    if (position === undefined) unlisted.push(pairs.length)
    else {
      pairs.push([item, ours[position]!])
      positions.push(position)
    }
  })
  // Beyond what is listed on our side there may be more pages: items of ours without a counterpart have pushed it there.
  const hasOwnItems = ours.length > pairs.length
  const missing = unlisted.filter((index) => index < pairs.length || (isAllKnown && !hasOwnItems)).length
  return { pairs, missing, isOrdered: isOrdered(pairs, positions, ids) }
}

function isOrdered(pairs: readonly [Item, Item][], positions: readonly number[], ids: KnownIds): boolean {
  return positions.every(
    (position, index) =>
      index === 0 ||
      position > positions[index - 1]! ||
      ids.mayBeInAnyOrder(pairs[index - 1]![0].id, pairs[index]![0].id),
  )
}

/** Whether each item of either side has its counterpart on the other. */
export function isFullyPaired(theirs: unknown, ours: unknown, ids: KnownIds): boolean {
  if (!Array.isArray(theirs) || !Array.isArray(ours) || theirs.length !== ours.length) return false
  if (!isItemList(theirs) || !isItemList(ours)) return true
  return alignLists(theirs, ours, ids).pairs.length === theirs.length
}

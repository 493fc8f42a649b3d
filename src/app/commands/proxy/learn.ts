import type { KnownIds } from './compare.ts'
import { isUuid } from './fields.ts'
import { type Item, isItemList } from './lists.ts'

/** By what people know an object when they do not know its id. */
const NATURAL_KEYS = ['email', 'alias', 'key', 'endpoint', 'name'] as const

interface Answers {
  /** Whether the call made or changed something, or named its object by an address or a name. */
  readonly isAboutOneObject: boolean
  readonly theirs: unknown
  readonly ours: unknown
}

/** The objects of two answers that must be the same ones, as [their id, our id]. Only those that are new to us. */
export function learnPairs({ isAboutOneObject, theirs, ours }: Answers, ids: KnownIds): [string, string][] {
  const found: [unknown, unknown][] = []
  const [their, our] = [theirs, ours] as { id?: unknown; data?: unknown }[]
  if (isAboutOneObject) found.push([their?.id, our?.id])
  const [theirItems, ourItems] = [their?.data, our?.data]
  if (Array.isArray(theirItems) && Array.isArray(ourItems) && isItemList(theirItems) && isItemList(ourItems)) {
    if (!isAboutOneObject) found.push(...pairByName(theirItems, ourItems))
    // A batch: its answer has the order of its request.
    else if (theirItems.length === ourItems.length)
      found.push(...theirItems.map((item, index): [string, string] => [item.id, ourItems[index]!.id]))
  }
  return found.filter(
    (pair): pair is [string, string] => isUuid(pair[0]) && isUuid(pair[1]) && ids.ourIdOf(pair[0]) === undefined,
  )
}

function pairByName(theirs: readonly Item[], ours: readonly Item[]): [string, string][] {
  const key = NATURAL_KEYS.find((name) => theirs.every((item) => typeof item[name] === 'string'))
  if (!key) return []
  const [theirIds, ourIds] = [idsByName(theirs, key), idsByName(ours, key)]
  return [...theirIds].flatMap(([name, id]): [string, string][] => {
    const our = ourIds.get(name)
    return id !== null && our ? [[id, our]] : []
  })
}

/** Null for a name that several have: it tells nobody apart. */
function idsByName(items: readonly Item[], key: string): Map<string, string | null> {
  const found = new Map<string, string | null>()
  for (const item of items) {
    const name = String(item[key]).toLowerCase()
    found.set(name, found.has(name) ? null : item.id)
  }
  return found
}

/** Items by a key of theirs, both in the order in which they come. */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}

/** The first of each key, then the second of each, and so on. Those without a key are all among the first. */
export function turnsOf<Item>(items: Iterable<Item>, keyOf: (item: Item) => string | null): Item[][] {
  const turns: Item[][] = []
  const counts = new Map<string, number>()
  for (const item of items) {
    const key = keyOf(item)
    const turn = (key !== null && counts.get(key)) || 0
    if (key !== null) counts.set(key, turn + 1)
    turns[turn] ??= []
    turns[turn].push(item)
  }
  return turns
}

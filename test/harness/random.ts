/** The same for the same seed, which is printed, so that a failure can be had again: POSTWREN_TEST_SEED=… */
export function seededRandom() {
  const seed = Number(process.env.POSTWREN_TEST_SEED ?? Date.now() % 1_000_000)
  process.stdout.write(`POSTWREN_TEST_SEED=${seed}\n`)
  let state = seed

  /** mulberry32 */
  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  const below = (limit: number) => Math.floor(next() * limit)

  function shuffle<Item>(items: readonly Item[]): Item[] {
    const left = [...items]
    return items.map(() => left.splice(below(left.length), 1)[0]!)
  }

  return { below, shuffle }
}

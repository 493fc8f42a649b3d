import { randomOf } from '../../simulate/random.ts'

/** The same for the same seed, which is printed, so that a failure can be had again: POSTWREN_TEST_SEED=… */
export function seededRandom() {
  const seed = Number(process.env.POSTWREN_TEST_SEED ?? Date.now() % 1_000_000)
  process.stdout.write(`POSTWREN_TEST_SEED=${seed}\n`)
  const next = randomOf(seed)

  const below = (limit: number) => Math.floor(next() * limit)

  function shuffle<Item>(items: readonly Item[]): Item[] {
    const left = [...items]
    return items.map(() => left.splice(below(left.length), 1)[0]!)
  }

  return { below, shuffle }
}

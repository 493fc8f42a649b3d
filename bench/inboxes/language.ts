/** Numbers that are the same in each run. */
export function randomness(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const TABLE = 1 << 20

/** Draws ranks as words of a language come: the second half as often as the first, the third a third as often (Zipf). */
export function zipf(size: number, random: () => number): () => number {
  let total = 0
  for (let rank = 1; rank <= size; rank++) total += 1 / rank
  const table = new Int32Array(TABLE)
  let at = 0
  let sum = 0
  for (let rank = 1; rank <= size; rank++) {
    sum += 1 / rank
    const end = Math.min(TABLE, Math.round((sum / total) * TABLE))
    table.fill(rank - 1, at, end)
    at = Math.max(at, end)
  }
  table.fill(size - 1, at)
  return () => table[Math.floor(random() * TABLE)]!
}

const SYLLABLES = 'ba be bo da de di ka ke ko la le li ma me mo na ne no ra re ri sa se so ta te to va ve vi'.split(' ')

const words: string[] = []

/** A word that can be read, another one for each rank; frequent ones are short. */
export function wordOf(rank: number): string {
  const known = words[rank]
  if (known !== undefined) return known
  let word = ''
  for (let rest = rank + SYLLABLES.length; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    word += SYLLABLES[rest % SYLLABLES.length]
  words[rank] = word
  return word
}

const FIRST =
  'anna ben carla david elif fatima george hana ivan jose karin liam maria nils olga pavel rosa sven tara yusuf'.split(
    ' ',
  )
const LAST =
  'adams berg costa diaz evans fischer garcia haas ito jansen khan lopez meyer novak okafor perez rossi silva'.split(
    ' ',
  )

/** Somebody, another one for each number, at one of three hundred companies. */
export function mailboxOf(number: number): string {
  const first = FIRST[number % FIRST.length]!
  const last = LAST[Math.floor(number / FIRST.length) % LAST.length]!
  const capital = (name: string) => name[0]!.toUpperCase() + name.slice(1)
  const company = `${wordOf(1_000 + (number % 307))}.example`
  return `${capital(first)} ${capital(last)} <${first}.${last}${number}@${company}>`
}

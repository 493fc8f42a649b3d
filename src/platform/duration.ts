// How long people wait, in their words: "30 minutes", "1 hour 30 minutes", "1h30m", "2 days and 3 hours".

export const MAX_SECONDS = 30 * 24 * 60 * 60

const UNITS = [
  { name: 'week', seconds: 604_800, spellings: ['w', 'wk', 'wks', 'week', 'weeks'] },
  { name: 'day', seconds: 86_400, spellings: ['d', 'day', 'days'] },
  { name: 'hour', seconds: 3_600, spellings: ['h', 'hr', 'hrs', 'hour', 'hours'] },
  { name: 'minute', seconds: 60, spellings: ['m', 'min', 'mins', 'minute', 'minutes'] },
  { name: 'second', seconds: 1, spellings: ['s', 'sec', 'secs', 'second', 'seconds'] },
] as const

const secondsOf = new Map<string, number>(
  UNITS.flatMap(({ seconds, spellings }) => spellings.map((spelling) => [spelling, seconds] as const)),
)

/** Nobody waits for so little, but programs measure in it. */
const MILLISECONDS = /(?:^|[\s,])(\d{1,3})\s*(?:ms|milliseconds?)$/i

/** In characters. The longest that `normalDuration` writes has 50. */
const MAX_TEXT_CHARACTERS = 100

// Seven digits: 30 days in seconds have as many, and thousandths of all five units together stay exact numbers.
const PART = /(\d{1,7})(?:\.(\d{1,3}))?\s*([a-z]+)/y
const BETWEEN = /\s*,\s*and\s+|\s*,\s*|\s+and\s+|\s*/y

/** In seconds; null when it is no duration. Whether it is too short or too long is for others to say. */
export function parseDuration(given: string): number | null {
  if (given.length > MAX_TEXT_CHARACTERS) return null
  const text = given.trim().toLowerCase()
  const used = new Set<number>()
  let thousandths = 0
  for (let at = 0; ; at = after(BETWEEN, text, at)) {
    PART.lastIndex = at
    const [part, whole, fraction = '', unit] = PART.exec(text) ?? []
    if (part === undefined) return null
    const seconds = secondsOf.get(unit!)
    if (seconds === undefined || used.has(seconds)) return null
    used.add(seconds)
    thousandths += Number(whole! + fraction.padEnd(3, '0')) * seconds
    at += part.length
    if (at === text.length) return thousandths % 1_000 === 0 ? thousandths / 1_000 : null
  }
}

/** The same in milliseconds, with some of them at its end if need be: `3 days 250 milliseconds`. */
export function parseMilliseconds(given: string): number | null {
  if (given.length > MAX_TEXT_CHARACTERS) return null
  const text = given.trim()
  const [part, milliseconds = '0'] = MILLISECONDS.exec(text) ?? ['']
  const rest = text.slice(0, text.length - part.length)
  const seconds = rest === '' && part !== '' ? 0 : parseDuration(rest)
  return seconds === null ? null : seconds * 1_000 + Number(milliseconds)
}

function after(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  pattern.exec(text)
  return pattern.lastIndex
}

/** The one spelling in which a duration is kept and shown: `1 week 5 days`. Of whole seconds. */
export function normalDuration(seconds: number): string {
  const parts: string[] = []
  let rest = seconds
  for (const unit of UNITS) {
    const count = Math.floor(rest / unit.seconds)
    rest -= count * unit.seconds
    if (count > 0) parts.push(`${count} ${unit.name}${count === 1 ? '' : 's'}`)
  }
  return parts.join(' ') || '0 seconds'
}

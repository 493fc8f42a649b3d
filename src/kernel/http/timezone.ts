import { Problem } from './problem.ts'

/** Names that were asked for and are right. There are some 600, however they are spelt some thousands; making a formatter takes 50 µs. */
const known = new Map<string, string>()
const MAX_KNOWN = 1_000

/** The time zone that a caller names, as everybody else spells it. */
export function readTimezone(name: string): string {
  const remembered = known.get(name)
  if (remembered) return remembered
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
    // An offset like `+02:00` is no name, and PostgreSQL reads its sign the other way round.
    if (!/^[+-]/.test(timeZone)) {
      if (known.size < MAX_KNOWN) known.set(name, timeZone)
      return timeZone
    }
  } catch {
    // Not one that anybody knows.
  }
  throw new Problem('validation_error', 'Invalid `timezone`. It must be an IANA time zone like `Europe/Berlin`.')
}

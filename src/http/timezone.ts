import { Problem } from './problem.ts'

/** The time zone that a caller names, as everybody else spells it. */
export function readTimezone(name: string): string {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
    // An offset like `+02:00` is no name, and PostgreSQL reads its sign the other way round.
    if (!/^[+-]/.test(timeZone)) return timeZone
  } catch {
    // Not one that anybody knows.
  }
  throw new Problem('validation_error', 'Invalid `timezone`. It must be an IANA time zone like `Europe/Berlin`.')
}

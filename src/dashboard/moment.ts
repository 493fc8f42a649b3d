import { Problem } from '../http/problem.ts'

/** Reads a text without a zone as UTC, and refuses what is no moment that mail can be scheduled for. */
export type ReadSchedule = (text: string, now: Date) => Date

/** `Z`, `+02:00`, `9am ET`, `Europe/Berlin`: whoever names a zone means it. */
const NAMED_ZONE =
  /\d\s*z$|[+-]\d\d:?\d\d$|[+-]\d\d$|\b(?:utc|gmt|[ecmp][sd]?t|ces?t|ees?t|wes?t|bst|ist|jst|kst|aes?t|nzs?t|sgt|hkt|msk)\b|[a-z]+\/[a-z_/+-]+/i
const DAY_ONLY = /^\s*\d{4}-\d\d-\d\d\s*$/
const RELATIVE = /^\s*in\b/i

/** When a text is, for somebody in this zone: nine in the morning is nine where they are. */
export function momentIn(zone: string, text: string, now: Date, read: ReadSchedule): Date {
  const words = text.trim()
  if (RELATIVE.test(words) || (NAMED_ZONE.test(words) && !DAY_ONLY.test(words))) return read(words, now)
  // The clock on their wall, read as if it were UTC, and back.
  return fromWall(read(words, toWall(now, zone)), zone)
}

const toWall = (moment: Date, zone: string) => new Date(moment.getTime() + offsetMs(moment, zone))

/** Twice, since the offset depends on the moment that is looked for: on the day on which clocks change the first guess can be off. */
function fromWall(wall: Date, zone: string): Date {
  const guess = new Date(wall.getTime() - offsetMs(wall, zone))
  return new Date(wall.getTime() - offsetMs(guess, zone))
}

/** How far the clocks of a zone are ahead of UTC. */
function offsetMs(moment: Date, zone: string): number {
  const parts = new Map(
    formatIn(zone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name)!
  const wall = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
  return wall - Math.floor(moment.getTime() / 1_000) * 1_000
}

function formatIn(timeZone: string): Intl.DateTimeFormat {
  const numeric = 'numeric' as const
  try {
    return new Intl.DateTimeFormat('en', {
      ...{ timeZone, hourCycle: 'h23', year: numeric, month: numeric, day: numeric },
      ...{ hour: numeric, minute: numeric, second: numeric },
    })
  } catch {
    throw new Problem('invalid_parameter', 'The `zone` must be the name of a time zone, like `Europe/Berlin`.')
  }
}

/** A named time zone, or an offset. */
export interface TimeZone {
  readonly name: string
  /** In minutes, east of Greenwich. */
  offsetAt(instant: number): number
}

/** What a clock and a calendar on a wall show. */
export interface WallTime {
  readonly year: number
  /** From 1. */
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly millisecond: number
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

export const fixedZone = (name: string, offset: number): TimeZone => ({ name, offsetAt: () => offset })

export const UTC = fixedZone('UTC', 0)

/** `Europe/Berlin`, in whatever letters; null when nobody knows it. */
export function namedZone(name: string): TimeZone | null {
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: name, hourCycle: 'h23', ...FIELDS })
    return { name: format.resolvedOptions().timeZone, offsetAt: (instant) => offsetIn(format, instant) }
  } catch {
    return null
  }
}

const FIELDS = {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
} as const

function offsetIn(format: Intl.DateTimeFormat, instant: number): number {
  const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]))
  const { year, month, day, hour, minute, second } = parts as Record<keyof typeof FIELDS, number>
  const shown = Date.UTC(year, month - 1, day, hour, minute, second)
  return Math.round((shown - Math.floor(instant / 1_000) * 1_000) / MINUTE_MS)
}

/**
 * When clocks in the zone show this. They show a time twice when they are set back: it is the first. They skip one when they are set
 * forward: it is as much later as they skip, as calendars have it (RFC 5545, 3.3.5).
 */
export function instantOf(wall: WallTime, zone: TimeZone): Date {
  const { year, month, day, hour, minute, second, millisecond } = wall
  const shown = Date.UTC(year, month - 1, day, hour, minute, second, millisecond)
  const before = zone.offsetAt(shown - DAY_MS)
  const candidates = [before, zone.offsetAt(shown + DAY_MS)].map((offset) => shown - offset * MINUTE_MS)
  const real = candidates.filter((instant) => instant + zone.offsetAt(instant) * MINUTE_MS === shown)
  return new Date(real.length > 0 ? Math.min(...real) : shown - before * MINUTE_MS)
}

const offsets = (hours: Record<string, number>) =>
  Object.entries(hours).map(([name, offset]) => [name, fixedZone(name, offset * 60)] as const)
const namedZones = (names: Record<string, string>) =>
  Object.entries(names).map(([name, named]) => [name, namedZone(named)!] as const)

/**
 * What people write for zones. `PST` is winter time, also in summer, as the time zone database has it; `PT` is what clocks show.
 * Those that are two zones or more are not here: `IST` is India's, Israel's or Ireland's.
 */
const abbreviations = lazily(
  () =>
    new Map<string, TimeZone>([
      ...offsets({ UTC: 0, GMT: 0, Z: 0, EST: -5, EDT: -4, CST: -6, CDT: -5, MST: -7, MDT: -6, PST: -8, PDT: -7 }),
      ...offsets({ AKST: -9, AKDT: -8, HST: -10, BRT: -3, ART: -3, WEST: 1, BST: 1, CEST: 2, EEST: 3, MSK: 3 }),
      ...offsets({ SAST: 2, SGT: 8, HKT: 8, JST: 9, KST: 9, AWST: 8, ACST: 9.5, ACDT: 10.5, AEST: 10, AEDT: 11 }),
      ...offsets({ NZST: 12, NZDT: 13 }),
      ...namedZones({ ET: 'America/New_York', CT: 'America/Chicago', MT: 'America/Denver', PT: 'America/Los_Angeles' }),
      ...namedZones({ WET: 'WET', CET: 'CET', MET: 'MET', EET: 'EET' }),
    ]),
)

/** Eight formats of the runtime take some milliseconds, which a start should not wait for. */
function lazily<Value>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => {
    made ??= make()
    return made
  }
}

const ZONE_NAME = /(?:\bin\s+)?[[(]?\b([a-z][a-z_]*(?:\/[a-z0-9_+-]+)+)[\])]?(?=$|[\s,.])/i
const FROM_UTC = /[[(]?\b(?:UTC|GMT) ?([+-])(\d{1,2})(?::?(\d\d))?\b[\])]?(?=$|[\s,.])/i
// Behind a time. With a colon only `+`: `9:00-10:00` is two times.
const BARE = /(?<=:\d\d(?:\.\d+)? ?(?:[ap]m)? ?)(?:([+-])(\d\d)(\d\d)|(\+)(\d\d):(\d\d))(?=$|[\s,.])/i
const WORD = /(?<=^|\s)[[(]?([a-z]{2,4})[\])]?(?=$|[\s,.])/gi
const ZULU = /(?<=\d)Z(?=$|[\s,.])/i

/** Takes the zone out of a text. A zone name that nobody knows is returned as `unknown`. */
export function takeZone(text: string): { rest: string; zone: TimeZone | null; unknown: string | null } {
  const without = ({ 0: match, index }: RegExpExecArray, zone: TimeZone | null, unknown: string | null = null) => ({
    rest: `${text.slice(0, index)} ${text.slice(index + match.length)}`.trim(),
    zone,
    unknown,
  })
  const named = ZONE_NAME.exec(text)
  if (named) {
    const zone = namedZone(named[1]!)
    return without(named, zone, zone ? null : named[1]!)
  }
  const offset = FROM_UTC.exec(text) ?? BARE.exec(text)
  if (offset) {
    const [sign, hours = '0', minutes = '0'] = offset.slice(1).filter((part) => part !== undefined)
    const size = Number(hours) * 60 + Number(minutes)
    if (Number(hours) > 14 || Number(minutes) > 59) return without(offset, null, offset[0])
    return without(offset, fixedZone(offset[0].trim(), sign === '-' ? -size : size))
  }
  for (const word of text.matchAll(WORD)) {
    const zone = abbreviations().get(word[1]!.toUpperCase())
    if (zone) return without(word, zone)
  }
  const zulu = ZULU.exec(text)
  return zulu ? without(zulu, UTC) : { rest: text, zone: null, unknown: null }
}

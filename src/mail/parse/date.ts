const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

// `Tue, 1 Jul 2025`, `01-Jul-25`; the `Jul  1 12:00:00 2025` of C; `2025-07-01`.
const DATE =
  /(?<!\d)(?<day>\d{1,2})[\s-]{1,4}(?<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}[\s-]{1,4}(?<year>\d{4}|\d{2})(?!\d)/i
const DATE_OF_C = /(?<month>[a-z]{3})\s{1,4}(?<day>\d{1,2})\s[\d:]{5,8}\s(?:[a-z]{1,5}\s)?(?<year>\d{4})(?!\d)/i
const DATE_OF_ISO = /(?<!\d)(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})(?!\d)/

const TIME = /(?<!\d)(\d{1,2}):(\d{2})(?::(\d{2}))?(?!\d)/
const OFFSET = /:\d{2}(?:\.\d{1,9})?\s{0,4}(?:[a-z]{1,5})?([+-])(\d{2}):?(\d{2})(?!\d)/i

// RFC 5322, 4.3. Any other name, and none, is taken for Greenwich: the machine's own zone would be a guess that changes.
const ZONE = /:\d{2}\s{1,4}([ECMP])([SD])T\b/i
const HOURS_WEST: Record<string, number> = { E: 5, C: 6, M: 7, P: 8 }

const MAX_DATE_LENGTH = 100
const FIRST_YEAR = 1970

/** The time in a `Date` field, as RFC 5322 writes it and as others do; null when it cannot be a time. */
export function readDate(value: string): Date | null {
  const text = value.slice(0, MAX_DATE_LENGTH)
  const { day, month, year } = (DATE.exec(text) ?? DATE_OF_C.exec(text) ?? DATE_OF_ISO.exec(text))?.groups ?? {}
  const [, hour, minute, second = '0'] = TIME.exec(text) ?? []
  if (!day || !month || !year || !hour || !minute) return null

  // A leap second is the one before it; what is over the end of a day or a month is no time.
  const seconds = Math.min(Number(second), 59)
  const time = new Date(
    Date.UTC(fullYear(year), monthNumber(month), Number(day), Number(hour), Number(minute), seconds),
  )
  if (time.getUTCDate() !== Number(day) || fullYear(year) < FIRST_YEAR) return null
  return new Date(time.getTime() - minutesEast(text) * 60_000)
}

function fullYear(year: string): number {
  const number = Number(year)
  if (year.length === 4) return number
  return number < 50 ? 2000 + number : 1900 + number
}

/** NaN for what is no month. */
function monthNumber(month: string): number {
  if (/^\d/.test(month)) return Number(month) - 1
  const index = MONTHS.indexOf(month.toLowerCase())
  return index < 0 ? Number.NaN : index
}

function minutesEast(text: string): number {
  const [, sign, hours, minutes] = OFFSET.exec(text) ?? []
  if (hours !== undefined) return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
  const [, zone, season] = ZONE.exec(text) ?? []
  if (zone === undefined) return 0
  const west = HOURS_WEST[zone.toUpperCase()]! - (season!.toUpperCase() === 'D' ? 1 : 0)
  return -60 * west
}

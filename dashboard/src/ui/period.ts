import { texts } from './texts.ts'

/** A day of a form, `2026-11-15`, is a day here; the API knows moments. */
const dayBegins = (day: string | undefined) => day && new Date(`${day}T00:00`).toISOString()
const dayEnds = (day: string | undefined) => day && new Date(`${day}T24:00`).toISOString()

/** What a period in the address may be besides days: it is counted from now, so that an address that is kept stays true. */
export const PRESETS = [
  { value: 'today', label: texts.periods.today },
  { value: '24h', label: texts.periods.day },
  { value: '7d', label: texts.periods.week },
  { value: '30d', label: texts.periods.month },
] as const

/** With today. */
const PRESET_DAYS: Readonly<Record<string, number>> = { today: 1, '7d': 7, '30d': 30 }

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** `2026-11-15`, as the clock of this machine has it. */
export const dayOf = (date: Date) =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-')

/**
 * When a period begins: of a day (`2026-11-15`), of a preset (`7d` is seven days with today), or a moment of its own. Whole minutes: what
 * is asked for again within one is the same question.
 */
export function periodBegins(word: string | undefined, now = Date.now()): string | undefined {
  if (!word) return undefined
  if (word === '24h') return new Date(Math.floor((now - DAY_MS) / MINUTE_MS) * MINUTE_MS).toISOString()
  const day = presetDay(word, now)
  return isDay(day) ? dayBegins(day) : word
}

/** The day that a preset begins with. */
const presetDay = (word: string, now = Date.now()) => {
  const days = PRESET_DAYS[word]
  return days === undefined ? word : dayOf(daysBefore(now, days - 1))
}

/** By the calendar: a day is not always 24 hours long. */
function daysBefore(now: number, days: number): Date {
  const date = new Date(now)
  date.setDate(date.getDate() - days)
  return date
}

/** So many days later, where it is a day: `2026-11-16` for `2026-11-15` and 1. */
export function dayAfter(day: string | undefined, days: number): string | undefined {
  if (!day || !isDay(day)) return day
  return dayOf(daysBefore(new Date(`${day}T12:00`).getTime(), -days))
}

/** A day that cannot be read stays as it is written: the endpoint refuses it in words. */
const isDay = (word: string) => /^\d{4}-\d\d-\d\d$/.test(word) && !Number.isNaN(Date.parse(word))

const periodEnds = (word: string | undefined) => (word && isDay(word) ? dayEnds(word) : word || undefined)

interface Period {
  readonly created_after?: string | undefined
  readonly created_before?: string | undefined
}

/** As endpoints take it: moments. */
export const periodInput = ({ created_after, created_before }: Period) => ({
  created_after: periodBegins(created_after),
  created_before: periodEnds(created_before),
})

/** What a chip says. */
export function periodText({ created_after, created_before }: Period): string {
  const preset = PRESETS.find(({ value }) => value === created_after)?.label
  if (!created_before) return preset ?? texts.periods.since(created_after ?? '')
  return created_after
    ? texts.periods.between(preset ?? created_after, created_before)
    : texts.periods.until(created_before)
}

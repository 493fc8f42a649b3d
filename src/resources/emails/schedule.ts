import * as chrono from 'chrono-node'
import { Problem } from '../../http/problem.ts'
import { isDay } from './days.ts'

const MAX_DAYS_AHEAD = 30
/** Nobody needs more words for a time, and hostile text is refused before it is looked at. */
const LONGEST = 200
const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?\s*(Z|[+-]\d\d(?::?\d\d)?)?$/i

/** ISO 8601, or English as people say it (`tomorrow at 9am`, `Friday at 3pm ET`); without a time zone it is UTC. */
export function readSchedule(text: string, now: Date): Date {
  const moment = text.length > LONGEST ? null : (readIso(text) ?? readWords(text, now))
  if (!moment || Number.isNaN(moment.getTime()))
    throw refusal('It must be a date in ISO 8601, or words like `in 1 hour` or `tomorrow at 9am`.')
  if (moment < now) throw refusal('It must be in the future.')
  if (moment.getTime() - now.getTime() > MAX_DAYS_AHEAD * 86_400_000)
    throw refusal(`It must be at most ${MAX_DAYS_AHEAD} days ahead.`)
  return moment
}

const refusal = (reason: string) => new Problem('validation_error', `Invalid \`scheduled_at\` field. ${reason}`)

/** Also in the form in which we give timestamps out, with a space and `+00`. */
function readIso(text: string): Date | null {
  const [isIso, day = '', time = '00:00', zone = 'Z'] = ISO.exec(text.trim()) ?? []
  if (!isIso) return null
  if (!isDay(day)) return new Date(Number.NaN)
  const offset = /^[+-]\d\d$/.test(zone) ? `${zone}:00` : zone.toUpperCase()
  return new Date(`${day}T${time}${offset}`)
}

const readWords = (text: string, now: Date) =>
  chrono.parseDate(text, { instant: now, timezone: 'UTC' }, { forwardDate: true })

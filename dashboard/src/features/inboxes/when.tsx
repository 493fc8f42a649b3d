import { useEffect, useState } from 'react'
import { dateFormat } from '../../ui/locale.ts'
import { readTime } from '../../ui/time.tsx'
import { texts } from './texts.ts'

const CLOCK = dateFormat({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const WEEKDAY = dateFormat({ weekday: 'short' })
const DAY = dateFormat({ month: 'short', day: 'numeric' })
const YEAR = dateFormat({ month: 'short', year: 'numeric' })
const FULL = dateFormat({ dateStyle: 'full', timeStyle: 'short' })
const HOUR_MS = 3_600_000

/** As short as a column of a list: `5 min`, `14:05`, `Tue`, `Nov 3`, `Nov 2024`. */
export function shortTime(at: Date, now: Date): string {
  const age = now.getTime() - at.getTime()
  if (age < HOUR_MS) return age < 60_000 ? texts.row.justNow : texts.row.minutes(Math.floor(age / 60_000))
  if (at.toDateString() === now.toDateString()) return CLOCK.format(at)
  if (age < 6 * 24 * HOUR_MS) return WEEKDAY.format(at)
  return at.getFullYear() === now.getFullYear() ? DAY.format(at) : YEAR.format(at)
}

/** Now, and again every minute: times grow old while somebody looks at them. */
export function useNow(): Date {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 60_000)
    return () => clearInterval(timer)
  }, [])
  return now
}

export function ShortTime({ at, now }: { at: string; now: Date }) {
  const date = readTime(at)
  return (
    <time dateTime={date.toISOString()} title={FULL.format(date)}>
      {shortTime(date, now)}
    </time>
  )
}

import { dateFormat, LOCALE } from './locale.ts'
import { useTick } from './tick.ts'

/** `2026-11-15 01:20:30.123456+00` as well as ISO 8601. */
export const readTime = (text: string) => new Date(text.replace(' ', 'T').replace(/\+00$/, 'Z'))

const RELATIVE = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' })
const CLOCK = dateFormat({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const DAY = dateFormat({ month: 'short', day: 'numeric' })
const DAY_OF_YEAR = dateFormat({ month: 'short', day: 'numeric', year: 'numeric' })
const FULL = dateFormat({ dateStyle: 'medium', timeStyle: 'long' })

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 7],
]

function relative(date: Date): string {
  let amount = (date.getTime() - Date.now()) / 1_000
  for (const [unit, size] of STEPS) {
    if (Math.abs(amount) < size)
      return unit === 'second' && Math.abs(amount) < 10
        ? RELATIVE.format(0, 'second')
        : RELATIVE.format(Math.round(amount), unit)
    amount /= size
  }
  return DAY.format(date)
}

/** To the second. The year stands there when it is another one than this. */
export function exactly(date: Date): string {
  const day = date.getFullYear() === new Date().getFullYear() ? DAY : DAY_OF_YEAR
  return `${day.format(date)}, ${CLOCK.format(date)}:${String(date.getSeconds()).padStart(2, '0')}`
}

/** When, as people say it; the exact moment is in the tooltip. */
export function Time({ at, exact = false }: { at: string | null | undefined; exact?: boolean }) {
  useTick()
  if (!at) return <span className="muted">–</span>
  const date = readTime(at)
  return (
    <time dateTime={date.toISOString()} title={FULL.format(date)}>
      {exact ? exactly(date) : relative(date)}
    </time>
  )
}

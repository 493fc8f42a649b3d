import { Badge } from '../../ui/badge.tsx'
import { LOCALE } from '../../ui/locale.ts'
import { rich } from '../../ui/rich.tsx'
import { readTime, Time } from '../../ui/time.tsx'
import type { EventRow } from './api.ts'
import './health.css'
import { texts } from './texts.ts'

/** How the delivery of an event stands. After a failed attempt it is failing, though another one is scheduled. */
export function DeliveryState({ event }: { event: EventRow }) {
  const { status, failed_attempts, next_attempt_at } = event
  if (status === 'success') return <Badge word="delivered" />
  if (status === 'failed') return <Badge word="failed" />
  if (failed_attempts === 0) return <Badge word={status === 'attempting' ? 'sending' : 'pending'} tone="busy" />
  return (
    <span className="health delivery-state">
      <Badge word="failing" tone="warn" />
      {status === 'pending' && next_attempt_at && <NextTry at={next_attempt_at} />}
    </span>
  )
}

/** A moment that is as good as now is not worth counting down. */
const SOON_MS = 10_000

const NextTry = ({ at }: { at: string }) => (
  <small className="muted">
    {readTime(at).getTime() - Date.now() < SOON_MS
      ? texts.nextAttempt.soon
      : rich(texts.nextAttempt.at, { time: <Time at={at} /> })}
  </small>
)

export const ResponseBadge = ({ code }: { code: number }) => (
  <Badge
    word={code === 0 ? texts.statuses.noResponse : String(code)}
    tone={code >= 200 && code < 300 ? 'good' : 'bad'}
  />
)

const MILLISECONDS = new Intl.NumberFormat(LOCALE, { style: 'unit', unit: 'millisecond', maximumFractionDigits: 0 })
const SECONDS = new Intl.NumberFormat(LOCALE, { style: 'unit', unit: 'second', maximumFractionDigits: 1 })

/** `84 ms`, `2.4 sec`. */
export const durationText = (ms: number) => (ms < 1_000 ? MILLISECONDS.format(ms) : SECONDS.format(ms / 1_000))

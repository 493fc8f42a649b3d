import { formatNumber } from '../../ui/locale.ts'
import type { FullBroadcast } from './api.ts'
import '../../ui/progress.css'
import { texts } from './texts.ts'

export const LEFT_OUT = [
  ['unsubscribed', 'unsubscribed'],
  ['not_subscribed', 'not subscribed to the topic'],
  ['suppressed', 'suppressed'],
  ['canceled', 'canceled'],
] as const

/** How many of those who get one have theirs, and why others get none. */
export function Progress({ counts }: { counts: FullBroadcast['counts'] }) {
  const leftOut = LEFT_OUT.filter(([name]) => counts[name] > 0)
  const wanted = counts.audience - leftOut.reduce((sum, [name]) => sum + counts[name], 0)
  return (
    <div className="progress">
      <progress aria-label={texts.emailsSent} max={Math.max(1, wanted)} value={counts.sent} />
      <span>{texts.sent(formatNumber(counts.sent), formatNumber(wanted))}</span>
      {leftOut.length > 0 && (
        <span className="muted">
          {texts.skipped(leftOut.map(([name, words]) => `${formatNumber(counts[name])} ${words}`).join(', '))}
        </span>
      )}
    </div>
  )
}

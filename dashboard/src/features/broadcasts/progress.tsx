import { formatNumber } from '../../ui/locale.ts'
import type { FullBroadcast } from './api.ts'
import '../../ui/progress.css'
import { texts } from './texts.ts'

/** Why a contact of the audience gets no email. */
export const SKIP_REASONS = ['unsubscribed', 'not_subscribed', 'suppressed', 'canceled'] as const

/** How many of the emails were sent, and how many contacts were skipped and why. */
export function Progress({ counts }: { counts: FullBroadcast['counts'] }) {
  const skipped = SKIP_REASONS.filter((reason) => counts[reason] > 0)
  const wanted = counts.audience - skipped.reduce((sum, reason) => sum + counts[reason], 0)
  return (
    <div className="progress">
      <progress aria-label={texts.progress.label} max={Math.max(1, wanted)} value={counts.sent} />
      <span>{texts.progress.sent(formatNumber(counts.sent), formatNumber(wanted))}</span>
      {skipped.length > 0 && (
        <span className="muted">
          {texts.progress.skipped(skipped.map((reason) => texts.skipped[reason](counts[reason])).join(', '))}
        </span>
      )}
    </div>
  )
}

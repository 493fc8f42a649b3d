import { Link } from '@tanstack/react-router'
import { useCall } from '../../queries.ts'
import { formatNumber } from '../../ui/locale.ts'
import type { FullBroadcast } from './api.ts'
import '../../ui/figures.css'
import { texts } from './texts.ts'

/** What recipients did, each with its list of recipients and the share that it is of. */
const FIGURES = [
  { name: 'delivered', label: texts.figures.delivered, rate: 'delivery_rate', type: 'delivered' },
  { name: 'unique_opened', label: texts.figures.opened, rate: 'open_rate', type: 'opened' },
  { name: 'unique_clicked', label: texts.figures.clicked, rate: 'click_rate', type: 'clicked' },
  { name: 'bounced', label: texts.figures.bounced, rate: 'bounce_rate', type: 'bounced' },
  { name: 'complained', label: texts.figures.complained, rate: 'complaint_rate', type: 'complained' },
  { name: 'unsubscribed', label: texts.figures.unsubscribed, rate: 'unsubscribe_rate', type: 'unsubscribed' },
] as const

export function BroadcastFigures({ broadcast }: { broadcast: FullBroadcast }) {
  const { data } = useCall('emails.metrics', {
    broadcast_id: broadcast.id,
    start_date: broadcast.created_at.slice(0, 10),
  })
  const totals = data?.totals ?? {}
  return (
    <ul className="figures" aria-label={texts.figures.label}>
      {FIGURES.map(({ name, label, rate, type }) => (
        <li key={name}>
          <Link to="/broadcasts/$id" params={{ id: broadcast.id }} search={{ type }} resetScroll={false}>
            <span className="figure-name">{label}</span>
            <strong>{formatNumber(totals[name] ?? 0)}</strong>
            <span className="muted">{texts.figures.rate(formatNumber(totals[rate] ?? 0))}</span>
          </Link>
        </li>
      ))}
    </ul>
  )
}

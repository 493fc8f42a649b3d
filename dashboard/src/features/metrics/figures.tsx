import { Link } from '@tanstack/react-router'
import { formatNumber } from '../../ui/locale.ts'
import type { Metrics } from './periods.ts'
import '../../ui/figures.css'
import { texts } from './texts.ts'

/** A figure, the share that it is of, and the status whose emails are behind it. */
const FIGURES = [
  { name: 'sent', label: texts.sent },
  { name: 'delivered', label: texts.delivered, rate: 'delivery_rate', status: 'delivered' },
  { name: 'bounced', label: texts.bounced, rate: 'bounce_rate', status: 'bounced' },
  { name: 'complained', label: texts.complained, rate: 'complaint_rate', status: 'complained' },
  { name: 'unique_opened', label: texts.opened, rate: 'open_rate', status: 'opened' },
  { name: 'unique_clicked', label: texts.clicked, rate: 'click_rate', status: 'clicked' },
] as const

interface FiguresProps {
  readonly totals: Metrics['totals']
  /** Of the period before, as long as this one. */
  readonly before: Metrics['totals'] | undefined
  readonly since: string
}

/** The totals of the range, each leading to the emails behind it. */
export const Figures = ({ totals, before, since }: FiguresProps) => (
  <ul className="figures" aria-label={texts.totals}>
    {FIGURES.map((figure) => (
      <li key={figure.name}>
        <Link
          to="/emails"
          search={{ created_after: since, ...('status' in figure && { status: figure.status }) }}
          title={texts.showEmails(figure.label.toLowerCase())}
        >
          <span className="figure-name">{figure.label}</span>
          <strong>{formatNumber(totals[figure.name] ?? 0)}</strong>
          {'rate' in figure && <span className="muted">{formatNumber(totals[figure.rate] ?? 0)}%</span>}
          {before && <Change now={totals[figure.name] ?? 0} before={before[figure.name] ?? 0} />}
        </Link>
      </li>
    ))}
  </ul>
)

function Change({ now, before }: { now: number; before: number }) {
  return (
    <span className="change muted">
      {before === 0
        ? now === 0
          ? texts.noChange
          : texts.nonePreviousPeriod
        : `${percentOf(now, before)} vs. previous`}
    </span>
  )
}

function percentOf(now: number, before: number): string {
  const percent = Math.round(((now - before) / before) * 100)
  return `${percent > 0 ? '+' : percent < 0 ? '−' : '±'}${formatNumber(Math.abs(percent))}%`
}

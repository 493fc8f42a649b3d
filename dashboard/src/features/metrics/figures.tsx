import { Link } from '@tanstack/react-router'
import { formatNumber, formatPercent, LOCALE } from '../../ui/locale.ts'
import type { Metrics } from './periods.ts'
import '../../ui/figures.css'
import { texts } from './texts.ts'

/** A figure, the share that it is of, and the status whose emails are behind it. */
const FIGURES = [
  { name: 'sent', label: texts.metrics.sent },
  { name: 'delivered', label: texts.metrics.delivered, rate: 'delivery_rate', status: 'delivered' },
  { name: 'bounced', label: texts.metrics.bounced, rate: 'bounce_rate', status: 'bounced' },
  { name: 'complained', label: texts.metrics.complained, rate: 'complaint_rate', status: 'complained' },
  { name: 'unique_opened', label: texts.metrics.opened, rate: 'open_rate', status: 'opened' },
  { name: 'unique_clicked', label: texts.metrics.clicked, rate: 'click_rate', status: 'clicked' },
] as const

interface FiguresProps {
  readonly totals: Metrics['totals']
  /** Of the period before, as long as this one. */
  readonly before: Metrics['totals'] | undefined
  readonly since: string
}

/** The totals of the range, each leading to the emails behind it. */
export const Figures = ({ totals, before, since }: FiguresProps) => (
  <ul className="figures" aria-label={texts.totals.label}>
    {FIGURES.map((figure) => (
      <li key={figure.name}>
        <Link
          to="/emails"
          search={{ created_after: since, ...('status' in figure && { status: figure.status }) }}
          title={texts.totals.showEmails(figure.label)}
        >
          <span className="figure-name">{figure.label}</span>
          <strong>{formatNumber(totals[figure.name] ?? 0)}</strong>
          {'rate' in figure && <span className="muted">{formatPercent(totals[figure.rate] ?? 0)}</span>}
          {before && <Change now={totals[figure.name] ?? 0} before={before[figure.name] ?? 0} />}
        </Link>
      </li>
    ))}
  </ul>
)

function Change({ now, before }: { now: number; before: number }) {
  return (
    <span className="change muted">
      {now === before
        ? texts.totals.noChange
        : before === 0
          ? texts.totals.nonePreviously
          : texts.totals.change(changeOf(now, before))}
    </span>
  )
}

const CHANGE = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 0, signDisplay: 'exceptZero' })

const changeOf = (now: number, before: number) => CHANGE.format((now - before) / before)

import { formatPercent } from '../../ui/locale.ts'
import './complaint-rate.css'
import { texts } from './texts.ts'

/** In percent, as Google and Yahoo publish them: what to stay below, and from where on mail goes to spam. */
export const COMPLAINT_TARGET = 0.1
export const COMPLAINT_LIMIT = 0.3

/** What the bar shows at most: a little more than the limit. */
const FULL = 0.4
const WIDTH = 64
const HEIGHT = 8

const x = (rate: number) => (Math.min(rate, FULL) / FULL) * WIDTH

const toneOf = (rate: number) => (rate >= COMPLAINT_LIMIT ? 'bad' : rate >= COMPLAINT_TARGET ? 'warn' : 'good')

/** A complaint rate in percent, drawn against what providers ask for. */
export const ComplaintRate = ({ rate }: { rate: number }) => (
  <span className="complaint-rate" title={texts.complaintRate[toneOf(rate)]}>
    {formatPercent(rate)}
    <svg width={WIDTH} height={HEIGHT} aria-hidden="true">
      <rect className="track" width={WIDTH} height={HEIGHT} rx={HEIGHT / 2} />
      <rect className={toneOf(rate)} width={x(rate)} height={HEIGHT} rx={HEIGHT / 2} />
      {[COMPLAINT_TARGET, COMPLAINT_LIMIT].map((limit) => (
        <line key={limit} className="mark" x1={x(limit)} x2={x(limit)} y1={0} y2={HEIGHT} />
      ))}
    </svg>
    {toneOf(rate) !== 'good' && <span className="hidden">{texts.complaintRate[toneOf(rate)]}</span>}
  </span>
)

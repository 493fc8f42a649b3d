import type { Reply } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { formatNumber } from '../../ui/locale.ts'
import { lineId } from './layout.ts'

type Counters = Reply<'automations.numbers'>
export type StepCounters = Counters['steps'][number]

const POLL_INTERVAL_MS = 5_000

/** How many came by, by step and by line. */
export function useCounters(id: string) {
  const { data } = useCall('automations.numbers', { id }, { refetchInterval: () => POLL_INTERVAL_MS })
  return {
    steps: new Map((data?.steps ?? []).map((one) => [one.key, one])),
    lines: new Map((data?.connections ?? []).map((one) => [lineId(one), one.taken])),
  }
}

const SHOWN = [
  ['entered', 'entered'],
  ['waiting', 'waiting'],
  ['sent', 'sent'],
  ['opened', 'opened'],
  ['clicked', 'clicked'],
  ['skipped', 'skipped'],
  ['failed', 'failed'],
  ['cancelled', 'cancelled'],
] as const

/** `12 entered · 3 waiting`; nothing when nobody came by. */
export const countersText = (counters: StepCounters | undefined): string =>
  counters
    ? SHOWN.filter(([name]) => counters[name] > 0)
        .map(([name, word]) => `${formatNumber(counters[name])} ${word}`)
        .join(' · ')
    : ''

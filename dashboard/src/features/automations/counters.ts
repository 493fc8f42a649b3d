import type { Reply } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { lineId } from './layout.ts'
import { texts } from './texts.ts'

type Counters = Reply<'automations.numbers'>
export type StepCounters = Counters['steps'][number]

const POLL_INTERVAL_MS = 5_000

/** How many runs passed each step and each line. */
export function useCounters(id: string) {
  const { data } = useCall('automations.numbers', { id }, { refetchInterval: () => POLL_INTERVAL_MS })
  return {
    steps: new Map((data?.steps ?? []).map((one) => [one.key, one])),
    lines: new Map((data?.connections ?? []).map((one) => [lineId(one), one.taken])),
  }
}

const SHOWN = ['entered', 'waiting', 'sent', 'opened', 'clicked', 'skipped', 'failed', 'cancelled'] as const

/** `12 entered · 3 waiting`; empty while all are zero. */
export const countersText = (counters: StepCounters | undefined): string =>
  counters
    ? SHOWN.filter((name) => counters[name] > 0)
        .map((name) => texts.counters[name](counters[name]))
        .join(' · ')
    : ''

import type { Reply } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { lineId } from './layout.ts'

type Numbers = Reply<'automations.numbers'>
export type StepNumbers = Numbers['steps'][number]

const LOOK_EVERY_MS = 5_000

/** How many came by, by step and by line. */
export function useNumbers(id: string) {
  const { data } = useCall('automations.numbers', { id }, { refetchInterval: () => LOOK_EVERY_MS })
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
export const numbersInWords = (numbers: StepNumbers | undefined): string =>
  numbers
    ? SHOWN.filter(([name]) => numbers[name] > 0)
        .map(([name, word]) => `${numbers[name].toLocaleString('en')} ${word}`)
        .join(' · ')
    : ''

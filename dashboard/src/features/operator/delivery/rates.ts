import { LOCALE } from '../../../ui/locale.ts'
import { texts } from './texts.ts'

const NUMBER = new Intl.NumberFormat(LOCALE, { maximumSignificantDigits: 3 })

/** Messages a second as people count them: `12/s`, `30/min`. Null is no limit. */
export function formatRate(perSecond: number | null): string {
  if (perSecond === null) return texts.rate.none
  if (perSecond >= 1) return texts.rate.perSecond(NUMBER.format(perSecond))
  if (perSecond * 60 >= 1) return texts.rate.perMinute(NUMBER.format(perSecond * 60))
  return texts.rate.perHour(NUMBER.format(perSecond * 3_600))
}

/** The rate now, and the most that it can become. */
export function rateOfCeiling(rate: number | null, ceiling: number | null): string {
  if (rate === null && ceiling === null) return '–'
  if (rate === null || ceiling === null) return formatRate(rate ?? ceiling)
  return texts.rate.ofCeiling(formatRate(rate), formatRate(ceiling))
}

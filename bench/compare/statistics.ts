import { median } from '../report.ts'

/** A ratio with what is known of it: with 95 % it is within `low` and `high`. */
export interface Estimate {
  readonly ratio: number
  readonly low: number
  readonly high: number
}

const RESAMPLES = 500
const EACH_SIDE = 0.025

/**
 * The median of the ratios of neighbouring rounds, and its interval by resampling them. Neighbours, because a machine that slows down
 * slows down both.
 */
export function estimate(ratios: readonly number[]): Estimate {
  const random = generator(ratios.length)
  const medians = Array.from({ length: RESAMPLES }, () =>
    median(ratios.map(() => ratios[Math.floor(random() * ratios.length)]!)),
  ).sort((a, b) => a - b)
  const at = (share: number) => medians[Math.floor(share * (RESAMPLES - 1))]!
  return { ratio: median(ratios), low: at(EACH_SIDE), high: at(1 - EACH_SIDE) }
}

/** Half of the width of the interval, as a share of the ratio. */
export const uncertainty = ({ ratio, low, high }: Estimate) => (high - low) / 2 / ratio

/** The same numbers for the same rounds (mulberry32), so that a table can be made again. */
function generator(seed: number) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

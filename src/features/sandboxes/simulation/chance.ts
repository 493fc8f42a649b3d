import { hash } from 'node:crypto'

const DIGITS = 12

/**
 * A number from 0 to below 1 that is the same for the same seed and the same question, whenever and wherever it is asked: in a story
 * that is run again everything comes out as before, in whatever order it is worked off.
 */
export const chanceOf = (seed: string, ...question: readonly (string | number)[]): number =>
  Number.parseInt(hash('sha256', JSON.stringify([seed, ...question])).slice(0, DIGITS), 16) / 16 ** DIGITS

/** Whether it comes about; without a probability it always does. */
export const occurs = (probability: number | undefined, chance: () => number): boolean =>
  probability === undefined || probability >= 1 || (probability > 0 && chance() < probability)

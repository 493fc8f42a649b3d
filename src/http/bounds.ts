import type { Config } from '../platform/config.ts'
import { BodyTurns } from './body-turns.ts'
import { RateLimit } from './rate-limit.ts'

/** What one team may take of this process. */
export interface Bounds {
  readonly rateLimit: RateLimit
  readonly bodyTurns: BodyTurns
}

export const createBounds = ({ RATE_LIMIT }: Config): Bounds => ({
  rateLimit: new RateLimit(RATE_LIMIT),
  bodyTurns: new BodyTurns(),
})

import type { Config } from '../platform/config.ts'
import { LargeBodies } from './large-bodies.ts'
import { RateLimit } from './rate-limit.ts'

/** What one team may take of this process. */
export interface Bounds {
  readonly rateLimit: RateLimit
  readonly largeBodies: LargeBodies
}

export const createBounds = ({ RATE_LIMIT }: Config): Bounds => ({
  rateLimit: new RateLimit(RATE_LIMIT),
  largeBodies: new LargeBodies(),
})

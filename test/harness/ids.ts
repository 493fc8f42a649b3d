import { systemClock } from '../../src/platform/clock.ts'
import * as ids from '../../src/platform/ids.ts'

/** Any id, for tests to whom it does not matter whose clock it is of. */
export const newId = () => ids.newId(systemClock)

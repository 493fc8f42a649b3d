import { RunningClocks } from '../laboratory/running-clocks.ts'
import type { Services } from '../resources/services.ts'

/** Keeps the clocks of sandboxes running. */
export const createClocks = ({ db, log }: Pick<Services, 'db' | 'log'>) => new RunningClocks({ db, log })

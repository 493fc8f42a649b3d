import { RunningClocks } from '../../features/sandboxes/simulation/running-clocks.ts'
import type { Services } from '../../features/services.ts'

/** Keeps the clocks of sandboxes running. */
export const createClocks = ({ db, log }: Pick<Services, 'db' | 'log'>) => new RunningClocks({ db, log })

import type { Services } from '../services.ts'
import { RunningClocks } from './simulation/running-clocks.ts'

/** Keeps the clocks of sandboxes running. */
export const createClocks = ({ db, log }: Pick<Services, 'db' | 'log'>) => new RunningClocks({ db, log })

import type { Services } from '../services.ts'

/** What it needs of the process. */
export interface EventsServices extends Pick<Services, 'db' | 'eventIntake' | 'keysInFlight'> {}

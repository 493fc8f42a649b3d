import type { Services } from '../services.ts'

/** What it needs of the process. */
export interface TeamsServices
  extends Pick<Services, 'db' | 'clock' | 'sessions' | 'teamStates' | 'links' | 'publicUrl'> {}

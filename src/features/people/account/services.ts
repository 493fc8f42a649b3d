import type { Services } from '../../services.ts'

/** What it needs of the process. */
export interface PeopleAccountServices
  extends Pick<Services, 'db' | 'clock' | 'publicUrl' | 'sessions' | 'challenges'> {}

import type { Services } from '../services.ts'

/** What it needs of the process. */
export interface BroadcastsServices
  extends Pick<Services, 'db' | 'clock' | 'config' | 'publicUrl' | 'sending' | 'teamStates'> {}

import type { Services } from '../services.ts'

/** What it needs of the process. */
export interface AutomationsServices
  extends Pick<Services, 'db' | 'clock' | 'config' | 'log' | 'publicUrl' | 'links' | 'sending' | 'teamStates'> {}

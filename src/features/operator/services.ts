import type { Services } from '../services.ts'

/** What it needs of the process. */
export interface OperatorServices
  extends Pick<Services, 'db' | 'clock' | 'config' | 'log' | 'teamStates' | 'systemTeam'> {}

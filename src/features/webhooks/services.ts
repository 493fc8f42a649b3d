import type { Services } from '../services.ts'

/** What it needs of the process. */
export interface WebhooksServices extends Pick<Services, 'db' | 'clock' | 'sealer' | 'teamStates'> {}

import type { Services } from '../services.ts'

/** What it needs of the process. */
export interface ApiKeysServices extends Pick<Services, 'db' | 'clock' | 'config'> {}

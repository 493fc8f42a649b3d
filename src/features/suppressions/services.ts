import type { Services } from '../services.ts'

/** What it needs of the process. */
export interface SuppressionsServices extends Pick<Services, 'db' | 'sealer'> {}

import type { Services } from '../services.ts'

/** What it needs of the process. */
export interface UnsubscribingServices extends Pick<Services, 'db' | 'links' | 'publicUrl'> {}

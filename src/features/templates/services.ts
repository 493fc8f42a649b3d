import type { Services } from '../services.ts'

/** What it needs of the process. */
export interface TemplatesServices extends Pick<Services, 'db' | 'clock'> {}

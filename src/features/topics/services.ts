import type { Services } from '../services.ts'

/** What it needs of the process. */
export interface TopicsServices extends Pick<Services, 'db'> {}

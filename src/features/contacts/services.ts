import type { Services } from '../services.ts'

/** What it needs of the process. */
export interface ContactsServices extends Pick<Services, 'db' | 'teamStates'> {}

import type { Services } from '../services.ts'

/** What it needs of the process. */
export interface PersonalDataServices extends Pick<Services, 'db' | 'blobs' | 'sealer' | 'config'> {}

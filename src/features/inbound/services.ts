import type { Services } from '../services.ts'

/** What it needs of the process. */
export interface InboundServices
  extends Pick<Services, 'db' | 'clock' | 'blobs' | 'log' | 'publicUrl' | 'links' | 'disclosures'> {}

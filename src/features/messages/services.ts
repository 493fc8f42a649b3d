import type { Services } from '../services.ts'

/** What it needs of the process. */
export interface MessagesServices
  extends Pick<Services, 'db' | 'clock' | 'blobs' | 'log' | 'publicUrl' | 'links' | 'disclosures' | 'identityOf'> {}

/** To let single messages out, or remove them. */
export interface ReleaseServices extends Pick<Services, 'db' | 'config' | 'blobs' | 'release'> {}

/** To wait for messages. */
export interface WaitServices
  extends Pick<Services, 'db' | 'clock' | 'blobs' | 'log' | 'publicUrl' | 'links' | 'disclosures' | 'messageWaits'> {}

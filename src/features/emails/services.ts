import type { Services } from '../services.ts'

/** What it needs of the process. */
export interface EmailsServices extends Pick<Services, 'db' | 'clock' | 'blobs' | 'publicUrl' | 'links'> {}

/** What it takes to make an email of a request. */
export interface PreparingServices extends Pick<Services, 'db' | 'clock' | 'config' | 'publicUrl' | 'sending'> {}

/** What it takes to send it. */
export interface SendingServices
  extends Pick<Services, 'db' | 'clock' | 'config' | 'blobs' | 'publicUrl' | 'sending' | 'keysInFlight'> {}

/** What it takes to send a message as it was written elsewhere. */
export interface SubmittingServices
  extends Pick<
    Services,
    'db' | 'clock' | 'config' | 'sealer' | 'blobs' | 'disclosures' | 'publicUrl' | 'sending' | 'keysInFlight'
  > {}

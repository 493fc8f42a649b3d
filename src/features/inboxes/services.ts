import type { Services } from '../services.ts'

/** What it needs of the process. */
export interface InboxesServices
  extends Pick<
    Services,
    'db' | 'clock' | 'config' | 'blobs' | 'log' | 'publicUrl' | 'links' | 'disclosures' | 'inboxHooks'
  > {}

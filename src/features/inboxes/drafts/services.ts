import type { Services } from '../../services.ts'

/** What it needs of the process. */
export interface InboxesDraftsServices
  extends Pick<
    Services,
    | 'db'
    | 'clock'
    | 'config'
    | 'blobs'
    | 'log'
    | 'publicUrl'
    | 'links'
    | 'disclosures'
    | 'sending'
    | 'keysInFlight'
    | 'inboxHooks'
  > {}

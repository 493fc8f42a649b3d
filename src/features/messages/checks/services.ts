import type { Services } from '../../services.ts'

/** What it needs of the process. */
export interface MessagesChecksServices
  extends Pick<
    Services,
    | 'db'
    | 'clock'
    | 'blobs'
    | 'log'
    | 'publicUrl'
    | 'links'
    | 'disclosures'
    | 'identityOf'
    | 'spamFilter'
    | 'probe'
    | 'resolver'
  > {}

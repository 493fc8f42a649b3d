import type { Services } from '../services.ts'

/** What deciding needs of the process. */
export interface DecidingServices extends Pick<Services, 'db' | 'config'> {}

/** What asking approvers needs. */
export interface ApprovalsServices
  extends Pick<
    Services,
    'db' | 'clock' | 'config' | 'log' | 'sealer' | 'links' | 'blobs' | 'publicUrl' | 'systemTeam' | 'teamStates'
  > {}

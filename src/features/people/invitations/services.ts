import type { Services } from '../../services.ts'

/** What it needs of the process. */
export interface PeopleInvitationsServices
  extends Pick<
    Services,
    'db' | 'clock' | 'config' | 'sealer' | 'log' | 'publicUrl' | 'systemTeam' | 'sessions' | 'invitationLimit'
  > {}

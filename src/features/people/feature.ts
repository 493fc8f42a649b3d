import { feature } from '../feature.ts'
import { accountEndpoints } from './account/endpoints.ts'
import { invitationEndpoints } from './invitations/endpoints.ts'
import { sweepInvitations } from './invitations/jobs.ts'
import { mailLink, sweepSignIns } from './jobs.ts'
import { memberEndpoints } from './members/endpoints.ts'

export const peopleFeature = feature({
  endpoints: [...memberEndpoints, ...invitationEndpoints, ...accountEndpoints],
  jobs: [sweepInvitations, mailLink, sweepSignIns],
  times: [
    { table: 'invitations', real: ['created_at', 'expires_at'] },
    { table: 'memberships', real: ['created_at'] },
    { table: 'user_sessions', real: ['verified_at', 'created_at', 'last_seen_at', 'expires_at'] },
    // Of browsers that were let in with a key.
    { table: 'sessions', real: ['created_at', 'expires_at'] },
  ],
})

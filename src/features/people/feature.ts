import { feature } from '../feature.ts'
import { accountEndpoints } from './account/endpoints.ts'
import { invitationEndpoints } from './invitations/endpoints.ts'
import { sweepInvitations } from './invitations/jobs.ts'
import { mailLink, sweepSignIns } from './jobs.ts'
import { memberEndpoints } from './members/endpoints.ts'

export const peopleFeature = feature({
  endpoints: [...memberEndpoints, ...invitationEndpoints, ...accountEndpoints],
  jobs: [sweepInvitations, mailLink, sweepSignIns],
})

import { feature } from '../feature.ts'
import { domainClaimEndpoints } from './claims/endpoints.ts'
import { recheckClaims, verifyClaim } from './claims/jobs.ts'
import { domainEndpoints } from './endpoints.ts'
import { recheckDomains, verifyDomain } from './jobs.ts'

export const domainsFeature = feature({
  endpoints: [...domainEndpoints, ...domainClaimEndpoints],
  jobs: [verifyDomain, recheckDomains, verifyClaim, recheckClaims],
})

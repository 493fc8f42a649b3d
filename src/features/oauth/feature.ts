import { feature } from '../feature.ts'
import { oauthGrantEndpoints } from './granted/endpoints.ts'
import { renewSigningKeys, sweepOAuthClients, sweepOAuthCodes, sweepOAuthTokens } from './jobs.ts'

export const oauthFeature = feature({
  endpoints: [...oauthGrantEndpoints],
  jobs: [renewSigningKeys, sweepOAuthCodes, sweepOAuthTokens, sweepOAuthClients],
})

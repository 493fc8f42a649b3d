import { feature } from '../feature.ts'
import { ACTIVITY_EVENTS } from '../policies/activity.ts'
import { oauthGrantEndpoints } from './granted/endpoints.ts'
import { renewSigningKeys, sweepOAuthClients, sweepOAuthCodes, sweepOAuthTokens } from './jobs.ts'

export const oauthFeature = feature({
  endpoints: [...oauthGrantEndpoints],
  jobs: [renewSigningKeys, sweepOAuthCodes, sweepOAuthTokens, sweepOAuthClients],
  sealedColumns: [{ table: 'oauth_keys', column: 'private_key', context: `'oauth:' || id` }],
  times: [
    { table: 'oauth_codes', real: ['expires_at', 'used_at'] },
    { table: 'oauth_grants', team: ['created_at', 'revoked_at'] },
    { table: 'oauth_refresh_tokens', real: ['created_at', 'expires_at', 'rotated_at'] },
  ],
  liveUpdates: [{ events: ACTIVITY_EVENTS, endpoints: ['oauth.grants.activity'] }],
})

import { Problem } from '../../../kernel/http/problem.ts'
import { IdParams } from '../../../kernel/http/shapes.ts'
import { endpoint, list } from '../../definitions.ts'
import { revokeGrant } from '../grants.ts'
import { oauthGrantRows } from './queries.ts'
import { OAuthGrantItem, RevokedOAuthGrant } from './schema.ts'

export const oauthGrantEndpoints = [
  list({
    id: 'oauth.grants.list',
    access: 'grants',
    route: 'GET /oauth/grants',
    summary: 'List OAuth grants',
    description: 'What programs people of the team let act for them. Those that were revoked stay listed.',
    item: OAuthGrantItem,
    unlimited: 20,
    rows: ({ actor }) => oauthGrantRows(actor.team),
  }),
  endpoint({
    id: 'oauth.grants.revoke',
    access: 'grants',
    route: 'DELETE /oauth/grants/:id',
    summary: 'Revoke an OAuth grant',
    description: 'Ends every access and refresh token of it.',
    params: IdParams,
    reply: RevokedOAuthGrant,
    async run({ params, services, actor }) {
      const reason = 'revoked_from_api'
      const revokedAt = await revokeGrant(services.db, actor.team, params.id, reason)
      if (!revokedAt) throw new Problem('not_found', 'OAuth grant not found. Perhaps it was already revoked?')
      services.authenticator.forget()
      return {
        object: 'oauth_grant' as const,
        id: params.id,
        revoked_at: revokedAt.toISOString(),
        revoked_reason: reason,
      }
    },
  }),
]

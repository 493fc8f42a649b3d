import { found, Problem } from '../../../kernel/http/problem.ts'
import { IdParams, reference } from '../../../kernel/http/shapes.ts'
import { endpoint, list } from '../../definitions.ts'
import { activityOf } from '../../policies/activity.ts'
import { hintIn } from '../../policies/hint.ts'
import { setPolicy } from '../../policies/write.ts'
import { grantExists, lockGrant, revokeGrant } from '../grants.ts'
import { oauthGrantRows } from './queries.ts'
import { OAuthGrantItem, OAuthGrantReference, RevokedOAuthGrant, UpdateOAuthGrant } from './schema.ts'

const noGrant = () => new Problem('not_found', 'OAuth grant not found. Perhaps it was already revoked?')

export const oauthGrantEndpoints = [
  list({
    id: 'oauth.grants.list',
    access: 'grants',
    route: 'GET /oauth/grants',
    summary: 'List OAuth grants',
    description: 'Apps authorized by members of the team, including revoked ones.',
    item: OAuthGrantItem,
    unlimited: 20,
    rows: ({ actor }) => oauthGrantRows(actor.team),
  }),
  endpoint({
    id: 'oauth.grants.update',
    access: 'grants',
    route: 'PATCH /oauth/grants/:id',
    summary: 'Update the policy of an OAuth grant',
    description:
      '`null` removes it. A change counts for all mail that is accepted after it; scheduled mail that it does not allow waits for approval.',
    params: IdParams,
    body: UpdateOAuthGrant,
    reply: OAuthGrantReference,
    async run({ params: { id }, body: { policy }, services, actor: { team } }) {
      await services.db.transaction(async (trx) => {
        if (!(await lockGrant(trx, team, id))) throw noGrant()
        await setPolicy(trx, { team, policyId: id, holder: 'oauth_grant' }, policy)
      })
      services.authenticator.forget()
      return { ...reference('oauth_grant', id), ...(await hintIn(services.db, team, policy)) }
    },
  }),
  endpoint({
    id: 'oauth.grants.activity',
    access: 'grants',
    route: 'GET /oauth/grants/:id/activity',
    summary: 'Retrieve what an app did under its policy',
    params: IdParams,
    ...activityOf('oauth_grant', async (db, team, { id }: { id: string }) => {
      found(await grantExists(db, team, id), 'OAuth grant')
      return id
    }),
  }),
  endpoint({
    id: 'oauth.grants.revoke',
    access: 'grants',
    route: 'DELETE /oauth/grants/:id',
    summary: 'Revoke an OAuth grant',
    description: 'Revokes all of its access and refresh tokens.',
    params: IdParams,
    reply: RevokedOAuthGrant,
    async run({ params, services, actor }) {
      const reason = 'revoked_from_api'
      const revokedAt = await services.db.transaction((trx) => revokeGrant(trx, actor.team, params.id, reason))
      if (!revokedAt) throw noGrant()
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

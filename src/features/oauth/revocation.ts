import { recordAudit } from '../../kernel/audit/record.ts'
import { tokenDigest } from '../../kernel/http/auth.ts'
import type { OAuthClient } from './client.ts'
import { OAuthError } from './error.ts'
import type { ExchangeParts } from './exchange.ts'
import { revokeGrant } from './grants.ts'
import { type Parameters, requireParameter } from './parameters.ts'
import { findRefreshToken } from './token-queries.ts'

/** A program gives back what it was given (RFC 7009). What is not there, or is another's, is as good as revoked. */
export async function revokeToken({ db, onRevoked }: ExchangeParts, client: OAuthClient, parameters: Parameters) {
  const token = requireParameter(parameters, 'token')
  if (parameters.get('token_type_hint') === 'access_token')
    throw new OAuthError(
      'invalid_request',
      'Access tokens cannot be revoked. Revoke the refresh token: it ends them, too.',
    )
  const isRevoked = await db.transaction(async (trx) => {
    const found = await findRefreshToken(trx, tokenDigest(token))
    if (!found || found.clientId !== client.id) return false
    const { team, grantId, userId } = found
    if (!(await revokeGrant(trx, team, grantId, 'revoked_by_client'))) return false
    await recordAudit(trx, {
      team,
      actor: { kind: 'oauth_token', id: grantId, name: client.name },
      action: 'oauth.grants.revoke',
      objectId: grantId,
      details: { reason: 'revoked_by_client', user_id: userId },
    })
    return true
  })
  if (isRevoked) onRevoked()
}

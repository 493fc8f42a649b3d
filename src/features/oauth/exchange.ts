import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { recordAudit, SYSTEM } from '../../kernel/audit/record.ts'
import type { Database, Transaction } from '../../kernel/db/database.ts'
import { tokenDigest } from '../../kernel/http/auth.ts'
import type { Sealer } from '../../kernel/secrets.ts'
import type { OAuthClient } from './client.ts'
import { OAuthError } from './error.ts'
import { findStanding, type RevokedReason, revokeGrant } from './grants.ts'
import { type Parameters, requireParameter } from './parameters.ts'
import { narrowScopes, readScopes, type Scope } from './scopes.ts'
import { findCode, findRefreshToken, insertRefreshToken, markCodeUsed, markRotated } from './token-queries.ts'
import type { TokenSubject } from './tokens.ts'

/** A second process of the client may have been a moment later, or the answer was lost on its way: that is no theft yet. */
const REUSE_WINDOW_MS = 60_000

export interface Exchanged {
  readonly subject: TokenSubject
  readonly scopes: readonly Scope[]
  /** Null: the client has not registered for any. */
  readonly refreshToken: string | null
}

/** Refused, and what else follows from it commits. */
interface Refused {
  readonly refusal: string
  readonly isRevoked?: true
}

type Outcome = Exchanged | Refused

/** `onRevoked`: a grant has ended here, and whoever remembers its tokens forgets them. */
export interface ExchangeParts {
  readonly db: Database
  readonly sealer: Sealer
  onRevoked(): void
}

/** A code for tokens: once, by the client that it was given to, who alone knows what its digest was made of. */
export function exchangeCode(parts: ExchangeParts, client: OAuthClient, parameters: Parameters): Promise<Exchanged> {
  const code = requireParameter(parameters, 'code')
  const redirectUri = requireParameter(parameters, 'redirect_uri')
  const verifier = requireParameter(parameters, 'code_verifier')
  if (!/^[\w.~-]{43,128}$/.test(verifier))
    throw new OAuthError('invalid_request', 'The `code_verifier` must have 43 to 128 letters, digits or `-._~`.')
  return settle(parts, async (trx): Promise<Outcome> => {
    const found = await findCode(trx, tokenDigest(code))
    if (!found || found.clientId !== client.id) return { refusal: 'The code is not valid.' }
    if (found.usedAt)
      return revoke(trx, found, 'code_replayed', 'The code was already used. All of its tokens are revoked.')
    if (found.expiresAt <= trx.clock.now()) return { refusal: 'The code has expired.' }
    if (found.redirectUri !== redirectUri)
      return { refusal: 'The `redirect_uri` does not match the authorization request.' }
    if (!isOf(found.codeChallenge, verifier)) return { refusal: 'The `code_verifier` does not match this code.' }
    if (!(await findStanding(trx, found.team, found.grantId))) return { refusal: 'The grant was revoked.' }
    await markCodeUsed(trx, found)
    if (!client.grantTypes.includes('refresh_token'))
      return { subject: found, scopes: found.scopes, refreshToken: null }
    const refreshToken = randomBytes(32).toString('base64url')
    await insertRefreshToken(trx, found, tokenDigest(refreshToken))
    return { subject: found, scopes: found.scopes, refreshToken }
  })
}

/** A refresh token for tokens, and for the next refresh token. The scope may be narrowed, for this access token alone. */
export function exchangeRefreshToken(
  parts: ExchangeParts,
  client: OAuthClient,
  parameters: Parameters,
): Promise<Exchanged> {
  const token = requireParameter(parameters, 'refresh_token')
  const asked = readScopes(parameters.get('scope'))
  if (!client.grantTypes.includes('refresh_token'))
    throw new OAuthError('unauthorized_client', 'This client has not registered for refresh tokens.')
  return settle(parts, async (trx): Promise<Outcome> => {
    const found = await findRefreshToken(trx, tokenDigest(token))
    if (!found) return { refusal: 'The refresh token is not valid.' }
    const isOwn = found.clientId === client.id
    const successors = successorsOf(parts.sealer, token)
    const successor = found.rotatedAt ? await findReusable(trx, found.rotatedAt, successors) : successors[0]!
    if (successor === undefined || (found.rotatedAt && !isOwn))
      return revoke(trx, found, 'refresh_token_replayed', 'The refresh token was already used. The grant is revoked.')
    if (!isOwn) return { refusal: 'The refresh token is not valid.' }
    if (found.expiresAt <= trx.clock.now()) return { refusal: 'The refresh token has expired.' }
    if (!(await findStanding(trx, found.team, found.grantId))) return { refusal: 'The grant was revoked.' }
    const scopes = narrowScopes(asked, found.scopes)
    if (!found.rotatedAt) {
      await markRotated(trx, found)
      await insertRefreshToken(trx, found, tokenDigest(successor))
    }
    return { subject: found, scopes, refreshToken: successor }
  })
}

/**
 * The token that takes this one's place. It follows from the token and our key, so that whoever asks again gets the same one,
 * although only digests are kept; nobody else can work it out.
 */
const successorsOf = (sealer: Sealer, token: string) =>
  sealer.deriveKeys('oauth refresh tokens').map((key) => createHmac('sha256', key).update(token).digest('base64url'))

/** The token that this one was changed for, if it may be shown again: a moment later, while nobody has used it. */
async function findReusable(trx: Transaction, rotatedAt: Date, successors: readonly string[]) {
  if (trx.clock.now().getTime() - rotatedAt.getTime() >= REUSE_WINDOW_MS) return undefined
  for (const successor of successors) {
    const next = await findRefreshToken(trx, tokenDigest(successor))
    if (next && !next.rotatedAt) return successor
  }
  return undefined
}

/** Which of two that come at the same time is first is decided in the database: it locks the row of what they bring. */
async function settle(
  { db, onRevoked }: ExchangeParts,
  work: (trx: Transaction) => Promise<Outcome>,
): Promise<Exchanged> {
  const outcome = await db.transaction(work)
  if (!('refusal' in outcome)) return outcome
  if (outcome.isRevoked) onRevoked()
  throw new OAuthError('invalid_grant', outcome.refusal)
}

/** Two have what one should have: nobody can tell which of them is the thief, so both lose it. */
async function revoke(
  trx: Transaction,
  { team, grantId, clientId }: TokenSubject,
  reason: RevokedReason,
  refusal: string,
): Promise<Refused> {
  const isNew = await revokeGrant(trx, team, grantId, reason)
  if (isNew)
    await recordAudit(trx, {
      team,
      actor: SYSTEM,
      action: 'oauth.grants.revoke',
      objectId: grantId,
      details: { reason, client_id: clientId },
    })
  return { refusal, isRevoked: true }
}

const isOf = (challenge: string, verifier: string) =>
  timingSafeEqual(Buffer.from(challenge, 'base64url'), hash('sha256', verifier, 'buffer'))

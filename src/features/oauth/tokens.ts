import { errors, jwtVerify, SignJWT } from 'jose'
import type { Database } from '../../kernel/db/database.ts'
import { guardedPermissions } from '../../kernel/http/access.ts'
import type { ActorOf } from '../../kernel/http/actor.ts'
import type { TokenVerifier } from '../../kernel/http/auth.ts'
import type { Sealer } from '../../kernel/secrets.ts'
import { newId } from '../../platform/ids.ts'
import { permissionsOf } from '../people/roles.ts'
import { findStanding } from './grants.ts'
import { resourcesOf } from './resource.ts'
import { permissionsWithin, readScopes, type Scope } from './scopes.ts'
import { ALGORITHM, SigningKeys } from './signing-keys.ts'

export const ACCESS_TOKEN_SECONDS = 900

const TYPE = 'at+jwt'

/** What a token is issued for. */
export interface TokenSubject {
  readonly team: string
  readonly grantId: string
  readonly userId: string
  readonly clientId: string
  readonly resource: string | null
}

interface TokenParts {
  readonly db: Database
  readonly sealer: Sealer
  publicUrl(): string
}

/**
 * Access tokens (RFC 9068). A token proves by its signature which grant it is of; what it may do is looked up, so that a grant that
 * is revoked, a role that is changed and a membership that ends count within a second, and not when the token is over.
 */
export class AccessTokens implements TokenVerifier {
  readonly keys: SigningKeys
  readonly #parts: TokenParts

  constructor(parts: TokenParts) {
    this.#parts = parts
    this.keys = new SigningKeys(parts)
  }

  async issue({ team, grantId, userId, clientId, resource }: TokenSubject, scopes: readonly Scope[]): Promise<string> {
    const { db, publicUrl } = this.#parts
    const { id, key } = await this.keys.signing()
    const now = Math.floor(db.clock.now().getTime() / 1_000)
    return new SignJWT({ client_id: clientId, scope: scopes.join(' '), grant_id: grantId, team_id: team })
      .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: id })
      .setIssuer(publicUrl())
      .setAudience(resource ?? publicUrl())
      .setSubject(userId)
      .setJti(newId(db.clock))
      .setIssuedAt(now)
      .setExpirationTime(now + ACCESS_TOKEN_SECONDS)
      .sign(key)
  }

  async verify(token: string): Promise<ActorOf<'token'> | null> {
    const claims = await this.#read(token)
    const standing = claims && (await findStanding(this.#parts.db, claims.team, claims.grantId))
    if (!standing) return null
    const { userId, clientId, clientName, role, hidesContent, isGuarded } = standing
    const permissions = permissionsWithin(claims.scopes, permissionsOf({ role, hidesContent, isOperator: false }))
    return {
      team: claims.team,
      identity: { kind: 'token', id: claims.grantId, userId, clientId },
      name: clientName,
      permissions: isGuarded ? guardedPermissions(permissions) : permissions,
      domainId: null,
      policyId: isGuarded ? claims.grantId : null,
    }
  }

  async #read(token: string) {
    const { db, publicUrl } = this.#parts
    try {
      const { payload } = await jwtVerify(token, (header) => this.#keyOf(header.kid), {
        algorithms: [ALGORITHM],
        typ: TYPE,
        issuer: publicUrl(),
        audience: resourcesOf(publicUrl()),
        currentDate: db.clock.now(),
        requiredClaims: ['exp', 'sub', 'scope', 'grant_id', 'team_id'],
      })
      return {
        team: payload.team_id as string,
        grantId: payload.grant_id as string,
        scopes: readScopes(payload.scope as string) ?? [],
      }
    } catch (error) {
      if (error instanceof errors.JOSEError) return null
      throw error
    }
  }

  async #keyOf(id: string | undefined) {
    const key = typeof id === 'string' ? await this.keys.find(id) : undefined
    if (!key) throw new errors.JWKSNoMatchingKey()
    return key
  }
}

import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import type { Scope } from './scopes.ts'
import type { TokenSubject } from './tokens.ts'

/** Sliding: each use gives another token, which is good for as long again. */
const REFRESH_TOKEN_MS = 60 * 86_400_000

interface StoredCode extends TokenSubject {
  readonly sha256: Buffer
  readonly redirectUri: string
  readonly codeChallenge: string
  readonly scopes: readonly Scope[]
  readonly expiresAt: Date
  readonly usedAt: Date | null
}

/** Nobody else can use it until the transaction ends. */
export async function findCode(trx: Queryable, sha256: Buffer): Promise<StoredCode | undefined> {
  const [code] = await trx.query<StoredCode>(sql`
    select c.code_sha256 as sha256, c.team_id as team, c.grant_id as "grantId", g.user_id as "userId",
      c.client_id as "clientId", g.resource, c.redirect_uri as "redirectUri", c.code_challenge as "codeChallenge", c.scopes,
      c.expires_at as "expiresAt", c.used_at as "usedAt"
    from oauth_codes c join oauth_grants g on g.team_id = c.team_id and g.id = c.grant_id
    where c.code_sha256 = ${sha256} for update of c`)
  return code
}

export const markCodeUsed = (trx: Queryable, { sha256 }: StoredCode) =>
  trx.query(sql.write`update oauth_codes set used_at = ${trx.clock.now()} where code_sha256 = ${sha256}`)

interface StoredRefreshToken extends TokenSubject {
  readonly sha256: Buffer
  readonly scopes: readonly Scope[]
  readonly expiresAt: Date
  readonly rotatedAt: Date | null
}

/** Nobody else can use it until the transaction ends. */
export async function findRefreshToken(trx: Queryable, sha256: Buffer): Promise<StoredRefreshToken | undefined> {
  const [token] = await trx.query<StoredRefreshToken>(sql`
    select r.token_sha256 as sha256, r.team_id as team, r.grant_id as "grantId", g.user_id as "userId",
      g.client_id as "clientId", g.resource, r.scopes, r.expires_at as "expiresAt", r.rotated_at as "rotatedAt"
    from oauth_refresh_tokens r join oauth_grants g on g.team_id = r.team_id and g.id = r.grant_id
    where r.token_sha256 = ${sha256} for update of r`)
  return token
}

export const markRotated = (trx: Queryable, { sha256 }: StoredRefreshToken) =>
  trx.query(sql.write`update oauth_refresh_tokens set rotated_at = ${trx.clock.now()} where token_sha256 = ${sha256}`)

export async function insertRefreshToken(
  trx: Queryable,
  { team, grantId, scopes }: TokenSubject & { readonly scopes: readonly Scope[] },
  sha256: Buffer,
) {
  const now = trx.clock.now()
  await trx.query(sql.write`
    insert into oauth_refresh_tokens (token_sha256, team_id, grant_id, scopes, created_at, expires_at)
    values (${sha256}, ${team}, ${grantId}, ${scopes}, ${now}, ${new Date(now.getTime() + REFRESH_TOKEN_MS)})`)
}

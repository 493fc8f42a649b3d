import type { Scope } from './scopes.ts'
import { SCOPES } from './scopes.ts'

export const GRANT_TYPES = ['authorization_code', 'refresh_token'] as const

export type GrantType = (typeof GRANT_TYPES)[number]

/** A program that asks people for access. */
export interface OAuthClient {
  readonly id: string
  readonly name: string
  readonly logoUri: string | null
  readonly redirectUris: readonly string[]
  readonly scopes: readonly Scope[]
  readonly grantTypes: readonly GrantType[]
  /** Null: a public one, which proves itself by PKCE alone. */
  readonly secretSha256: Buffer | null
  /** built-in: known from the start. registered: by itself. document: its id is the address of its metadata. */
  readonly kind: 'built-in' | 'registered' | 'document'
}

/** Known from the start: `resend login` names this one. */
export const CLI: OAuthClient = {
  id: '7136aa0b-625c-4c9c-8820-e9784c8eb141',
  name: 'Resend CLI',
  logoUri: null,
  // Not `localhost`: what a name leads to is up to whoever answers for names.
  redirectUris: ['http://127.0.0.1/oauth/callback', 'http://[::1]/oauth/callback'],
  scopes: SCOPES,
  grantTypes: GRANT_TYPES,
  secretSha256: null,
  kind: 'built-in',
}

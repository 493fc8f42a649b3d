import { Problem } from '../../../kernel/http/problem.ts'
import type { OidcProvider } from '../../../platform/settings/oidc-setting.ts'
import type { Claims } from './client.ts'

/** Somebody, as a provider knows them. */
export interface OidcIdentity {
  readonly issuer: string
  readonly subject: string
  /** Null: there is none, or nobody has verified that it is theirs. */
  readonly email: string | null
  readonly name: string
  readonly groups: readonly string[]
}

/** RFC 5321 allows 254 characters; RFC 8414 puts no limit on the subject of a token, and OpenID Connect 255. */
const EMAIL = /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u
const MAX_EMAIL = 254
const MAX_SUBJECT = 255
const MAX_NAME = 100

/** What counts of the claims. */
export function readIdentity(provider: OidcProvider, claims: Claims): OidcIdentity {
  const { iss, sub, email, email_verified, name } = claims
  if (typeof iss !== 'string' || typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT)
    throw new Problem('invalid_permission', `${provider.name} did not say who you are. Begin again.`)
  const isAddress = typeof email === 'string' && email.length <= MAX_EMAIL && EMAIL.test(email)
  // Some write truth as a text.
  const isVerified = provider.trust_email || email_verified === true || email_verified === 'true'
  return {
    issuer: iss,
    subject: sub,
    email: isAddress && isVerified ? email : null,
    name:
      typeof name === 'string'
        ? name
            .replace(/\p{C}+/gu, ' ')
            .trim()
            .slice(0, MAX_NAME)
        : '',
    groups: listOf(claims[provider.groups_claim]),
  }
}

const listOf = (claim: unknown): string[] =>
  (Array.isArray(claim) ? claim : [claim]).filter((one): one is string => typeof one === 'string')

/** Whether somebody whom nobody has invited joins the team: everything that the settings ask for must hold, and they must ask for something. */
export function mayJoin({ domains, groups }: OidcProvider, identity: OidcIdentity): boolean {
  if (identity.email === null || (!domains && !groups)) return false
  const domain = identity.email.slice(identity.email.lastIndexOf('@') + 1).toLowerCase()
  const isOfDomain = !domains || domains.includes(domain)
  const isOfGroup = !groups || groups.some((group) => identity.groups.includes(group))
  return isOfDomain && isOfGroup
}

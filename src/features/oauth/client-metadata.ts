import { GRANT_TYPES, type GrantType, type OAuthClient } from './client.ts'
import { OAuthError } from './error.ts'
import { checkRedirectUri } from './redirect-uri.ts'
import { readScopes, SCOPES } from './scopes.ts'

const MAX_NAME = 200
const MAX_REDIRECT_URIS = 10
const MAX_URL = 2_048

export const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const

export type AuthMethod = (typeof AUTH_METHODS)[number]

export interface ClientMetadata
  extends Pick<OAuthClient, 'name' | 'logoUri' | 'redirectUris' | 'scopes' | 'grantTypes'> {
  readonly authMethod: AuthMethod
  readonly clientUri: string | undefined
}

/** What a client says about itself (RFC 7591), when it registers or in a document of its own. */
export function readClientMetadata(given: unknown): ClientMetadata {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new OAuthError('invalid_request', 'The metadata of a client is a JSON object.')
  const fields = given as Readonly<Record<string, unknown>>
  checkResponseTypes(fields.response_types)
  return {
    name: readName(fields.client_name),
    redirectUris: readRedirectUris(fields.redirect_uris),
    scopes: readScopes(readText('scope', fields.scope)) ?? SCOPES,
    grantTypes: readGrantTypes(fields.grant_types),
    authMethod: readAuthMethod(fields.token_endpoint_auth_method),
    logoUri: readUrl('logo_uri', fields.logo_uri) ?? null,
    clientUri: readUrl('client_uri', fields.client_uri),
  }
}

/** What shows nothing, or shows it elsewhere: controls, fillers of scripts, line ends. Behind an emoji a selector is part of it. */
const INVISIBLE = /\p{C}|\p{Zl}|\p{Zp}|(?![\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}|\u2800/u

/** Several marks on one letter are a language's; a pile of them covers the lines around it. */
const STACKED_MARKS = /\p{M}{5}/u

/** People read it on the page where they say yes: nothing in it may be invisible, turn the text around, or leave its line. */
function readName(given: unknown): string {
  const name = typeof given === 'string' ? given.trim().replace(/\p{Zs}+/gu, ' ') : ''
  if (name === '' || name.length > MAX_NAME)
    throw new OAuthError('invalid_request', `Invalid \`client_name\`: it must have 1 to ${MAX_NAME} characters.`)
  if (INVISIBLE.test(name) || STACKED_MARKS.test(name) || !/[\p{L}\p{N}\p{S}\p{P}]/u.test(name))
    throw new OAuthError('invalid_request', 'Invalid `client_name`: it must not have invisible characters.')
  return name
}

function readRedirectUris(given: unknown): readonly string[] {
  if (!Array.isArray(given) || given.length < 1 || given.length > MAX_REDIRECT_URIS)
    throw new OAuthError('invalid_request', `Invalid \`redirect_uris\`: name 1 to ${MAX_REDIRECT_URIS} of them.`)
  return [...new Set(given.map(checkRedirectUri))]
}

function readGrantTypes(given: unknown): readonly GrantType[] {
  if (given === undefined || given === null) return GRANT_TYPES
  const isKnown = (word: unknown): word is GrantType => GRANT_TYPES.includes(word as GrantType)
  // What others than we offer is left out: a document is written for all servers.
  const known = Array.isArray(given) ? [...new Set(given.filter(isKnown))] : []
  if (!known.includes('authorization_code'))
    throw new OAuthError('invalid_request', 'Invalid `grant_types`: `authorization_code` must be among them.')
  return known
}

function checkResponseTypes(given: unknown) {
  if (given === undefined || given === null) return
  if (!Array.isArray(given) || given.length !== 1 || given[0] !== 'code')
    throw new OAuthError('invalid_request', 'Invalid `response_types`: there is `code` only.')
}

function readAuthMethod(given: unknown): AuthMethod {
  if (given === undefined || given === null) return 'none'
  const method = AUTH_METHODS.find((one) => one === given)
  if (method) return method
  throw new OAuthError(
    'invalid_request',
    `Invalid \`token_endpoint_auth_method\`: there are ${AUTH_METHODS.join(', ')}.`,
  )
}

function readUrl(name: string, given: unknown): string | undefined {
  const text = readText(name, given)
  if (text === undefined) return undefined
  const isWeb = text.length <= MAX_URL && /^https?:\/\/[!-~]+$/i.test(text) && URL.canParse(text)
  if (!isWeb) throw new OAuthError('invalid_request', `Invalid \`${name}\`: it must be an http or https URL.`)
  return text
}

function readText(name: string, given: unknown): string | undefined {
  if (given === undefined || given === null || given === '') return undefined
  if (typeof given !== 'string') throw new OAuthError('invalid_request', `Invalid \`${name}\`: it must be a text.`)
  return given
}

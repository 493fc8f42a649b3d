import { GRANT_TYPES } from './client.ts'
import { AUTH_METHODS } from './client-metadata.ts'
import { SCOPES } from './scopes.ts'

/** What clients find out about this authorization server (RFC 8414). */
export const serverMetadata = (url: string) => ({
  issuer: url,
  authorization_endpoint: `${url}/oauth/authorize`,
  token_endpoint: `${url}/oauth/token`,
  jwks_uri: `${url}/.well-known/jwks.json`,
  registration_endpoint: `${url}/oauth/register`,
  revocation_endpoint: `${url}/oauth/revoke`,
  scopes_supported: SCOPES,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: GRANT_TYPES,
  token_endpoint_auth_methods_supported: AUTH_METHODS,
  revocation_endpoint_auth_methods_supported: AUTH_METHODS,
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
})

/** What they find out about what tokens are good for (RFC 9728). `path`: `/mcp`, or none for the API. */
export const resourceMetadata = (url: string, path: '' | '/mcp') => ({
  resource: `${url}${path}`,
  authorization_servers: [url],
  bearer_methods_supported: ['header'],
  scopes_supported: SCOPES,
  // Spelt as clients of the API know it.
  resourceDocumentation: `${url}/docs`,
})

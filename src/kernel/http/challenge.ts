import type { ProblemKind } from './problem.ts'

/**
 * What a 401 says about how to get in (RFC 6750, RFC 9728): where a program finds out who gives it tokens for this address. `/mcp` is
 * described by a document of its own, since clients compare the address in it with the one that they asked.
 */
export function challengeFor(publicUrl: string, path: string, kind: ProblemKind): string {
  const error = kind === 'invalid_access_token' ? 'error="invalid_token", ' : ''
  return `Bearer ${error}resource_metadata="${publicUrl}/.well-known/oauth-protected-resource${path === '/mcp' ? path : ''}"`
}

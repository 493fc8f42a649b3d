import { isLoopback } from '../../platform/settings/config.ts'
import { OAuthError } from './error.ts'

/** What tokens can be for: the API, and the same operations as tools. Both are this program, so a token for one is good for both. */
export const resourcesOf = (publicUrl: string): string[] => [publicUrl, `${publicUrl}/mcp`]

/**
 * Reads what a client says that it wants a token for (RFC 8707). Another server than this one is refused: a program that was lured
 * there would hand our token to it. Null: the client does not say.
 */
export function readResource(given: string | undefined, publicUrl: string): string | null {
  if (given === undefined) return null
  const asked = normalOf(given)
  const found = asked && resourcesOf(publicUrl).find((one) => normalOf(one) === asked)
  if (!found) throw new OAuthError('invalid_target', 'The `resource` is not one of this server.')
  return found
}

/** Without the slash at the end, and with one name for this machine where it has no other. */
function normalOf(text: string): string | null {
  if (!URL.canParse(text) || text.includes('#')) return null
  const url = new URL(text)
  if (isLoopback(url.hostname.replace(/^\[|\]$/g, ''))) url.hostname = 'localhost'
  return url.href.replace(/\/$/, '')
}

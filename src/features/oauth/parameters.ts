import { OAuthError } from './error.ts'

/** What a request of the protocol says, each thing once. */
export type Parameters = ReadonlyMap<string, string>

/** From a form, a query or JSON. What is said twice could be read differently by others, and is refused. */
export function readParameters(given: unknown): Parameters {
  if (given === undefined || given === null) return new Map()
  const pairs =
    typeof given === 'string' ? [...new URLSearchParams(given)] : Object.entries(given as Record<string, unknown>)
  const parameters = new Map<string, string>()
  for (const [name, value] of pairs) {
    if (value === undefined || value === null) continue
    if (typeof value !== 'string' || parameters.has(name))
      throw new OAuthError('invalid_request', `\`${name.slice(0, 100)}\` must be one text.`)
    // Empty is the same as not there (RFC 6749, 3.1).
    if (value !== '') parameters.set(name, value)
  }
  return parameters
}

export function requireParameter(parameters: Parameters, name: string): string {
  const value = parameters.get(name)
  if (value === undefined) throw new OAuthError('invalid_request', `Missing \`${name}\`.`)
  return value
}

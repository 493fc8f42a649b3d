import { OAuthError } from './error.ts'

const MAX_LENGTH = 2_048

/** A program on the machine of whoever signs in. The port is whatever was free; `localhost` may be another machine's than `127.0.0.1`. */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?((?:[/?].*)?)$/

/**
 * Private-use schemes without a dot in their name that programs with OAuth are known to claim. Any other one needs a dot, as in
 * `com.example.app:/callback` (RFC 8252, 7.1): names without one belong to browsers and operating systems, and some of these open a
 * file share or run what they are given (`search-ms:`, `ms-msdt:`, `javascript:`).
 */
const KNOWN_SCHEMES = new Set(
  [
    'claude',
    'cursor',
    'goose',
    'jetbrains',
    'lmstudio',
    'raycast',
    'vscode',
    'vscode-insiders',
    'vscodium',
    'warp',
    'windsurf',
    'zed',
  ].map((name) => `${name}:`),
)

export const isLoopbackUri = (uri: string) => LOOPBACK.test(uri)

/** `cursor://…`: the operating system gives it to the program that has claimed it. */
const isPrivateScheme = (uri: string) => !/^https?:/i.test(uri)

/**
 * Where errors may be sent without asking anybody. Whoever registers an address on the web could make us redirect to it with a link
 * of ours; a program on one's own machine gains nothing by that.
 */
export const isTrustedWithErrors = (uri: string) => isLoopbackUri(uri) || isPrivateScheme(uri)

/** Throws when nothing may ever be sent there. */
export function checkRedirectUri(uri: unknown): string {
  if (typeof uri !== 'string') throw refusal('must be texts')
  if (uri.length > MAX_LENGTH) throw refusal(`must not be longer than ${MAX_LENGTH} characters`)
  // What a browser would leave out or replace, so that another address is gone to than the one that was compared.
  if (!/^[!-~]+$/.test(uri) || /[\\"<>^`{|}]/.test(uri))
    throw refusal('must be URLs, with everything else percent-encoded')
  if (!URL.canParse(uri)) throw refusal('must be URLs')
  if (uri.includes('#')) throw refusal('must not have a fragment')
  const { protocol, username, password, hostname } = new URL(uri)
  if (username !== '' || password !== '') throw refusal('must not carry a user name or a password')
  if (isPrivateScheme(uri) && !protocol.includes('.') && !KNOWN_SCHEMES.has(protocol))
    throw refusal(`must not begin with \`${protocol}\`: a scheme of one's own has a dot, as in \`com.example.app:\``)
  if (protocol === 'http:' && !isLoopbackUri(uri))
    throw refusal('must be https, or http on `127.0.0.1`, `localhost` or `[::1]`')
  if (protocol === 'https:' && hostname === '') throw refusal('must name a host')
  return uri
}

const refusal = (rule: string) => new OAuthError('invalid_request', `Invalid \`redirect_uris\`: they ${rule}.`)

/** Character for character, but for the port of a loopback address. */
export const isRegistered = (uri: string, registered: readonly string[]) =>
  registered.some((one) => one === uri || isSameLoopback(one, uri))

function isSameLoopback(one: string, other: string): boolean {
  const [, host, rest] = LOOPBACK.exec(one) ?? []
  const [, otherHost, otherRest] = LOOPBACK.exec(other) ?? []
  return host !== undefined && host === otherHost && rest === otherRest
}

/** The address with an answer in its query; nothing else of it changes. */
export function withAnswer(uri: string, answer: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(answer).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(given)}`
}

/** Where somebody is sent to, in a few words. */
export function describeTarget(uri: string): string {
  if (isLoopbackUri(uri)) return 'a program on this computer'
  const { protocol, host } = new URL(uri)
  return protocol === 'https:' ? host : `the program for ${protocol}//`
}

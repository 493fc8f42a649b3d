import type { Host } from './destination.ts'

/** Why there is no session with a host. The text is for people and goes into the outcome. */
export interface Failure {
  readonly kind: 'failed'
  /** Its name. */
  readonly host: string
  readonly at: 'connect' | 'greeting' | 'tls' | 'login' | 'transaction'
  readonly reply: string
  /** What the server itself said, if it said anything. */
  readonly serverReply: string | null
}

export const isFailure = (result: object): result is Failure => 'kind' in result && result.kind === 'failed'

/** Why a connection is over: an error of the system, or ours. */
export interface SmtpError {
  readonly message?: string
  readonly code?: string
  /** What the server said last. */
  readonly response?: string
}

const WORDS: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  ECONNECTION: 'the connection was closed without a word',
  ETIMEDOUT: 'no answer in time',
  EHOSTUNREACH: 'there is no way to the host',
  ENETUNREACH: 'there is no way to its network',
  EADDRNOTAVAIL: 'there is no address here to connect from',
}

/** In words, without codes of libraries. */
export function describeError(error: SmtpError): string {
  return WORDS[error.code ?? ''] ?? (error.message || error.code || 'it failed')
}

export const nameOf = (host: Host) => `${host.host} (${host.address})`

export function failure(host: Host, at: Failure['at'], error: SmtpError): Failure {
  const serverReply = error.response ?? null
  const code = at === 'connect' ? '4.4.1' : at === 'tls' ? '4.7.5' : '4.4.2'
  return {
    kind: 'failed',
    host: host.host,
    at,
    serverReply,
    reply: `451 ${code} ${nameOf(host)}: ${serverReply ?? describeError(error)}`,
  }
}

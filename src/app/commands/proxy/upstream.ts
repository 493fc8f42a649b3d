import { type ClientRequest, Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isLoopback } from '../../../platform/settings/config.ts'
import { OperatorError } from '../command.ts'

/**
 * Idle connections are closed before servers usually do it (5 s and more): a request that meets a connection which the other side is just
 * closing fails, and without the proxy it would not have.
 */
const IDLE_MS = 4_000

const MAX_HEADER_BYTES = 64 * 1024

/** Where every call goes, and nowhere else. */
export interface Upstream {
  /** Without a password, for people. */
  readonly origin: string
  readonly host: string
  readonly isLoopback: boolean
  readonly isEncrypted: boolean
  readonly port: number
  request(wanted: { method: string; path: string; headers: string[] }): ClientRequest
  close(): void
}

export function openUpstream(given: string): Upstream {
  const url = parseUpstream(given)
  const isEncrypted = url.protocol === 'https:'
  const options = { keepAlive: true, timeout: IDLE_MS }
  const agent = isEncrypted ? new HttpsAgent(options) : new HttpAgent(options)
  const prefix = url.pathname.replace(/\/+$/, '')
  const hostname = url.hostname.replace(/^\[|\]$/g, '')
  const port = Number(url.port || (isEncrypted ? 443 : 80))
  const send = isEncrypted ? httpsRequest : httpRequest
  return {
    origin: `${url.origin}${prefix}`,
    host: url.host,
    isLoopback: isLoopback(hostname) || hostname === 'localhost',
    isEncrypted,
    port,
    request: ({ method, path, headers }) =>
      // The path is text that is put behind the origin: it cannot lead elsewhere.
      send({ agent, hostname, port, method, path: `${prefix}${path}`, headers, maxHeaderSize: MAX_HEADER_BYTES }),
    close: () => agent.destroy(),
  }
}

function parseUpstream(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : null
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new OperatorError(`--upstream must be a URL like https://api.resend.com, not \`${given}\`.`)
  if (url.username || url.password || url.search || url.hash)
    throw new OperatorError('--upstream must be a plain URL: the API key comes with each call of the application.')
  return url
}

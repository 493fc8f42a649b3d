import { type Config, isLoopback } from '../../platform/settings/config.ts'
import { Problem } from './problem.ts'

/** What this machine is called by itself and by its containers. */
const LOCAL = /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\]|host\.docker\.internal)$/i

const nameOf = (host: string) => host.replace(/:\d*$/, '')

/** Whether a `Host` header calls this machine what it calls itself. */
export const isLocalName = (host: string) => LOCAL.test(nameOf(host))

/**
 * On a laptop any web page can have its name point to 127.0.0.1 and then talk to us as if we were its own server (DNS rebinding).
 * Only the name that the browser sends tells the two apart. Where a public address is set, or other machines are listened to,
 * names are anybody's: tracked links come under those of customers.
 */
export function requireOwnHost(host: string | undefined, { HOST, PUBLIC_URL }: Config) {
  if (host === undefined || PUBLIC_URL !== undefined || !isLoopback(HOST)) return
  const name = nameOf(host)
  if (isLocalName(host) || name === HOST) return
  throw new Problem(
    'host_not_allowed',
    `\`${name}\` is not a name of this server. Set POSTWREN_PUBLIC_URL to its address.`,
  )
}

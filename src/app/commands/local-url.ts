import type { Config } from '../../platform/settings/config.ts'

/** Where nobody in particular is listened to, this machine is. By its address: a container may have no name for it. */
const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** Where a service of these settings answers, for whoever is on its machine. */
export function localUrl({ HOST, PORT }: Pick<Config, 'HOST' | 'PORT'>): string {
  const host = LOOPBACK[HOST] ?? HOST
  return `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`
}

import { isIP } from 'node:net'

/** Whom passkeys are for: browsers keep them by the name of a host, and say at which address they were used. */
export interface RelyingParty {
  readonly id: string
  readonly origin: string
}

/** Null: the installation is reached by an IP address, and there are no passkeys for those. */
export function relyingParty(publicUrl: string): RelyingParty | null {
  const { hostname, origin } = new URL(publicUrl)
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? { id: hostname, origin } : null
}

import type { Socket } from 'node:net'
import type { SourceAddresses } from '../../platform/settings/settings.ts'
import { isPublicAddress } from '../dns/public-address.ts'
import type { Host } from './destination.ts'
import { type Failure, isFailure } from './failure.ts'
import { reachHost } from './reach-host.ts'
import { TIMEOUTS } from './timeouts.ts'

/** Connects, encrypts where it can, logs in, and leaves: everything that comes before a mail, and no mail. */
export async function tryHost(
  host: Host,
  {
    heloName,
    sourceAddresses = {},
    timeoutMs,
  }: { heloName: string; sourceAddresses?: SourceAddresses; timeoutMs: number },
): Promise<Failure | { readonly kind: 'reached'; readonly isEncrypted: boolean }> {
  const sockets = new Set<Socket>()
  const wiring = {
    heloName,
    sourceAddresses,
    timeouts: { ...TIMEOUTS, connectMs: timeoutMs, greetingMs: timeoutMs, commandMs: timeoutMs },
    secureContext: undefined,
    sockets,
    isClosed: () => false,
    isPublic: isPublicAddress,
  }
  const session = await reachHost(host, wiring, { tlsDemandedBy: null })
  if (isFailure(session)) {
    for (const socket of sockets) socket.destroy()
    return session
  }
  const { isEncrypted } = session
  session.quit()
  return { kind: 'reached', isEncrypted }
}

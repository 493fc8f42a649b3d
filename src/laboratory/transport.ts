import type { Transport } from '../delivery/deliver.ts'
import { isSandbox } from '../platform/ids.ts'

const KEPT = { kind: 'delivered', reply: '250 2.0.0 kept in the sandbox', host: 'sandbox' } as const

/**
 * Stands in front of whatever delivers the mail of a process. Mail of a sandbox ends here, in every mode: the transport behind it
 * never hears of it, so nothing of a sandbox can leave.
 */
export function laboratoryTransport(inner: Transport): Transport {
  return {
    async send(outgoing, tell) {
      if (!isSandbox(outgoing.email.team)) return inner.send(outgoing, tell)
      tell(outgoing.recipients.map((recipient) => ({ recipient, verdict: KEPT })))
    },
    close: (graceMs) => inner.close(graceMs),
  }
}

import type { Host } from './destination.ts'
import { type Failure, failure, isFailure } from './failure.ts'
import { openSession, type Wiring } from './open-session.ts'
import type { ClientSession } from './session.ts'

/** A session with the host that is as safe as it must be, or why there is none. */
export async function reachHost(
  host: Host,
  wiring: Wiring,
  needs: { requireTls: boolean; usePipelining?: boolean },
): Promise<ClientSession | Failure> {
  // A password in the open, or for whoever answers, is only risked on our own network.
  const isSecretAtStake = host.auth !== undefined && wiring.isPublic(host.address)
  const mustBeTrusted = needs.requireTls || isSecretAtStake
  const mayBeOpen = !mustBeTrusted && !host.secure

  const { usePipelining = true } = needs
  let session = await openSession(host, wiring, { useTls: true, usePipelining })
  if (isFailure(session) && session.at === 'tls' && mayBeOpen)
    session = await openSession(host, wiring, { useTls: false, usePipelining })
  if (isFailure(session)) return session

  if (mustBeTrusted && !session.isTrusted) {
    session.quit()
    return failure(host, 'tls', { message: complaint(session, needs.requireTls) })
  }
  const refusal = host.auth ? await session.logIn(host.auth) : null
  if (!refusal) return session
  session.quit()
  return refusal
}

function complaint(session: ClientSession, isTlsRequired: boolean): string {
  const problem = session.isEncrypted ? 'it did not prove its name with a certificate' : 'it does not offer TLS'
  return `${problem}, and ${isTlsRequired ? 'this message demands TLS' : 'the password is not sent without it'}`
}

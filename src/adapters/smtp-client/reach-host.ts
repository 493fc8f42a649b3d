import type { Conversation } from './conversation.ts'
import type { Host, TlsResult, TlsSeen } from './destination.ts'
import { type Failure, failure, isFailure } from './failure.ts'
import { openSession, type Wiring } from './open-session.ts'
import type { ClientSession } from './session.ts'

export interface Needs {
  /** Who asks for a session that is encrypted, with a host that has proved its name. Null: nobody. */
  readonly tlsDemandedBy: string | null
  readonly usePipelining?: boolean
  readonly onTls?: ((seen: TlsSeen) => void) | undefined
  readonly conversation?: Conversation | undefined
}

/** A session with the host that is as safe as it must be, or why there is none. */
export async function reachHost(host: Host, wiring: Wiring, needs: Needs): Promise<ClientSession | Failure> {
  // A password in the open, or for whoever answers, is only risked on our own network.
  const isSecretAtStake = host.auth !== undefined && wiring.isPublic(host.address)
  const mustBeTrusted = needs.tlsDemandedBy !== null || isSecretAtStake
  const mayBeOpen = !mustBeTrusted && !host.secure

  const { usePipelining = true, conversation } = needs
  let session = await openSession(host, wiring, { useTls: true, usePipelining, conversation })
  if (needs.onTls) report(host, session, needs.onTls)
  if (isFailure(session) && session.at === 'tls' && mayBeOpen)
    session = await openSession(host, wiring, { useTls: false, usePipelining, conversation })
  if (isFailure(session)) return session

  if (mustBeTrusted && !session.isTrusted) {
    session.quit()
    const message = complaint(session, needs.tlsDemandedBy)
    conversation?.note(message)
    return failure(host, 'tls', { message })
  }
  const refusal = host.auth ? await session.logIn(host.auth, conversation) : null
  if (!refusal) return session
  session.quit()
  return refusal
}

function complaint(session: ClientSession, tlsDemandedBy: string | null): string {
  const problem = session.isEncrypted ? 'its certificate is not valid for its name' : 'it does not offer TLS'
  return `${problem}, and ${tlsDemandedBy === null ? 'the password is not sent without it' : `${tlsDemandedBy} demands TLS`}`
}

/** A host that was not even spoken with says nothing about TLS. */
function report({ host, address }: Host, session: ClientSession | Failure, tell: (seen: TlsSeen) => void) {
  if (isFailure(session)) {
    if (session.at !== 'tls') return
    const { reply: reason } = session
    return tell({ host, address, localAddress: null, result: 'validation-failure', isEncrypted: false, reason })
  }
  const { isEncrypted, localAddress, trustProblem } = session
  const result = !isEncrypted ? 'starttls-not-supported' : trustProblem === null ? 'success' : resultOf(trustProblem)
  tell({ host, address, localAddress, result, isEncrypted, ...(trustProblem !== null && { reason: trustProblem }) })
}

const RESULTS: Record<string, TlsResult> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate-host-mismatch',
  CERT_HAS_EXPIRED: 'certificate-expired',
}

const resultOf = (problem: string): TlsResult => RESULTS[problem] ?? 'certificate-not-trusted'

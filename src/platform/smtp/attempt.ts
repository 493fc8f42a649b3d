import type { Outcome, Untried } from '../../mail/outcome.ts'
import type { Destination } from './destination.ts'
import type { DestinationPool } from './destination-pool.ts'
import { type Failure, failure, isFailure } from './failure.ts'
import type { Mail } from './mail.ts'
import type { Wiring } from './open-session.ts'
import { deferred, isThrottling, judgeTranscript, refusalInAdvance } from './outcomes.ts'
import { reachHost } from './reach-host.ts'
import type { ClientSession } from './session.ts'
import type { Transcript } from './transaction.ts'

export interface Attempted {
  readonly outcomes: readonly (Outcome | Untried)[]
  /** What the pool learns: all well, leave the destination alone for a while, or nothing. */
  readonly lesson: 'well' | 'slow_down' | 'none'
}

/** It is somebody else's by now, or may be: for them it is as due as it was. */
export const WITHDRAWN: Untried = { kind: 'postponed', seconds: 0 }

/**
 * One mail, one destination: a session that is still open, or else the hosts in turn. It goes on to the next host only as long
 * as the message itself has not left: after that, trying elsewhere could deliver it twice.
 */
export async function attempt(
  pool: DestinationPool,
  { hosts }: Destination,
  mail: Mail,
  wiring: Wiring,
): Promise<Attempted> {
  // Others share the pool whose second and third hosts are not ours.
  const isOurs = ({ host }: ClientSession) =>
    hosts.some(({ address, port }) => address === host.address && port === host.port)
  const idle = pool.takeIdle((session) => isOurs(session) && (session.isTrusted || !mail.requireTls))
  if (idle) {
    const attempted = await transact(pool, idle, mail)
    // Servers end old sessions as they like, without a word or with a 421: that says nothing about a new one.
    if (!isFailure(attempted)) return attempted
  }

  const failures: Failure[] = []
  // Twenty hosts that swallow packets, thirty seconds each, would hold this mail for ten minutes.
  const lastStartMs = performance.now() + 2 * wiring.timeouts.connectMs
  for (const host of pool.inOrder(hosts)) {
    if (performance.now() > lastStartMs) break
    const session = await pool.open(() => reachHost(host, wiring, mail))
    const attempted = isFailure(session) ? session : await transact(pool, session, mail)
    if (!isFailure(attempted)) return attempted
    failures.push(attempted)
    if (attempted.at === 'login') break
    if (attempted.at !== 'tls') pool.avoid(host)
  }
  return giveUp(mail, failures)
}

async function transact(pool: DestinationPool, session: ClientSession, given: Mail): Promise<Attempted | Failure> {
  const mail = await fittingFor(session, given).catch((error) => {
    pool.putBack(session)
    throw error
  })
  const refusal = refusalInAdvance(session, mail)
  if (refusal) {
    pool.putBack(session)
    return { outcomes: mail.to.map(() => saidBy(session, refusal)), lesson: 'none' }
  }
  const transcript = await session.send(mail)
  const { refusals, end, isDataSent } = transcript
  const farewell = isDataSent ? undefined : farewellIn(transcript)
  if (farewell || end.kind === 'lost' || end.kind === 'withdrawn') session.destroy()
  pool.putBack(session)
  if (end.kind === 'withdrawn') return { outcomes: mail.to.map(() => WITHDRAWN), lesson: 'none' }
  if (farewell) return failure(session.host, 'transaction', { message: farewell, response: farewell })
  if (end.kind === 'lost' && !isDataSent) return failure(session.host, 'transaction', { message: end.reason })
  const judged = judgeTranscript(session.host, mail, { refusals, isDataSent, end })
  const outcomes = judged.map((outcome) => saidBy(session, outcome))
  const isThrottled = outcomes.some((outcome) => outcome.kind === 'deferred' && outcome.isThrottled)
  const lesson = isThrottled ? 'slow_down' : end.kind === 'lost' ? 'none' : 'well'
  return { outcomes, lesson }
}

/** What cannot be spelled in 7 bits stays as it is, and is refused in advance. */
async function fittingFor({ extensions }: ClientSession, mail: Mail): Promise<Mail> {
  return mail.inSevenBits && !extensions.has8BitMime ? { ...mail, message: await mail.inSevenBits() } : mail
}

const saidBy = ({ host: { host } }: ClientSession, outcome: Outcome): Outcome => ({ ...outcome, host })

/** 421 may come as the answer to any command, and means the same everywhere: not this host, not now. */
function farewellIn({ refusals, end }: Transcript): string | undefined {
  return [...refusals.values(), end.kind === 'refused' ? end.reply : ''].find((reply) => reply.startsWith('421'))
}

/**
 * No host took it. That is never the recipients' fault, not even when a host greets with a 5xx: such a greeting speaks of our
 * address. What a server said tells more than a connection that was not made.
 */
function giveUp(mail: Mail, failures: readonly Failure[]): Attempted {
  const told = failures.find((one) => one.serverReply !== null) ?? failures.at(-1)
  const isThrottled = failures.some((one) => one.serverReply !== null && isThrottling(one.serverReply))
  const outcome = {
    ...deferred(told?.reply ?? '451 4.4.4 There is no host to try', { isThrottled }),
    ...(told && { host: told.host }),
  }
  // Missing TLS stands in the way of this mail only. Everything else stands in the way of all mail to the destination.
  const isOfThisMail = failures.every((one) => one.at === 'tls')
  return { outcomes: mail.to.map(() => outcome), lesson: isOfThisMail ? 'none' : 'slow_down' }
}

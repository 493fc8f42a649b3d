import { classificationIn, type Outcome, type ReplyClassification, type Untried } from '../../mail/outcome.ts'
import type { ReplyClass } from '../../mail/reply-class.ts'
import type { Destination, Host } from './destination.ts'
import type { DestinationPool } from './destination-pool.ts'
import { type Failure, failure, isFailure } from './failure.ts'
import type { Mail } from './mail.ts'
import type { Wiring } from './open-session.ts'
import { deferred, isSourceRefused, judge, judgeTranscript, presentable, refusalInAdvance } from './outcomes.ts'
import { reachHost } from './reach-host.ts'
import { replyOf } from './reply-reader.ts'
import type { ClientSession } from './session.ts'
import type { Transcript } from './transaction.ts'

export interface Attempted {
  readonly outcomes: readonly (Outcome | Untried)[]
  /** What the pool learns: somebody has answered, or the destination cannot be talked to. */
  readonly lesson: 'answered' | 'unreachable'
}

/** What a host made of it. */
type Tried =
  | (Attempted & {
      readonly kind: 'tried'
      /** By a host that did not want the sender at the moment: another may. */
      readonly isElsewhereWorthATry: boolean
    })
  /** `pipelining`: how it ended makes one doubt that the host can do what it offers. */
  | (Failure & { readonly pipelining?: 'broken' | 'silent' })

/** It is somebody else's by now, or may be: for them it is as due as it was. */
export const WITHDRAWN: Untried = { kind: 'postponed', seconds: 0 }

const NO_MESSAGE = Buffer.alloc(0)

/**
 * One mail, one destination: a session that is still open, or else the hosts in turn. It goes on to the next host only as long
 * as the message itself has not left: after that, trying elsewhere could deliver it twice.
 */
export async function attempt(
  pool: DestinationPool,
  destination: Destination,
  mail: Mail,
  wiring: Wiring,
): Promise<Attempted> {
  const { hosts } = destination
  // Others share the pool whose second and third hosts are not ours.
  const mustBeTrusted = mail.requireTls || destination.tlsDemandedBy !== undefined
  const isOurs = ({ host, isTrusted }: ClientSession) =>
    hosts.some(
      (one) =>
        one.address === host.address &&
        one.port === host.port &&
        // What a host has proved is the name that it was asked for by.
        (!mustBeTrusted || (isTrusted && one.host.toLowerCase() === host.host.toLowerCase())),
    )
  const idle = pool.takeIdle(isOurs)
  let unwilling: { readonly tried: Attempted; readonly host: string } | null = null
  if (idle) {
    mail.onStep?.('session reused')
    mail.conversation?.note('session reused')
    const tried = await transact(pool, idle, mail)
    // Servers end old sessions as they like, without a word or with a 421: that says nothing about a new one.
    if (!isFailure(tried)) {
      if (!tried.isElsewhereWorthATry) return tried
      unwilling = { tried, host: idle.host.host }
    }
  }

  const failures: Failure[] = []
  // Twenty hosts that swallow packets, thirty seconds each, would hold this mail for ten minutes. The second gets its chance, however
  // long the first has taken.
  const lastStartMs = performance.now() + 2 * wiring.timeouts.connectMs
  for (const host of pool.inOrder(hosts)) {
    if (failures.length > 1 && performance.now() > lastStartMs) break
    // The other addresses of a machine say what it has said.
    if (unwilling?.host === host.host) continue
    const tried = await tryHost(pool, host, { mail, wiring, destination })
    if (!isFailure(tried)) {
      if (!tried.isElsewhereWorthATry) return tried
      if (unwilling) break
      unwilling = { tried, host: host.host }
      continue
    }
    failures.push(tried)
    if (tried.at === 'login') break
    if (tried.at !== 'tls') pool.avoid(host)
  }
  return unwilling?.tried ?? giveUp(mail, failures, destination)
}

/** A mail, and its way. */
interface Trip {
  readonly mail: Mail
  readonly wiring: Wiring
  readonly destination: Destination
}

/** A host that offers PIPELINING and gets out of step is asked again, one thing at a time. If that helps it stays so for a while. */
async function tryHost(pool: DestinationPool, host: Host, trip: Trip): Promise<Tried> {
  const usePipelining = pool.mayPipeline(host)
  const tried = await tryOnce(pool, host, { ...trip, usePipelining })
  if (!isFailure(tried) || tried.pipelining === undefined) return tried
  if (tried.pipelining === 'silent') {
    pool.avoidPipelining(host)
    return tried
  }
  const again = await tryOnce(pool, host, { ...trip, usePipelining: false })
  if (!isFailure(again)) pool.avoidPipelining(host)
  return again
}

async function tryOnce(
  pool: DestinationPool,
  host: Host,
  { mail, wiring, destination, usePipelining }: Trip & { usePipelining: boolean },
): Promise<Tried> {
  const { tlsDemandedBy = mail.requireTls ? 'this message' : null, onTls } = destination
  mail.onStep?.('connecting')
  const session = await pool.open(() =>
    reachHost(host, wiring, { tlsDemandedBy, usePipelining, onTls, conversation: mail.conversation }),
  )
  if (isFailure(session)) return session
  mail.onStep?.('session open')
  return transact(pool, session, mail)
}

async function transact(pool: DestinationPool, session: ClientSession, given: Mail): Promise<Tried> {
  if (given.conversation) {
    given.conversation.peer = session.peer
    given.conversation.connectedMs = performance.now()
  }
  const mail = given.inSevenBits && !session.extensions.has8BitMime ? await inSevenBits(pool, session, given) : given
  const refusal = refusalInAdvance(session, mail)
  if (refusal) {
    pool.putBack(session)
    return tried({ outcomes: mail.to.map(() => saidBy(session, refusal)), lesson: 'answered' })
  }
  const input = {
    ...mail,
    onSent: () => {
      for (const one of [given, mail, input]) one.message = NO_MESSAGE
      given.onStep?.('message sent')
      given.onSent()
    },
  }
  const transcript = await session.send(input, given.conversation)
  const { refusals, end, isDataSent, isSenderRefused } = transcript
  const farewell = isDataSent ? undefined : farewellIn(transcript)
  const isOutOfStep = session.extensions.hasPipelining && isConfused(transcript)
  if (farewell || isOutOfStep || end.kind === 'lost' || end.kind === 'withdrawn') session.destroy()
  pool.putBack(session)
  if (end.kind === 'withdrawn') return tried({ outcomes: mail.to.map(() => WITHDRAWN), lesson: 'answered' })
  if (farewell) return failure(session.host, 'transaction', { message: farewell, response: farewell })
  if (end.kind === 'lost' && !isDataSent)
    return {
      ...failure(session.host, 'transaction', { message: end.reason }),
      ...(session.extensions.hasPipelining && { pipelining: end.isLate ? 'silent' : 'broken' }),
    }
  if (isOutOfStep)
    return { ...failure(session.host, 'transaction', { message: 'the replies are out of step' }), pipelining: 'broken' }
  const judged = judgeTranscript(session.host, mail, { refusals, isDataSent, isSenderRefused, end })
  const outcomes = judged.map((outcome) => saidBy(session, outcome))
  const isThrottled = outcomes.some((outcome) => outcome.kind === 'deferred' && outcome.isThrottled)
  // Who is asked to come back later, and not to bring less, may ask the next host.
  const isElsewhereWorthATry = isSenderRefused && !isThrottled && outcomes.every(({ kind }) => kind === 'deferred')
  const lesson = 'answered'
  return tried({ outcomes, lesson }, { isElsewhereWorthATry: isElsewhereWorthATry && !outcomes.some(isSourceRefused) })
}

const tried = (attempted: Attempted, { isElsewhereWorthATry = false } = {}): Tried => ({
  kind: 'tried',
  ...attempted,
  isElsewhereWorthATry,
})

/** What cannot be spelled in 7 bits stays as it is, and is refused in advance. */
async function inSevenBits(pool: DestinationPool, session: ClientSession, mail: Mail): Promise<Mail> {
  try {
    return { ...mail, message: await mail.inSevenBits!() }
  } catch (error) {
    pool.putBack(session)
    throw error
  }
}

const saidBy = ({ host: { host } }: ClientSession, outcome: Outcome): Outcome => ({ ...outcome, host })

/** 421 may come as the answer to any command, and means the same everywhere: not this host, not now. */
function farewellIn(transcript: Transcript): string | undefined {
  return repliesIn(transcript).find((reply) => replyOf(reply).code === 421)
}

/** How servers answer commands that come together, if they cannot read more than one at a time. */
function isConfused(transcript: Transcript): boolean {
  if (transcript.isDataSent) return false
  return repliesIn(transcript).some(
    (reply) => replyOf(reply).code === 503 || /^5.*(?:pipelin|synchroni[sz])/i.test(reply),
  )
}

const repliesIn = ({ refusals, end }: Transcript): string[] => [
  ...refusals.values(),
  ...(end.kind === 'refused' ? [end.reply] : []),
]

/** What a host was answering when it failed. In a transaction any command may be the last. */
const PHASES = { connect: 'connect', greeting: 'connect', tls: 'helo', login: 'helo', transaction: null } as const

const unheard = (name: string, replyClass: ReplyClass): ReplyClassification => ({
  class: replyClass,
  rule: `client/${name}`,
  about: 'site',
  means: 'trouble',
})

/** Of a host that said nothing. */
const UNHEARD: Readonly<Record<Failure['at'], ReplyClassification>> = {
  connect: unheard('connect', 'no_answer_from_host'),
  greeting: unheard('greeting', 'no_answer_from_host'),
  tls: unheard('tls', 'bad_connection'),
  login: unheard('login', 'bad_connection'),
  transaction: unheard('transaction', 'bad_connection'),
}

/**
 * No host took it. That is never the recipients' fault, not even when a host greets with a 5xx: such a greeting speaks of our
 * address. What a server said tells more than a connection that was not made.
 */
function giveUp(
  mail: Mail,
  failures: readonly Failure[],
  { problem = '451 4.4.4 No host to try', tlsDemandedBy }: Destination,
): Attempted {
  const failure = failures.find((one) => one.serverReply !== null) ?? failures.at(-1)
  const serverReply = failure?.serverReply ?? null
  const heard = failures.flatMap((one) =>
    one.serverReply === null ? [] : [judge(one.serverReply, { phase: PHASES[one.at], provider: mail.provider })],
  )
  const isThrottled = heard.some((one) => one.kind === 'deferred' && one.isThrottled)
  const isUnreachable = failures.every(({ at }) => at === 'connect' || at === 'greeting' || at === 'login')
  const isLogin = failures.some(({ at }) => at === 'login')
  // Missing TLS stands in the way of this mail only. Everything else stands in the way of all mail to the destination.
  const isOfThisMail = failures.length > 0 && failures.every((one) => one.at === 'tls')
  // Nobody has asked for it in particular: a password is at stake, or the host speaks nothing else.
  const isTlsForAll = !mail.requireTls && tlsDemandedBy === undefined && failures.some(({ at }) => at === 'tls')
  const [first] = heard
  const outcome: Outcome = {
    ...deferred(failure?.reply ?? problem, { isThrottled }),
    ...(failure && { host: failure.host }),
    ...(serverReply !== null && { serverReply: presentable(serverReply) }),
    ...(first ? classificationIn(first) : failure && UNHEARD[failure.at]),
    ...(isOfThisMail && { about: 'message' }),
    ...(first?.pauseSeconds !== undefined && { retryAfterSeconds: first.pauseSeconds }),
    ...(isTlsForAll && { unreachable: 'tls' as const }),
    ...(isUnreachable && { unreachable: isLogin ? ('login' as const) : ('connection' as const) }),
    ...(first && isSourceRefused(first) && { sourceRefusedFor: 'destination' }),
  }
  // So does a sending domain that is not set up; without a PTR record of ours nothing is accepted.
  const isToFix = first?.means === 'fix' && (first.about === 'spf_domain' || first.about === 'dkim_domain')
  return {
    outcomes: mail.to.map(() => outcome),
    lesson: isOfThisMail || isToFix || isThrottled ? 'answered' : 'unreachable',
  }
}

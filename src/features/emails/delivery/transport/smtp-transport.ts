import type { Destination, Envelope } from '../../../../adapters/smtp-client/destination.ts'
import type { SendStep } from '../../../../adapters/smtp-client/mail.ts'
import { domainOf, needsSmtpUtf8, wireAddress } from '../../../../mail/address.ts'
import { hasUtf8Headers } from '../../../../mail/mime.ts'
import type { Outcome, Untried } from '../../../../mail/outcome.ts'
import { returnPath } from '../../../../mail/return-path.ts'
import { TooLong } from '../../../../mail/templates.ts'
import type { MaybePromise } from '../../../../platform/concurrency/maybe-promise.ts'
import { levelOf } from '../../../../platform/database-errors.ts'
import { groupBy } from '../../../../platform/group-by.ts'
import type { Log } from '../../../../platform/observability/log.ts'
import { tracing } from '../../../../platform/observability/tracing.ts'
import { copySlices } from '../copy-slices.ts'
import type { Answer, Outgoing, Transport } from '../deliver.ts'
import type { LoadedEmail } from '../ledger/load.ts'
import { type BuildParts, buildMessage, isPersonal, isTracked, type Signature } from '../message/build.ts'
import { isEightBit } from '../message/build-submitted.ts'
import type { Content } from '../message/contents.ts'
import { ANSWER_BYTES, type MailMemory, MESSAGE_COPIES, weightOf } from '../message/weight.ts'
import { beginConversation, endConversation } from '../outcomes/attempt-trace.ts'
import { untried } from '../outcomes/verdict.ts'
import { DestinationOutages } from './destination-outages.ts'
import type { DestinationPauses } from './destination-pauses.ts'
import type { DestinationQueues } from './destination-queues.ts'
import type { Fence } from './fence.ts'

/** In whose name mail goes out. */
export interface SenderIdentity extends Signature {
  /** Where bounces come back to. */
  readonly returnPathDomain: string
  readonly requireTls: boolean
}

/** Where mail for a domain goes, or what every recipient there gets instead. */
export type Route =
  | { readonly kind: 'found'; readonly destination: Destination }
  | { readonly kind: 'none'; readonly outcome: Outcome }

export interface Router {
  routeFor(domain: string): MaybePromise<Route>
  /** Set: mail to all domains goes the same way, so recipients of several can share a conversation. */
  readonly isOneWay?: boolean
}

export interface Sender {
  send(
    destination: Destination,
    envelope: Envelope,
    message: Buffer,
    limits: {
      startBefore: Date
      isLowPriority: boolean
      fence: Fence
      /** The message has left, and is not needed any more. */
      onSent?: () => void
      /** The answer takes long: nobody else should wait for it. */
      onSlow?: () => void
      /** See `SendLimits`. */
      onStep?: (step: SendStep) => void
    },
  ): Promise<readonly (Outcome | Untried)[]>
  /** When a destination takes mail again that has asked us to wait. */
  pausedUntil(destination: string): Date | null
  close(graceMs: number): Promise<void>
}

export interface SmtpTransportParts extends BuildParts {
  readonly log: Log
  readonly sender: Sender
  readonly router: Router
  readonly returnPathSecret: Buffer
  /** That return paths say. */
  readonly cell?: string | undefined
  /** What of mail is in memory at a time. */
  readonly memory: MailMemory
  readonly queues: DestinationQueues
  /** Who refuses our address. Null: nobody keeps that. */
  readonly pauses: Pick<DestinationPauses, 'find' | 'refused' | 'taken'> | null
  loadContent(email: LoadedEmail): MaybePromise<Content>
  /** Null: the domain is not there any more. */
  identityOf(email: LoadedEmail): MaybePromise<SenderIdentity | null>
}

type Verdict = Answer['verdict']

/** When large mail comes back for which there is no room at all. */
const CROWDED_SECONDS = 30
/** A recipient that could not even be started on by then is left to a later claim: others may have room. */
const START_WITHIN_MS = 120_000

/** Hands mail to other servers: through a relay, or straight to where the recipients' domains want it. */
export function smtpTransport(parts: SmtpTransportParts): Transport {
  const outages = new DestinationOutages({ ...parts, isOneWay: parts.router.isOneWay === true })

  async function send(outgoing: Outgoing, tell: (answers: readonly Answer[]) => void) {
    const { email, recipients } = outgoing
    const found = parts.identityOf(email)
    const identity = found instanceof Promise ? await found : found
    if (!identity) {
      const verdict = { kind: 'failed', reason: 'The sender domain is no longer verified.' } as const
      return tell(recipients.map((recipient) => ({ recipient, verdict })))
    }
    if (parts.router.isOneWay || recipients.length === 1) return await sendOneWay(outgoing, identity, tell)
    const ways = [...groupBy(recipients, (recipient) => domainOf(recipient)).values()]
    // Each for itself: a domain that nobody finds, or a server that hangs, keeps no other recipient waiting.
    await Promise.all(ways.map((members) => sendOneWay({ ...outgoing, recipients: members }, identity, tell)))
  }

  async function sendOneWay(outgoing: Outgoing, identity: SenderIdentity, tell: (answers: readonly Answer[]) => void) {
    const { email } = outgoing
    const held = outgoing.recipients.flatMap((recipient) => {
      const verdict = outages.aheadOf(recipient)
      return verdict ? [{ recipient, verdict }] : []
    })
    if (held.length > 0) tell(held)
    const isOpen = (one: string) => !held.some(({ recipient }) => recipient === one)
    const recipients = held.length > 0 ? outgoing.recipients.filter(isOpen) : outgoing.recipients
    if (recipients.length === 0) return
    const tellAll = (members: readonly string[], verdictOf: (index: number) => Verdict) =>
      tell(members.map((recipient, index) => ({ recipient, verdict: verdictOf(index) })))

    const found = parts.router.routeFor(domainOf(recipients[0]!))
    const route = found instanceof Promise ? await found : found
    outgoing.span?.event('route found')
    if (route.kind === 'none') return tellAll(recipients, () => route.outcome)
    const sendTo = async (members: readonly string[]) => {
      try {
        const own = members === outgoing.recipients ? outgoing : { ...outgoing, recipients: members }
        const verdicts = await sendInQueue(own, identity, route.destination)
        tellAll(members, (index) => verdicts[index]!)
      } catch (error) {
        const verdict = verdictOn(error, { email, destination: route.destination })
        tellAll(members, () => verdict)
      }
    }
    if (recipients.length === 1) return await sendTo(recipients)
    const conversations = groupBy(recipients, (recipient) =>
      // What needs an extension that the server may not have is no reason to refuse the others.
      isPersonal(email, recipient, identity) ? recipient : String(needsSmtpUtf8(recipient)),
    )
    await Promise.all([...conversations.values()].map(sendTo))
  }

  function verdictOn(
    error: unknown,
    { email, destination }: { email: LoadedEmail; destination: Destination },
  ): Verdict {
    if (error instanceof TooLong)
      return { kind: 'failed', reason: `The email is too large with the values of this recipient. ${error.message}` }
    parts.log[levelOf(error, 'error')](
      { error, email: email.id, destination: destination.name },
      'delivery: sending an email failed',
    )
    return untried(error)
  }

  function sendInQueue(
    outgoing: Outgoing,
    identity: SenderIdentity,
    destination: Destination,
  ): MaybePromise<readonly Verdict[]> {
    const { email, recipients } = outgoing
    const isLowPriority = email.broadcast !== null
    const priority = isLowPriority ? 1 : 0
    const obstacle = outages.at({ destination, priority })
    if (obstacle) return recipients.map(() => obstacle)
    const weight = weightOf(email, { isTracked: isTracked(email, recipients[0]!, identity) })
    if (parts.memory.isCrowded(weight)) return recipients.map(() => ({ kind: 'postponed', seconds: CROWDED_SECONDS }))
    let releaseSlot = () => {}
    const talk = (resize: (bytes: number) => void) =>
      converse(outgoing, identity, destination, { resize, onSlow: () => releaseSlot() })
    // One queue for everything there is would hold up the quick for the slow all the same.
    if (parts.router.isOneWay) return parts.memory.run(weight, talk, { isLowPriority })

    const isFetched = recipients.every((recipient) => outgoing.isFetched(recipient))
    const slot = parts.queues.reserve({ destination: destination.name, priority }, { isFetched })
    if (slot.kind === 'parked') return recipients.map(() => slot)
    releaseSlot = slot.release
    const sending = slot.memory.run(weight, (resizeShare) => {
      const talkInShare = (resize: (bytes: number) => void) =>
        talk((bytes) => {
          resize(bytes)
          resizeShare(bytes)
        })
      return parts.memory.run(weight, talkInShare, { isLowPriority })
    })
    return sending.finally(slot.release)
  }

  async function converse(
    { email, recipients, fence, span: attempt }: Outgoing,
    identity: SenderIdentity,
    destination: Destination,
    { resize, onSlow }: { resize: (bytes: number) => void; onSlow: () => void },
  ): Promise<readonly Verdict[]> {
    const loaded = parts.loadContent(email)
    const content = loaded instanceof Promise ? await loaded : loaded
    const isLowPriority = email.broadcast !== null
    // Many may have waited for the same content, or for the same memory.
    if (isLowPriority) await copySlices.enter()
    const needs8Bit = isEightBit(content)
    const build = { recipient: recipients[0]!, signature: identity }
    const message = await buildMessage(email, { ...build, content }, parts)
    resize(message.length * MESSAGE_COPIES)
    const inSevenBits = async () =>
      buildMessage(email, { ...build, content: await parts.loadContent(email), isSevenBit: true }, parts)
    const envelope: Envelope = {
      from: returnPath(
        { emailId: email.id, domain: identity.returnPathDomain, cell: parts.cell },
        parts.returnPathSecret,
      ),
      to: recipients.map(wireAddress),
      requireTls: identity.requireTls,
      needsUtf8: recipients.some(needsSmtpUtf8) || hasUtf8Headers(message),
      ...(needs8Bit && { inSevenBits }),
    }
    const startedAt = parts.clock.now()
    const span = attempt && tracing ? beginConversation(tracing, attempt, { destination, recipients }) : null
    const answered = parts.sender.send(destination, envelope, message, {
      startBefore: new Date(startedAt.getTime() + START_WITHIN_MS),
      isLowPriority,
      fence,
      onSent: () => resize(ANSWER_BYTES),
      onSlow,
      ...(span && { onStep: (step: SendStep) => span.event(step) }),
    })
    // Without waiting here: what this function holds, the message, is not kept for an answer that may take ten minutes.
    const way = { destination, priority: isLowPriority ? 1 : 0, startedAt }
    return answered.then((outcomes) => {
      if (span) endConversation(span, outcomes)
      return outages.after(recipients, outcomes, way)
    })
  }

  return { send, close: (graceMs) => parts.sender.close(graceMs) }
}

import type { Destination, Envelope } from '../../../../adapters/smtp-client/destination.ts'
import type { SendStep } from '../../../../adapters/smtp-client/mail.ts'
import { domainOf, needsSmtpUtf8, parseMailbox, toAsciiDomain, wireAddress } from '../../../../mail/address.ts'
import { hasUtf8Headers } from '../../../../mail/mime.ts'
import type { Outcome, Untried } from '../../../../mail/outcome.ts'
import { complaintAddress, returnPath } from '../../../../mail/return-path.ts'
import { TooLong } from '../../../../mail/templates.ts'
import type { MaybePromise } from '../../../../platform/concurrency/maybe-promise.ts'
import { levelOf } from '../../../../platform/database-errors.ts'
import { groupBy } from '../../../../platform/group-by.ts'
import type { Log } from '../../../../platform/observability/log.ts'
import { tracing } from '../../../../platform/observability/tracing.ts'
import { copySlices } from '../copy-slices.ts'
import type { Answer, Outgoing, Transport } from '../deliver.ts'
import type { LoadedEmail } from '../ledger/load.ts'
import { type BuildParts, buildMessage as buildSigned, isTracked } from '../message/build.ts'
import { isEightBit } from '../message/build-submitted.ts'
import type { Content } from '../message/contents.ts'
import { ANSWER_BYTES, type MailMemory, MESSAGE_COPIES, weightOf } from '../message/weight.ts'
import { type AttemptFacts, newFacts } from '../outcomes/attempt-facts.ts'
import { beginConversation, endConversation } from '../outcomes/attempt-trace.ts'
import { untried } from '../outcomes/verdict.ts'
import { destinationNameOf, type MailIdentities, type MailTarget, type SourceIdentity } from '../pace/identity.ts'
import type { Pace } from '../pace/pace.ts'
import type { Pauses } from '../pace/pauses.ts'
import { urlDomainsOf } from '../pace/url-domains.ts'
import {
  type ChosenSource,
  chooseSource,
  NO_SOURCE,
  type SourceOption,
  sourceOptions,
} from '../sources/choose-source.ts'
import type { Sources } from '../sources/sources.ts'
import { without, withoutHeldAt } from './aside.ts'
import { DestinationOutages, queuedRecipientOf } from './destination-outages.ts'
import type { DestinationQueues } from './destination-queues.ts'
import type { DestinationResolver } from './destination-resolvers.ts'
import type { DestinationStops } from './destination-stops.ts'
import type { Sender, SenderIdentity } from './sender.ts'

export interface SmtpTransportParts extends BuildParts {
  readonly log: Log
  readonly sender: Sender
  readonly router: DestinationResolver
  readonly returnPathSecret: Buffer
  /** That return paths say. */
  readonly cell?: string | undefined
  /** What of mail is in memory at a time. */
  readonly memory: MailMemory
  readonly queues: DestinationQueues
  /** Which mail waits for what it carries. Null: nobody keeps that. */
  readonly pauses: Pauses | null
  /** Destinations that take nothing. Null: nobody keeps that. */
  readonly stops: DestinationStops | null
  /** How fast mail may go. Null: as fast as it can. */
  readonly pace: Pace | null
  /** The name of the route that this is. */
  readonly route: string
  /** Where mail leaves from, unless there are several. */
  readonly source: SourceIdentity
  /** Called for each answer. Nothing depends on it. */
  onAnswer?(destination: Destination, outcome: Outcome | Untried, sentAt: Date): void
  /** Where mail can leave from. Null: from one address alone. */
  readonly sources: Sources | null
  loadContent(email: LoadedEmail): MaybePromise<Content>
  /** What is handed to the sender, where that is no MIME message. */
  readonly build?: typeof buildSigned
  /** Null: the domain is not there any more. */
  identityOf(email: LoadedEmail): MaybePromise<SenderIdentity | null>
}

type Verdict = Answer['verdict']
type Tell = (answers: readonly Answer[]) => void

/** The sender would rather have it arrive than encrypted (RFC 8689): a report that TLS fails must not fail with it. */
const isWithoutTls = ({ headers }: LoadedEmail) =>
  headers?.some(({ name, value }) => /^tls-required$/i.test(name) && /^\s*no\s*$/i.test(value)) === true

/** The domain that it is signed for, else that of its sender. */
const senderDomainOf = ({ from }: LoadedEmail, { signers }: SenderIdentity) =>
  signers[0]?.domain ?? toAsciiDomain(domainOf(parseMailbox(from)?.address ?? from))

interface TalkLimits {
  resize(bytes: number): void
  onSlow(): void
  readonly facts: AttemptFacts
}

/** When large mail comes back for which there is no room at all. */
const CROWDED_SECONDS = 30
/** A recipient that could not even be started on by then is left to a later claim: others may have room. */
const START_WITHIN_MS = 120_000

/** Hands mail to other servers: through a relay, or straight to where the recipients' domains want it. */
export function smtpTransport(parts: SmtpTransportParts): Transport {
  const { build: buildMessage = buildSigned } = parts
  const outages = new DestinationOutages({ ...parts, hasOneServer: parts.router.hasOneServer === true })

  function send(outgoing: Outgoing, tell: Tell): Promise<void> {
    const found = parts.identityOf(outgoing.email)
    return found instanceof Promise
      ? found.then((identity) => sendAs(identity, outgoing, tell))
      : sendAs(found, outgoing, tell)
  }

  function sendAs(identity: SenderIdentity | null, outgoing: Outgoing, tell: Tell): Promise<void> {
    const { recipients } = outgoing
    if (!identity) return failAll(outgoing, tell)
    if (parts.router.hasOneServer || recipients.length === 1) return sendToOneServer(outgoing, identity, tell)
    return sendEachWay(outgoing, identity, tell)
  }

  async function failAll({ recipients }: Outgoing, tell: Tell) {
    const verdict = { kind: 'failed', reason: 'The sender domain is no longer verified.' } as const
    tell(recipients.map((recipient) => ({ recipient, verdict })))
  }

  async function sendEachWay(outgoing: Outgoing, identity: SenderIdentity, tell: Tell) {
    const { recipients } = outgoing
    const ways = [...groupBy(recipients, (recipient) => domainOf(recipient)).values()]
    // Each for itself: a domain that nobody finds, or a server that hangs, keeps no other recipient waiting.
    await Promise.all(ways.map((members) => sendToOneServer({ ...outgoing, recipients: members }, identity, tell)))
  }

  async function sendToOneServer(outgoing: Outgoing, identity: SenderIdentity, tell: Tell) {
    const { email } = outgoing
    const identities = identitiesOf(email, identity)
    const waiting = outages.heldBefore(outgoing, identities)
    if (waiting.length > 0) tell(waiting)
    const open = without(outgoing.recipients, waiting)
    if (open.length === 0) return
    const found = parts.router.resolve(domainOf(open[0]!), { ignoresPolicies: isWithoutTls(email) })
    const route = found instanceof Promise ? await found : found
    outgoing.span?.event('route found')
    const begin = (destination: Destination | null) =>
      newFacts({
        route: parts.route,
        startedAt: parts.clock.now(),
        identities,
        dkimDomains: identity.signers.map(({ domain }) => domain),
        destination,
      })
    if (route.kind === 'none') {
      const facts = begin(null)
      return tell(open.map((recipient) => ({ recipient, verdict: route.outcome, facts })))
    }
    const domain = parts.router.hasOneServer ? null : domainOf(open[0]!)
    const destination = parts.pace?.destinationFor(route.destination, domain) ?? route.destination
    const name = destinationNameOf(destination)
    const recipients = withoutHeldAt(name, { outgoing, recipients: open }, tell)
    if (recipients.length === 0) return
    const way: MailTarget = { destination, domain, identities }
    for (const recipient of recipients) {
      const { parkedFor } = outgoing.rowOf(recipient)
      if (parkedFor !== null) outages.movedFrom(parkedFor, way)
    }
    const tellAll = (members: readonly string[], facts: AttemptFacts, verdictOf: (index: number) => Verdict) =>
      tell(members.map((recipient, index) => ({ recipient, verdict: verdictOf(index), destination: name, facts })))
    const sendTo = async (members: readonly string[]) => {
      const facts = begin(destination)
      try {
        const own = members === outgoing.recipients ? outgoing : { ...outgoing, recipients: members }
        const verdicts = await (parts.sources
          ? sendFromSource(own, identity, { way: { ...way, destination: route.destination }, facts })
          : sendInQueue(own, identity, { ways: [way], facts }))
        tellAll(members, facts, (index) => verdicts[index]!)
      } catch (error) {
        const verdict = verdictOn(error, { email, destination })
        tellAll(members, facts, () => verdict)
      }
    }
    if (recipients.length === 1) return await sendTo(recipients)
    // Each in a conversation of their own: what comes back names the return path, and that names one recipient. Reports say less and less
    // about whom they are. It costs the bytes of a second copy, and most emails have one recipient.
    await Promise.all(recipients.map((recipient) => sendTo([recipient])))
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

  function identitiesOf(email: LoadedEmail, { returnPathDomain, signers }: SenderIdentity): MailIdentities {
    const { source, netblock } = parts.source
    return {
      source,
      netblock,
      spf_domain: returnPathDomain,
      dkim_domain: signers[0]?.domain ?? null,
      tenant: email.team,
    }
  }

  /** By each of the sources that it could leave from, the best first. Which of them it is depends on what the destination says about each. */
  function sendFromSource(
    outgoing: Outgoing,
    identity: SenderIdentity,
    { way, facts }: { way: MailTarget; facts: AttemptFacts },
  ): MaybePromise<readonly Verdict[]> {
    const { email, recipients } = outgoing
    const row = outgoing.rowOf(recipients[0]!)
    const mail = { email, domain: senderDomainOf(email, identity), ...row }
    const ways = sourceOptions(parts.sources!, way, { mail, pace: parts.pace })
    return ways.length === 0 ? recipients.map(() => NO_SOURCE) : sendInQueue(outgoing, identity, { ways, facts })
  }

  function admitAny(
    outgoing: Outgoing,
    identity: SenderIdentity,
    { ways, priority, isFetched }: { ways: readonly MailTarget[]; priority: number; isFetched: boolean },
  ): MaybePromise<ChosenSource<MailTarget> | Verdict> {
    const { email, recipients } = outgoing
    const [way] = ways
    if (!parts.sources) return outages.admit(way!, priority) ?? { way: way!, ticket: null }
    return chooseSource({ ...parts.sources, clock: parts.clock }, ways as readonly SourceOption[], {
      at: (one) =>
        outages.aheadOf(queuedRecipientOf(outgoing, recipients[0]!), one.identities) ??
        outages.at(one, { priority, isFetched }),
      keepFor: (obstacle) => outages.keepFor(obstacle),
      admit: (one) => outages.admit(one, priority),
      domain: senderDomainOf(email, identity),
      priority,
    })
  }

  function sendInQueue(
    outgoing: Outgoing,
    identity: SenderIdentity,
    { ways, facts }: { ways: readonly MailTarget[]; facts: AttemptFacts },
  ): MaybePromise<readonly Verdict[]> {
    const { email, recipients } = outgoing
    const { destination } = ways[0]!
    const isLowPriority = email.broadcast !== null
    const priority = isLowPriority ? 1 : 0
    const isFetched = recipients.every((recipient) => outgoing.isFetched(recipient))
    const obstacle = parts.sources ? null : outages.at(ways[0]!, { priority, isFetched })
    if (obstacle) return recipients.map(() => outages.keepFor(obstacle))
    const weight = weightOf(email, { isTracked: isTracked(email, recipients[0]!, identity) })
    if (parts.memory.isCrowded(weight)) return recipients.map(() => ({ kind: 'postponed', seconds: CROWDED_SECONDS }))
    let releaseSlot = () => {}
    const talkOn =
      ({ way, ticket }: ChosenSource<MailTarget>) =>
      (resize: (bytes: number) => void) => {
        const answered = converse(outgoing, identity, { way, ticket, resize, onSlow: () => releaseSlot(), facts })
        // What is not sent after all is not counted.
        return ticket ? answered.finally(() => ticket.cancel()) : answered
      }
    // One queue for everything there is would hold up the quick for the slow all the same.
    const slot = parts.router.hasOneServer
      ? null
      : parts.queues.reserve({ destination: destination.name, priority }, { isFetched })
    if (slot?.kind === 'parked') return recipients.map(() => slot)
    const go = (chosen: ChosenSource<MailTarget> | Verdict): MaybePromise<readonly Verdict[]> => {
      if ('kind' in chosen) {
        slot?.release()
        return recipients.map(() => chosen)
      }
      const talk = talkOn(chosen)
      if (!slot) return parts.memory.run(weight, talk, { isLowPriority })
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
    const admitted = admitAny(outgoing, identity, { ways, priority, isFetched })
    if (!(admitted instanceof Promise)) return go(admitted)
    return admitted.then(go, (error) => {
      slot?.release()
      throw error
    })
  }

  async function converse(
    { email, recipients, rowOf, fence, span: attempt }: Outgoing,
    identity: SenderIdentity,
    { way, ticket, resize, onSlow, facts }: TalkLimits & ChosenSource<MailTarget>,
  ): Promise<readonly Verdict[]> {
    const loaded = parts.loadContent(email)
    const content = loaded instanceof Promise ? await loaded : loaded
    const isLowPriority = email.broadcast !== null
    const { destination } = way
    facts.identities = way.identities
    if (parts.pauses?.areAboutLinks(way)) {
      facts.urlDomains = urlDomainsOf(content)
      const held = outages.forLinks(way, facts.urlDomains)
      if (held) return recipients.map(() => held)
    }
    // Many may have waited for the same content, or for the same memory.
    if (isLowPriority) await copySlices.enter()
    const needs8Bit = isEightBit(content)
    const recipient = recipients[0]!
    const { position } = rowOf(recipient)
    const reported = { emailId: email.id, position, domain: identity.returnPathDomain, cell: parts.cell }
    const complaints = complaintAddress(reported, parts.returnPathSecret)
    const build = { content, recipient, signature: identity, complaintAddress: complaints }
    const message = await buildMessage(email, build, parts)
    resize(message.length * MESSAGE_COPIES)
    const inSevenBits = async () => {
      const again = await parts.loadContent(email)
      return buildMessage(email, { ...build, content: again, isSevenBit: true }, parts)
    }
    const envelope: Envelope = {
      from: returnPath(reported, parts.returnPathSecret),
      id: `${email.id}/${position}`,
      to: recipients.map(wireAddress),
      requireTls: identity.requireTls || destination.requireTls === true,
      needsUtf8: recipients.some(needsSmtpUtf8) || hasUtf8Headers(message),
      inSevenBits: needs8Bit ? inSevenBits : undefined,
    }
    if (envelope.requireTls) facts.tlsPolicy = 'required'
    const startedAt = parts.clock.now()
    const pace = outages.paceOf(way, { recipient, attempt: rowOf(recipient).attempts })
    const span = attempt && tracing ? beginConversation(tracing, attempt, { destination, recipients }) : null
    const answered = parts.sender.send(destination, envelope, message, {
      startBefore: new Date(startedAt.getTime() + START_WITHIN_MS),
      isLowPriority,
      fence,
      pace,
      onSent: () => resize(ANSWER_BYTES),
      onSlow,
      conversation: facts.conversation,
      onStep: span ? (step: SendStep) => span.event(step) : undefined,
    })
    // Without waiting here: what this function holds, the message, is not kept for an answer that may take ten minutes.
    const findLinks = async () => {
      facts.urlDomains ??= await linksOf(email)
      return facts.urlDomains
    }
    const attempted = { way, priority: isLowPriority ? 1 : 0, startedAt, linksOf: findLinks }
    return answered.then((outcomes) => {
      facts.endedMs = performance.now()
      if (span) endConversation(span, outcomes)
      for (const outcome of outcomes) parts.onAnswer?.(destination, outcome, email.sentAt)
      ticket?.heard(outcomes)
      return outages.after(recipients, outcomes, attempted)
    })
  }

  /** Of a mail that has left: its content is not kept for an answer that seldom asks for it. */
  const linksOf = async (email: LoadedEmail) => urlDomainsOf(await parts.loadContent(email))

  async function close(graceMs: number) {
    await parts.sender.close(graceMs)
    await parts.sources?.close()
  }

  return { send, close }
}

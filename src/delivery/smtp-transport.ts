import { domainOf, needsSmtpUtf8, wireAddress } from '../mail/address.ts'
import { hasUtf8Headers } from '../mail/mime.ts'
import type { Outcome, Untried } from '../mail/outcome.ts'
import { returnPath } from '../mail/return-path.ts'
import { TooLong } from '../mail/templates.ts'
import { levelOf } from '../platform/db/errors.ts'
import type { Log } from '../platform/log.ts'
import type { Destination, Envelope } from '../platform/smtp/destination.ts'
import { buildMessage, isPersonal, isTracked, type Signature, type Workshop } from './build.ts'
import { isEightBit } from './build-submitted.ts'
import type { Content } from './contents.ts'
import type { Outgoing, Transport } from './deliver.ts'
import type { Fence } from './fence.ts'
import type { LoadedEmail } from './load.ts'
import { untried, type Verdict } from './verdict.ts'
import { type MailMemory, MESSAGE_COPIES, weightOf } from './weight.ts'

/** In whose name mail goes out. */
export interface SenderIdentity extends Signature {
  /** Where bounces come back to. */
  readonly returnPathDomain: string
  readonly requireTls: boolean
}

/** Says where mail for a domain goes, or what every recipient there gets instead. */
export interface Router {
  routeFor(domain: string): Promise<{ kind: 'found'; destination: Destination } | { kind: 'none'; outcome: Outcome }>
}

export interface Sender {
  send(
    destination: Destination,
    envelope: Envelope,
    message: Buffer,
    limits: { startBefore: Date; isPatient: boolean; fence: Fence },
  ): Promise<readonly (Outcome | Untried)[]>
  /** When a destination takes mail again that has asked us to wait. */
  pausedUntil(destination: string): Date | null
  close(graceMs: number): Promise<void>
}

export interface SmtpTransportParts extends Workshop {
  readonly log: Log
  readonly sender: Sender
  readonly router: Router
  readonly returnPathSecret: Buffer
  /** What of mail is in memory at a time. */
  readonly memory: MailMemory
  loadContent(email: LoadedEmail): Promise<Content>
  /** Null: the domain is not there any more. */
  identityOf(team: string, domainId: string): Promise<SenderIdentity | null>
}

type Result = Outcome | Extract<Verdict, { kind: 'postponed' | 'failed' }>

/** When large mail comes back for which there is no room at all. */
const CROWDED_SECONDS = 30
/** A recipient that could not even be started on by then is left to a later claim: others may have room. */
const START_WITHIN_MS = 120_000

/** Hands mail to other servers: through a relay, or straight to where the recipients' domains want it. */
export function smtpTransport(parts: SmtpTransportParts): Transport {
  async function sendGroup(
    email: LoadedEmail,
    identity: SenderIdentity,
    { destination, members }: Group,
    fence: Fence,
  ): Promise<readonly Result[]> {
    const now = parts.clock.now()
    const pausedUntil = parts.sender.pausedUntil(destination.name)
    if (pausedUntil && pausedUntil > now) {
      const seconds = Math.ceil((pausedUntil.getTime() - now.getTime()) / 1_000)
      return members.map(() => ({ kind: 'postponed', seconds }))
    }
    const isPatient = email.broadcast !== null
    const weight = weightOf(email, { isTracked: isTracked(email, members[0]!, identity) })
    if (parts.memory.isCrowded(weight)) return members.map(() => ({ kind: 'postponed', seconds: CROWDED_SECONDS }))
    const send = async (resize: (bytes: number) => void) => {
      const content = await parts.loadContent(email)
      const needs8Bit = isEightBit(content)
      const message = await buildMessage(email, content, members[0]!, identity, parts)
      resize(message.length * MESSAGE_COPIES)
      const envelope: Envelope = {
        from: returnPath({ emailId: email.id, domain: identity.returnPathDomain }, parts.returnPathSecret),
        to: members.map(wireAddress),
        requireTls: identity.requireTls,
        needsUtf8: members.some(needsSmtpUtf8) || hasUtf8Headers(message),
        ...(needs8Bit && { inSevenBits: () => buildInSevenBits(email, members[0]!, identity) }),
      }
      return parts.sender.send(destination, envelope, message, {
        startBefore: new Date(parts.clock.now().getTime() + START_WITHIN_MS),
        isPatient,
        fence,
      })
    }
    return parts.memory.run(weight, send, { isPatient })
  }

  const buildInSevenBits = async (email: LoadedEmail, recipient: string, identity: SenderIdentity) =>
    buildMessage(email, await parts.loadContent(email), recipient, identity, parts, { isSevenBit: true })

  return {
    async send({ email, recipients, fence }: Outgoing): Promise<readonly Result[]> {
      const identity = email.domainId && (await parts.identityOf(email.team, email.domainId))
      if (!identity)
        return recipients.map(() => ({ kind: 'failed', reason: 'The domain of the sender is not verified any more.' }))
      const { groups, results } = await groupByRoute(email, recipients, identity, parts.router)
      await Promise.all(
        groups.map(async (group) => {
          // What goes wrong for one destination must not make anybody forget what another one has answered.
          const outcomes = await sendGroup(email, identity, group, fence).catch((error): Result[] => {
            if (error instanceof TooLong)
              return group.members.map(() => ({
                kind: 'failed',
                reason: `Filled in for this recipient, it is too long. ${error.message}`,
              }))
            parts.log[levelOf(error, 'error')](
              { error, email: email.id, destination: group.destination.name },
              'an email could not be sent',
            )
            return group.members.map(() => untried(error))
          })
          for (const [index, recipient] of group.members.entries()) results.set(recipient, outcomes[index]!)
        }),
      )
      return recipients.map((recipient) => results.get(recipient)!)
    },
    close: (graceMs) => parts.sender.close(graceMs),
  }
}

interface Group {
  readonly destination: Destination
  readonly members: string[]
}

/**
 * Recipients that go the same way share a conversation. With mail that is each recipient's own everybody goes alone.
 * Recipients to whom no way leads have their result already.
 */
async function groupByRoute(
  email: LoadedEmail,
  recipients: readonly string[],
  identity: SenderIdentity,
  router: Router,
) {
  const groups = new Map<string, Group>()
  const results = new Map<string, Result>()
  for (const recipient of recipients) {
    const route = await router.routeFor(domainOf(recipient).toLowerCase())
    if (route.kind === 'none') {
      results.set(recipient, route.outcome)
      continue
    }
    const key = isPersonal(email, recipient, identity) ? recipient : route.destination.name
    const group = groups.get(key)
    if (group) group.members.push(recipient)
    else groups.set(key, { destination: route.destination, members: [recipient] })
  }
  return { groups: [...groups.values()], results }
}

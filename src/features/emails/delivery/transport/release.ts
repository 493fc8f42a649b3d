import { setTimeout as wait } from 'node:timers/promises'
import { domainOf, needsSmtpUtf8, parseMailbox, toAsciiDomain, wireAddress } from '../../../../mail/address.ts'
import { hasUtf8Headers } from '../../../../mail/mime.ts'
import type { LoadedEmail } from '../ledger/load.ts'
import { MailMemory } from '../message/weight.ts'
import { sourceIdentity } from '../pace/identity.ts'
import { DestinationQueues } from './destination-queues.ts'
import { RELAY } from './destination-resolvers.ts'
import type { SenderIdentity } from './sender.ts'
import { type SmtpTransportParts, smtpTransport } from './smtp-transport.ts'

/** What the relay said about one recipient. */
export interface Released {
  readonly recipient: string
  readonly kind: 'delivered' | 'refused' | 'unanswered'
  readonly reply: string
}

/** The way out for single messages of an installation that keeps all others. */
export interface Release {
  /** As its delivery would send it. */
  sent(email: LoadedEmail, recipients: readonly string[]): Promise<Released[]>
  /** As it came. */
  received(raw: Buffer, envelopeFrom: string, recipients: readonly string[]): Promise<Released[]>
  close(): Promise<void>
}

/** Somebody waits for the answer. */
const MAX_MS = 45_000
const START_WITHIN_MS = 10_000
const MEMORY_BYTES = 64 * 1024 * 1024
const CLOSE_MS = 1_000

/** Nobody else has it: it is in no ledger. */
const FENCE = { mayBegin: async () => true, isOurs: () => true }
const FIRST = { position: 0, attempts: 1, parkedFor: null, destination: null }
const NOT_QUEUED = { isFetched: () => false, rowOf: () => FIRST, holdAt: () => null, fence: FENCE, span: null }

export function releaseThrough(
  parts: Omit<SmtpTransportParts, 'memory' | 'queues' | 'pauses' | 'stops' | 'pace' | 'source' | 'sources' | 'route'>,
): Release {
  const { sender, router, clock } = parts
  const transport = smtpTransport({
    ...parts,
    route: RELAY,
    memory: new MailMemory(MEMORY_BYTES),
    pauses: null,
    stops: null,
    pace: null,
    sources: null,
    source: sourceIdentity({}),
    queues: new DestinationQueues({ memoryBytes: MEMORY_BYTES, connections: 1, room: () => Number.POSITIVE_INFINITY }),
    identityOf: async (email) => (await parts.identityOf(email)) ?? nobody(email),
  })
  return {
    async sent(email, recipients) {
      const released: Released[] = []
      const outgoing = { ...NOT_QUEUED, email, recipients }
      const sending = transport.send(outgoing, (answers) =>
        released.push(...answers.map(({ recipient, verdict }) => releasedOf(recipient, verdict))),
      )
      await withinTime(sending)
      return complete(released, recipients)
    },
    async received(raw, from, recipients) {
      const route = await router.resolve('')
      if (route.kind === 'none') return recipients.map((recipient) => releasedOf(recipient, route.outcome))
      const to = recipients.map(wireAddress)
      const needsUtf8 = [from, ...recipients].some(needsSmtpUtf8) || hasUtf8Headers(raw)
      const startBefore = new Date(clock.now().getTime() + START_WITHIN_MS)
      const limits = { startBefore, isLowPriority: false, fence: FENCE }
      const outcomes = await withinTime(
        sender.send(route.destination, { from, to, requireTls: false, needsUtf8 }, raw, limits),
      )
      return complete(outcomes?.map((outcome, index) => releasedOf(recipients[index]!, outcome)) ?? [], recipients)
    },
    close: () => sender.close(CLOSE_MS),
  }
}

const withinTime = <Value>(work: Promise<Value>): Promise<Value | undefined> =>
  Promise.race([work, wait(MAX_MS, undefined, { ref: false })])

/** Where nothing leaves, domains need not be verified: the message goes in the name that it says, unsigned. */
const nobody = ({ from }: LoadedEmail): SenderIdentity => ({
  returnPathDomain: toAsciiDomain(domainOf(parseMailbox(from)?.address ?? from)),
  requireTls: false,
  signers: [],
  trackerFor: () => null,
})

type Verdict = {
  readonly kind: string
  readonly reply?: string
  readonly reason?: string
  readonly sourceRefusedFor?: string
}

function releasedOf(recipient: string, verdict: Verdict): Released {
  const reply = verdict.reply ?? verdict.reason ?? 'The relay does not accept mail at the moment.'
  const isRefused = ['bounced', 'failed'].includes(verdict.kind) || verdict.sourceRefusedFor !== undefined
  return { recipient, reply, kind: verdict.kind === 'delivered' ? 'delivered' : isRefused ? 'refused' : 'unanswered' }
}

const complete = (released: readonly Released[], recipients: readonly string[]): Released[] =>
  recipients.map(
    (recipient) =>
      released.find((one) => one.recipient === recipient) ?? {
        recipient,
        kind: 'unanswered',
        reply: `The relay did not answer within ${MAX_MS / 1_000} s.`,
      },
  )

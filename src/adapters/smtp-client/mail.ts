import { domainToASCII } from 'node:url'
import { isAscii } from '../../mail/ascii.ts'
import type { Outcome } from '../../mail/outcome.ts'
import type { Conversation } from './conversation.ts'
import type { Envelope } from './destination.ts'

/** What a trace shows of a conversation. A session that was open already begins with `session reused`. */
export type SendStep = 'turn came' | 'session reused' | 'connecting' | 'session open' | 'message sent'

/** An envelope as it goes over the wire. */
export interface Mail {
  readonly from: string
  /** Each one once. */
  readonly to: readonly string[]
  readonly requireTls: boolean
  readonly needsUtf8: boolean
  /** Empty once it was sent: nobody needs it any more, and the answer may take ten minutes. */
  message: Buffer
  /** Set: the message is 8-bit, and this is what a server gets that takes 7 only. */
  readonly inSevenBits: (() => Promise<Buffer>) | null
  /** Asked before the end of the message is sent. */
  isOurs(): boolean
  /** Called when all of the message was sent. */
  onSent(): void
  /** Undefined: nobody wants to know. */
  readonly onStep: ((step: SendStep) => void) | undefined
  /** Undefined: nobody wants to know. */
  readonly conversation: Conversation | undefined
  /** Whose servers are asked: each large provider has replies of its own. */
  readonly provider: string | null
}

/** Domains go over the wire in ASCII, which every server understands, so that only local parts can need SMTPUTF8. */
export function addressOnTheWire(address: string): string {
  const [local, domain] = splitAtLast(address.trim(), '@')
  return isAscii(domain) ? `${local}${domain}` : `${local}${domainToASCII(domain)}`
}

function splitAtLast(text: string, mark: string): [before: string, after: string] {
  const end = text.lastIndexOf(mark) + 1
  return end === 0 ? [text, ''] : [text.slice(0, end), text.slice(end)]
}

// Line breaks and brackets would end the command and begin another one. Addresses are checked when mail is accepted, so this
// is the second check.
export const isSendable = (address: string) => !/[\r\n\0<>]/.test(address)

export function mailOf(
  envelope: Envelope,
  message: Buffer,
  {
    isOurs = () => true,
    onSent = () => {},
    onStep,
    conversation,
    provider = null,
  }: {
    isOurs?: (() => boolean) | undefined
    onSent?: (() => void) | undefined
    onStep?: ((step: SendStep) => void) | undefined
    conversation?: Conversation | undefined
    provider?: string | null | undefined
  },
): Mail {
  const from = addressOnTheWire(envelope.from)
  const to = [...new Set(envelope.to.map(addressOnTheWire).filter(isSendable))]
  const needsUtf8 = envelope.needsUtf8 || ![from, ...to].every(isAscii)
  const inSevenBits = envelope.inSevenBits ?? null
  return {
    from,
    to,
    requireTls: envelope.requireTls,
    needsUtf8,
    message,
    inSevenBits,
    isOurs,
    onSent,
    onStep,
    conversation,
    provider,
  }
}

export const unsendable = (what: 'sender' | 'recipient'): Outcome => ({
  kind: 'bounced',
  reply: `553 ${what === 'sender' ? '5.1.7' : '5.1.3'} The address of the ${what} cannot be written into an envelope`,
  bounce: { type: 'Undetermined', subType: 'General' },
})

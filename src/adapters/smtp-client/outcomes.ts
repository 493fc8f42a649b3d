import { isAscii } from 'node:buffer'
import { withoutControls } from '../../mail/ascii.ts'
import type { Outcome } from '../../mail/outcome.ts'
import { judgeReply, parseReply } from '../../mail/smtp-reply.ts'
import { isSourceRefusal } from '../../mail/source-refusal.ts'
import type { Host } from './destination.ts'
import { nameOf } from './failure.ts'
import type { Mail } from './mail.ts'
import type { ClientSession } from './session.ts'
import type { JudgedTranscript } from './transaction.ts'

/** As it can be stored and shown, whatever the server put into it. */
export const presentable = (reply: string) => withoutControls(reply.slice(0, 1_000))

// RFC 4954: log in first, the login is too weak, it is wrong, it needs encryption. The operator's slip, not the recipient's fault.
const LOGIN_TROUBLE = new Set([530, 534, 535, 538])

/** What a reply comes to, as it was said. */
export function judge(
  text: string,
  about: 'recipient' | 'message' = 'recipient',
  sourceRefusedFor: 'destination' | 'domain' = 'domain',
): Outcome {
  const reply = parseReply(text)
  if (!reply || LOGIN_TROUBLE.has(reply.code)) return deferred(text)
  const outcome = judgeReply(reply, about)
  // What is said about our address is nobody's fault who is written to, and passes.
  if (outcome.kind === 'bounced' && outcome.bounce.type !== 'Permanent' && isSourceRefusal(reply))
    return { kind: 'deferred', reply: outcome.reply, isThrottled: false, sourceRefusedFor }
  return outcome
}

export const isSourceRefused = (outcome: Outcome) =>
  outcome.kind === 'deferred' && outcome.sourceRefusedFor !== undefined

export function isThrottling(reply: string): boolean {
  const outcome = judge(reply)
  return outcome.kind === 'deferred' && outcome.isThrottled
}

export const deferred = (reply: string, { isThrottled = false } = {}): Extract<Outcome, { kind: 'deferred' }> => ({
  kind: 'deferred',
  reply: presentable(reply),
  isThrottled,
})

/** What a session can be known to refuse without asking it. */
export function refusalInAdvance(session: ClientSession, mail: Mail): Outcome | null {
  const { hasUtf8, has8BitMime, maxMessageBytes } = session.extensions
  if (mail.needsUtf8 && !hasUtf8)
    return {
      kind: 'bounced',
      reply: `553 5.6.7 ${nameOf(session.host)} does not take addresses with letters beyond ASCII`,
      bounce: { type: 'Undetermined', subType: 'General' },
    }
  if (mail.inSevenBits && !has8BitMime && !isAscii(mail.message))
    return {
      kind: 'bounced',
      reply: `554 5.6.3 ${nameOf(session.host)} takes 7-bit messages only, and this one is signed as it is`,
      bounce: { type: 'Undetermined', subType: 'General' },
    }
  if (maxMessageBytes > 0 && mail.message.length > maxMessageBytes)
    return {
      kind: 'bounced',
      reply: `552 5.3.4 ${nameOf(session.host)} takes ${maxMessageBytes} bytes, the message has ${mail.message.length}`,
      bounce: { type: 'Transient', subType: 'MessageTooLarge' },
    }
  return null
}

/** One outcome for each recipient: what was said about it, and otherwise what was said about the message. */
export function judgeTranscript(
  host: Host,
  mail: Pick<Mail, 'to'>,
  { refusals, isDataSent, isSenderRefused, end }: JudgedTranscript,
): Outcome[] {
  // Some servers look for the recipient when they have the message: with one left, the answer is about it.
  const about = isDataSent && mail.to.length - refusals.size === 1 ? 'recipient' : 'message'
  const forTheRest = judgeEnd(host, end, { isDataSent, about, isSenderRefused })
  return mail.to.map((recipient) => {
    const refusal = refusals.get(recipient)
    return refusal === undefined ? forTheRest : judge(refusal)
  })
}

function judgeEnd(
  host: Host,
  end: JudgedTranscript['end'],
  {
    isDataSent,
    about,
    isSenderRefused,
  }: { isDataSent: boolean; about: 'recipient' | 'message'; isSenderRefused: boolean },
): Outcome {
  switch (end.kind) {
    case 'accepted':
      return { kind: 'delivered', reply: presentable(end.reply) }
    case 'refused':
      return judge(end.reply, about, isSenderRefused ? 'destination' : 'domain')
    case 'lost':
      return lost(host, end.reason, isDataSent)
  }
}

/** The connection ended in the middle. */
export const lost = (host: Host, reason: string, isDataSent: boolean) =>
  deferred(`451 4.4.2 ${nameOf(host)}: ${reason}${isDataSent ? UNKNOWN : ''}`)

const UNKNOWN = ' after the message had been sent; whether it arrived is not known'

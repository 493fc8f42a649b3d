import { isAscii } from 'node:buffer'
import { withoutControls } from '../../mail/ascii.ts'
import type { Outcome } from '../../mail/outcome.ts'
import { judgeReply, type ReplyContext } from '../../mail/replies/judge-reply.ts'
import { parseReply } from '../../mail/replies/parse-reply.ts'
import type { Host } from './destination.ts'
import { nameOf } from './failure.ts'
import type { Mail } from './mail.ts'
import type { ClientSession } from './session.ts'
import type { JudgedTranscript } from './transaction.ts'

/** As it can be stored and shown, whatever the server put into it. */
export const presentable = (reply: string) => withoutControls(reply.slice(0, 1_000)).toWellFormed()

/** What a reply comes to, as it was said. */
export function judge(text: string, context: ReplyContext = {}): Outcome {
  const reply = parseReply(text)
  return reply ? judgeReply(reply, context) : deferred(text)
}

export const isSourceRefused = (outcome: Outcome) =>
  outcome.kind === 'deferred' && outcome.sourceRefusedFor !== undefined

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
      reply: `553 5.6.7 ${nameOf(session.host)} does not accept non-ASCII addresses`,
      bounce: { type: 'Undetermined', subType: 'General' },
      ...{ class: 'protocol_errors', rule: 'client/utf8', about: 'site', means: 'refused' },
    }
  if (mail.inSevenBits && !has8BitMime && !isAscii(mail.message))
    return {
      kind: 'bounced',
      reply: `554 5.6.3 ${nameOf(session.host)} accepts 7-bit messages only, and this one is signed as 8-bit`,
      bounce: { type: 'Undetermined', subType: 'General' },
      ...{ class: 'content_related', rule: 'client/8-bit', about: 'message', means: 'refused' },
    }
  if (maxMessageBytes > 0 && mail.message.length > maxMessageBytes)
    return {
      kind: 'bounced',
      reply: `552 5.3.4 ${nameOf(session.host)} accepts at most ${maxMessageBytes} bytes, the message has ${mail.message.length}`,
      bounce: { type: 'Transient', subType: 'MessageTooLarge' },
      ...{ class: 'message_too_large', rule: 'client/size', about: 'message', means: 'refused' },
    }
  return null
}

/** One outcome for each recipient: what was said about it, and otherwise what was said about the message. */
export function judgeTranscript(
  host: Host,
  mail: Pick<Mail, 'to' | 'provider'>,
  { refusals, isDataSent, isSenderRefused, end }: JudgedTranscript,
): Outcome[] {
  // Some servers look for the recipient when they have the message: with one left, the answer is about it.
  const about = isDataSent && mail.to.length - refusals.size === 1 ? 'recipient' : 'message'
  const { provider } = mail
  const forTheRest = judgeEnd(host, end, { isDataSent, about, isSenderRefused, provider })
  return mail.to.map((recipient) => {
    const refusal = refusals.get(recipient)
    return refusal === undefined ? forTheRest : judge(refusal, { phase: 'rcpt', provider })
  })
}

function judgeEnd(
  host: Host,
  end: JudgedTranscript['end'],
  {
    isDataSent,
    about,
    isSenderRefused,
    provider,
  }: { isDataSent: boolean; about: 'recipient' | 'message'; isSenderRefused: boolean; provider: string | null },
): Outcome {
  switch (end.kind) {
    case 'accepted':
      return { kind: 'delivered', reply: presentable(end.reply) }
    case 'refused':
      return judge(end.reply, {
        about,
        provider,
        phase: isSenderRefused ? 'mail' : isDataSent ? 'message' : 'data',
        sourceRefusedFor: isSenderRefused ? 'destination' : 'domain',
      })
    case 'lost':
      return lost(host, end.reason, isDataSent)
  }
}

/** The connection ended in the middle. */
export const lost = (host: Host, reason: string, isDataSent: boolean): Outcome => ({
  ...deferred(`451 4.4.2 ${nameOf(host)}: ${reason}${isDataSent ? UNKNOWN : ''}`),
  ...{ class: 'bad_connection', rule: 'client/lost', about: 'site', means: 'trouble' },
  ...(isDataSent && { isUncertain: true }),
})

const UNKNOWN = ' after the message was sent; it may have been delivered'

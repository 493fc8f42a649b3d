import type { Answer as Answered, Outgoing, Transport } from '../../src/features/emails/delivery/deliver.ts'
import type { Outcome } from '../../src/mail/outcome.ts'
import { ObservedList } from './changes.ts'

type Answer = Answered['verdict']

export const DELIVERED: Outcome = { kind: 'delivered', reply: '250 2.0.0 Ok' }
export const DEFERRED: Outcome = { kind: 'deferred', reply: '450 4.2.0 Try later', isThrottled: false }
export const NO_SUCH_USER: Outcome = {
  kind: 'bounced',
  reply: '550 5.1.1 No such user',
  bounce: { type: 'Permanent', subType: 'NoEmail' },
}
export const MAILBOX_FULL: Outcome = {
  kind: 'bounced',
  reply: '552 5.2.2 Mailbox full',
  bounce: { type: 'Transient', subType: 'MailboxFull' },
}

export type ScriptedTransport = ReturnType<typeof scriptedTransport>

/** The world as a test wants it: answers for each recipient as told, and remembers who was written to. */
export function scriptedTransport(
  answer: (recipient: string, outgoing: Outgoing) => Answer | Promise<Answer> = () => DELIVERED,
) {
  const sent = new ObservedList<{ email: string; recipient: string }>()
  const script = { answer }
  const transport: Transport = {
    async send(outgoing, tell) {
      const answers = outgoing.recipients.map(async (recipient) => {
        sent.push({ email: outgoing.email.id, recipient })
        return { recipient, verdict: await script.answer(recipient, outgoing) }
      })
      tell(await Promise.all(answers))
    },
    close: async () => {},
  }
  return {
    transport,
    /** Resolves once so many attempts have begun. */
    reached: (count: number) => sent.reached(count),
    /** Every attempt, in order. */
    sent: sent as readonly { email: string; recipient: string }[],
    /** Changes the script from here on. */
    answer: (next: typeof answer) => {
      script.answer = next
    },
    attemptsAt: (recipient: string) => sent.filter((one) => one.recipient === recipient).length,
  }
}

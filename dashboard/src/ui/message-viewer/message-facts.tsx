import { Copyable } from '../copy.tsx'
import { Facts } from '../page.tsx'
import { Time } from '../time.tsx'
import { texts } from './texts.ts'

interface MessageFactsProps {
  readonly message: {
    readonly from: string
    readonly to: readonly string[]
    readonly cc: readonly string[]
    readonly bcc?: readonly string[]
    readonly reply_to: readonly string[]
    readonly received_for?: readonly string[]
    readonly created_at: string
    readonly scheduled_at?: string | null
    readonly tags?: readonly { readonly name: string; readonly value: string }[]
    readonly id: string
    readonly message_id?: string | null
  }
  readonly direction: 'sent' | 'received'
}

/** From whom to whom, when, and under which names a mail is known. */
export function MessageFacts({ message, direction }: MessageFactsProps) {
  const { from, to, cc, bcc = [], reply_to, received_for = [], created_at, scheduled_at, tags = [], id } = message
  const list = (name: string, values: readonly string[]) =>
    values.length > 0 ? [[name, values.join(', ')] as const] : []
  return (
    <Facts
      facts={[
        [texts.facts.from, from || texts.facts.noSender],
        ...list(texts.facts.to, to),
        ...list(texts.facts.cc, cc),
        ...list(texts.facts.bcc, bcc),
        ...list(texts.facts.replyTo, reply_to),
        ...list(texts.facts.envelopeRecipient, received_for),
        [direction === 'sent' ? texts.facts.created : texts.facts.received, <Time key="at" at={created_at} exact />],
        ...(scheduled_at ? [[texts.facts.scheduled, <Time key="at" at={scheduled_at} exact />] as const] : []),
        ...list(
          texts.facts.tags,
          tags.map(({ name, value }) => `${name}: ${value}`),
        ),
        ['ID', <Copyable key="id" text={id} what="ID" />],
        ...(message.message_id
          ? [
              [
                texts.facts.messageId,
                <Copyable key="id" text={message.message_id} what={texts.facts.messageId} />,
              ] as const,
            ]
          : []),
      ]}
    />
  )
}

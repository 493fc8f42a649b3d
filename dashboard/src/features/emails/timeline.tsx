import { adviceFor } from '../../../../src/mail/reply-advice.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/page.tsx'
import { rich } from '../../ui/rich.tsx'
import { inSentenceCase } from '../../ui/sentence-case.ts'
import { Time } from '../../ui/time.tsx'
import type { FullEmail } from './api.ts'
import './timeline.css'
import '../../ui/replies.css'
import { texts } from './texts.ts'

/** What happened to the email, oldest first; the first line is when it was taken in. */
export function Timeline({ email }: { email: FullEmail }) {
  return (
    <Card title={texts.timeline.title}>
      <ol className="timeline">
        <li>
          <strong>{texts.timeline.queued}</strong>
          <Time at={email.created_at} exact />
        </li>
        {email.events.map(({ type, created_at, data }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list only grows at its end
          <li key={index} className={type.replace('email.', '')}>
            <strong>{inSentenceCase(type.replace('email.', ''))}</strong>
            <Time at={created_at} exact />
            {detailOf(data) && <p className="muted">{detailOf(data)}</p>}
          </li>
        ))}
      </ol>
    </Card>
  )
}

interface EventData {
  readonly bounce?: { readonly message?: string }
  readonly failed?: { readonly reason?: string }
  readonly click?: { readonly link?: string }
  readonly suppressed?: { readonly message?: string }
}

/** The one sentence of an event that people look for. */
const detailOf = (data: unknown): string | undefined => {
  const { bounce, failed, click, suppressed } = (data ?? {}) as EventData
  return bounce?.message ?? failed?.reason ?? click?.link ?? suppressed?.message
}

type ReplyProps = FullEmail['deliveries'][number]['replies'][number]

/** What was said, and below it what that is and what to do about it. */
function Reply({ at, reply, class: replyClass, means, about, rule }: ReplyProps) {
  return (
    <>
      <p className="reply">
        <code>{reply}</code>
        <Time at={at} />
      </p>
      {replyClass && means && (
        <p className="muted" title={rule && texts.recipients.rule(rule)}>
          <strong>{inSentenceCase(replyClass)}</strong>{' '}
          {adviceFor({ class: replyClass, means, ...(about && { about }) })}
        </p>
      )}
    </>
  )
}

/** What the other side said, recipient by recipient, attempt by attempt. */
export function Recipients({ deliveries }: { deliveries: FullEmail['deliveries'] }) {
  return (
    <Card title={texts.recipients.title}>
      <ul className="recipients">
        {deliveries.map(({ recipient, state, next_attempt_at, replies }) => (
          <li key={recipient}>
            <div>
              <span>{recipient}</span>
              <Badge word={state} />
            </div>
            {next_attempt_at && (
              <p className="muted">{rich(texts.recipients.nextAttempt, { time: <Time at={next_attempt_at} /> })}</p>
            )}
            {replies.map((one) => (
              <Reply key={`${one.at} ${one.reply}`} {...one} />
            ))}
          </li>
        ))}
      </ul>
    </Card>
  )
}

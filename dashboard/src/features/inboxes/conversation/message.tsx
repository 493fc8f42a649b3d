import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useCall } from '../../../queries.ts'
import { IconButton } from '../../../ui/button.tsx'
import { Facts } from '../../../ui/page.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'
import { Avatar } from '../avatar.tsx'
import type { Email, ReplyKind } from '../compose/answer.ts'
import type { OpenInbox } from '../compose/composer.tsx'
import { addressIn, nameIn } from '../compose/mailboxes.ts'
import { MessageBody } from './message-body.tsx'
import { MessageFiles } from './message-files.tsx'
import { snippetOf } from './snippet.ts'
import './message.css'
import { texts } from '../texts.ts'

interface MessageProps {
  readonly inbox: OpenInbox
  readonly threadId: string
  readonly email: Email
  readonly isOpen: boolean
  readonly onToggle: () => void
  readonly onAnswer: (kind: ReplyKind) => void
}

/** One email of a conversation. */
export function Message({ inbox, threadId, email, isOpen, onToggle, onAnswer }: MessageProps) {
  const { from, to, cc, received_at, id, direction, attachments } = email
  const people = [...to, ...cc].map(nameIn)
  return (
    <article
      className={isOpen ? 'message open' : 'message'}
      data-email={id}
      aria-label={texts.message.label(nameIn(from))}
    >
      <header>
        <button type="button" className="message-toggle" aria-expanded={isOpen} onClick={onToggle}>
          <Avatar of={from} />
          <span className="message-who">
            <strong>{nameIn(from)}</strong>
            {isOpen ? <span className="muted">{addressIn(from)}</span> : <Snippet email={email} />}
          </span>
          <span className="muted message-when">
            <Time at={received_at} />
          </span>
        </button>
        {isOpen && (
          <>
            <IconButton
              icon="reply"
              label={texts.message.reply}
              needs="inboxes.drafts.create"
              onClick={() => onAnswer('reply')}
            />
            <IconButton
              icon="forward"
              label={texts.message.forward}
              needs="inboxes.drafts.create"
              onClick={() => onAnswer('forward')}
            />
          </>
        )}
      </header>
      {isOpen && (
        <div className="message-inside">
          <details className="message-about">
            <summary className="muted">{recipientsOf(people)}</summary>
            <About email={email} />
            <Link to={direction === 'inbound' ? '/received/$id' : '/emails/$id'} params={{ id }}>
              {direction === 'inbound' ? texts.message.receivedDetails : texts.message.sentDetails}
            </Link>
          </details>
          <Body inbox={inbox} threadId={threadId} email={email} />
          {attachments.length > 0 && <MessageFiles email={email} />}
        </div>
      )}
    </article>
  )
}

const Snippet = ({ email }: { email: Email }) => {
  const text = useMemo(() => snippetOf(email), [email])
  return <span className="muted message-snippet">{text}</span>
}

const MAX_NAMES = 3

function recipientsOf(people: readonly string[]): string {
  if (people.length === 0) return texts.message.toNobody
  const named = people.slice(0, MAX_NAMES).join(', ')
  const more = people.length - MAX_NAMES
  return more > 0 ? texts.message.toMore(named, more) : texts.message.to(named)
}

function About({ email: { from, to, cc, bcc, reply_to, received_at, subject } }: { email: Email }) {
  const lines = [
    [texts.message.from, from],
    [texts.message.toLabel, to.join(', ')],
    [texts.message.cc, cc.join(', ')],
    [texts.message.bcc, bcc.join(', ')],
    [texts.message.replyTo, reply_to.join(', ')],
    [texts.message.subject, subject ?? ''],
  ] as const
  return (
    <Facts
      facts={[
        ...lines.filter(([, text]) => text !== ''),
        [texts.message.date, <Time key="date" at={received_at} exact />],
      ]}
    />
  )
}

/** Of a long email the list has no body, and of one with pictures inside the list has only where they belong. */
function Body({ inbox, threadId, email }: Pick<MessageProps, 'inbox' | 'threadId' | 'email'>) {
  const isWhole = (email.html !== null || email.text !== null) && !/["'(]\s*cid:/i.test(email.html ?? '')
  const whole = useCall(
    'inboxes.threads.emails.get',
    { inbox: inbox.id, thread: threadId, email: email.id },
    { enabled: !isWhole, staleTime: Number.POSITIVE_INFINITY },
  )
  if (isWhole) return <MessageBody email={email} />
  if (whole.isPending) return <Loading lines={3} />
  if (whole.isError) return <Failed error={whole.error} onRetry={() => whole.refetch()} />
  return <MessageBody email={whole.data} />
}

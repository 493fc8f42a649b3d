import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useCall } from '../../../queries.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Empty, Failed, Loading } from '../../../ui/states.tsx'
import { AgentActs } from '../agent/agent-acts.tsx'
import type { Email } from '../compose/answer.ts'
import { type OpenInbox, useComposer } from '../compose/composer.tsx'
import { isProblem } from '../compose/problems.ts'
import { LabelChip } from '../label-chip.tsx'
import { Answering } from './answering.tsx'
import { Message } from './message.tsx'
import { useEmails } from './use-emails.ts'
import { useMarkingRead } from './use-marking-read.ts'
import { useUnfolded } from './use-unfolded.ts'
import { useViewers } from './use-viewers.ts'
import { Viewers } from './viewers.tsx'
import './conversation.css'
import { texts } from '../texts.ts'

interface ConversationProps {
  readonly inbox: OpenInbox
  readonly threadId: string
  /** The address of whoever is signed in; null for a key. */
  readonly me: string | null
  /** Back to list: on narrow screens, and when the thread is not there any more. */
  readonly onClose: () => void
  /** The email that a search has found: it is open, and scrolled to. */
  readonly matchedEmailId?: string | undefined
  /** Archive, trash, labels, assign…, at the head of the conversation. */
  readonly toolbar?: ReactNode
}

/** All emails of a thread with the answer that is being written. Fills its parent and scrolls by itself. Marks the thread as read. */
export function Conversation({ inbox, threadId, me, onClose, matchedEmailId, toolbar }: ConversationProps) {
  const thread = useCall('inboxes.threads.get', { inbox: inbox.id, thread: threadId })
  const emails = useEmails(inbox.id, threadId)
  useMarkingRead(inbox.id, thread.data, emails.items.at(-1)?.id)
  const [isReplying, setReplying] = useState(false)
  const others = useViewers({ inbox: inbox.id, thread: threadId, me, isReplying })
  const error = thread.error ?? emails.error
  if (isProblem(error, 404))
    return (
      <Empty icon="mail" title={texts.conversation.notFound}>
        <Button onClick={onClose}>{texts.panes.backToList}</Button>
      </Empty>
    )
  if (error) return <Failed error={error} onRetry={() => Promise.all([thread.refetch(), emails.refetch()])} />
  if (!thread.data) return <Loading />
  const { subject, labels } = thread.data
  return (
    <div className="conversation">
      <header className="conversation-head">
        <div className="conversation-bar">
          <IconButton className="conversation-back" icon="fold" label={texts.panes.backToList} onClick={onClose} />
          {toolbar}
          <Viewers others={others} />
        </div>
        <h2>
          {subject || texts.row.noSubject}
          {labels.map((label) => (
            <LabelChip key={label.id} label={label} />
          ))}
        </h2>
      </header>
      {emails.isPending ? (
        <Loading />
      ) : (
        <Emails
          key={threadId}
          inbox={inbox}
          threadId={threadId}
          emails={emails.items}
          matchedEmailId={matchedEmailId}
          onReplying={setReplying}
          earlier={
            emails.hasEarlier && (
              <Button isBusy={emails.isFetchingEarlier} onClick={() => emails.fetchEarlier()}>
                {texts.conversation.showEarlier}
              </Button>
            )
          }
        />
      )}
    </div>
  )
}

interface EmailsProps {
  readonly inbox: OpenInbox
  readonly threadId: string
  readonly emails: readonly Email[]
  readonly matchedEmailId: string | undefined
  readonly onReplying: (isReplying: boolean) => void
  readonly earlier: ReactNode
}

function Emails({ inbox, threadId, emails, matchedEmailId, onReplying, earlier }: EmailsProps) {
  const composer = useComposer()
  const unfolded = useUnfolded(emails, matchedEmailId)
  const scroller = useRef<HTMLDivElement>(null)
  const target = emails.find(({ id }) => id === matchedEmailId) ?? emails.find(({ read }) => !read) ?? emails.at(-1)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, where reading begins
  useEffect(() => {
    if (emails.length > 1) scroller.current?.querySelector(`[data-email="${target?.id}"]`)?.scrollIntoView()
  }, [matchedEmailId])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="conversation-scroller" ref={scroller} tabIndex={0} aria-label={texts.conversation.emails}>
      {earlier}
      {emails.map((email) => (
        <Message
          key={email.id}
          inbox={inbox}
          threadId={threadId}
          email={email}
          isOpen={unfolded.has(email.id)}
          onToggle={() => unfolded.toggle(email.id)}
          onAnswer={(kind) => composer.answer({ kind, threadId, emailId: email.id })}
        />
      ))}
      <AgentActs inbox={inbox.id} thread={threadId} />
      <Answering inbox={inbox} threadId={threadId} emails={emails} onReplying={onReplying} />
    </section>
  )
}

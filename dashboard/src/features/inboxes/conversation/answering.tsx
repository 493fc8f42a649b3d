import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { Item } from '../../../api.ts'
import { useCall } from '../../../queries.ts'
import { useAllowed } from '../../../ui/allowed.tsx'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Time } from '../../../ui/time.tsx'
import { toast } from '../../../ui/toast.tsx'
import type { Email, ReplyKind } from '../compose/answer.ts'
import { answerTo, recipientsOf } from '../compose/answer.ts'
import { type OpenInbox, ShownDraft, useComposer } from '../compose/composer.tsx'
import type { DraftSaver } from '../compose/draft-saver.ts'
import { withoutRepeated } from '../compose/mailboxes.ts'
import { openDraft, openNew } from '../compose/open-drafts.ts'
import { useUnsend } from '../compose/undo-send.ts'
import { texts } from '../texts.ts'

type DraftItem = Item<'inboxes.drafts.list'>

interface AnsweringProps {
  readonly inbox: OpenInbox
  readonly threadId: string
  readonly emails: readonly Email[]
  readonly onReplying: (isReplying: boolean) => void
}

interface Shown {
  readonly saver: DraftSaver
  /** Whether somebody has asked for it: then it has the focus. */
  readonly isAsked: boolean
}

/** Below the emails: the answer that is being written, other drafts of the thread, or the buttons that begin one. */
export function Answering({ inbox, threadId, emails, onReplying }: AnsweringProps) {
  const composer = useComposer()
  const mayWrite = useAllowed()('inboxes.drafts.create')
  const drafts = useCall(
    'inboxes.drafts.list',
    { inbox: inbox.id, thread_id: threadId, limit: 100 },
    { enabled: mayWrite },
  )
  const [shown, setShown] = useState<Shown | null>(null)
  const unsend = useUnsend(inbox.id)
  const editorRef = useRef<HTMLDivElement>(null)
  const items = drafts.data?.data ?? []

  const show = useCallback((opening: Promise<DraftSaver>, isAsked: boolean) => {
    opening.then(
      (saver) => {
        setShown({ saver, isAsked })
        if (isAsked) setTimeout(() => editorRef.current?.scrollIntoView({ block: 'nearest' }))
      },
      (error: Error) => toast(error.message, { isError: true }),
    )
  }, [])
  const answer = useCallback(
    (kind: ReplyKind, emailId: string | undefined) => {
      const email = emails.find(({ id }) => id === emailId) ?? emails.at(-1)
      if (!email) return
      const present = kind === 'forward' ? undefined : items.find((draft) => draft.reply_to_email_id === email.id)
      if (present && present.send_at !== null) return void toast(texts.conversation.replyBeingSent)
      const { origin, content } = answerTo(inbox, email, kind, threadId)
      const opening = present ? openDraft(inbox.id, present.id) : openNew(inbox.id, origin, content)
      show(
        opening.then((saver) => (kind === 'reply_all' ? addOthers(saver, inbox, email) : saver)),
        true,
      )
    },
    [emails, items, inbox, threadId, show],
  )
  const { asked, taken } = composer
  useEffect(() => {
    if (!asked || asked.threadId !== threadId || !mayWrite || drafts.isPending) return
    taken()
    if (asked.kind === 'draft') show(openDraft(inbox.id, asked.draftId), true)
    else answer(asked.kind, asked.emailId)
  }, [asked, taken, answer, show, inbox.id, threadId, mayWrite, drafts.isPending])
  // A single draft is what one comes back for.
  const [only] = items
  const hasLooked = useRef(false)
  useEffect(() => {
    if (!drafts.data || hasLooked.current) return
    hasLooked.current = true
    if (only && only.send_at === null && drafts.data.data.length === 1) show(openDraft(inbox.id, only.id), false)
  }, [drafts.data, only, inbox.id, show])

  const isReplying = shown !== null
  useEffect(() => {
    onReplying(isReplying)
    return () => onReplying(false)
  }, [isReplying, onReplying])

  if (!mayWrite) return null
  return (
    <div className="answering" ref={editorRef}>
      <OtherDrafts
        items={items}
        shown={shown?.saver ?? null}
        onOpen={(id) => show(openDraft(inbox.id, id), true)}
        onUndo={(draftId) => void unsend({ draftId, threadId })}
      />
      {shown ? (
        <ShownDraft
          key={shown.saver.beginning.key}
          inbox={inbox}
          saver={shown.saver}
          title={titleOf(shown.saver)}
          about={aboutOf(shown.saver, emails)}
          isFocused={shown.isAsked}
          onShow={(saver) => setShown(saver && { saver, isAsked: true })}
        />
      ) : (
        <AnswerButtons inbox={inbox} email={emails.at(-1)} onAnswer={(kind) => answer(kind, undefined)} />
      )}
    </div>
  )
}

const titleOf = ({ beginning: { origin } }: DraftSaver) =>
  origin.forward_of_email_id ? texts.conversation.forward : texts.conversation.reply

const aboutOf = ({ beginning: { origin } }: DraftSaver, emails: readonly Email[]) =>
  emails.find(({ id }) => id === (origin.reply_to_email_id ?? origin.forward_of_email_id))

/** An answer to one may have been begun before it became one to all. */
function addOthers(saver: DraftSaver, inbox: OpenInbox, email: Email): DraftSaver {
  const { to, cc, bcc } = saver.state.content
  const all = recipientsOf(inbox, email, 'reply_all')
  const added = withoutRepeated(all.to, [...to, ...cc, ...bcc])
  const copied = withoutRepeated(all.cc, [...to, ...added, ...cc, ...bcc])
  if (added.length + copied.length > 0) saver.replace({ to: [...to, ...added], cc: [...cc, ...copied] })
  return saver
}

interface AnswerButtonsProps {
  readonly inbox: OpenInbox
  readonly email: Email | undefined
  readonly onAnswer: (kind: ReplyKind) => void
}

function AnswerButtons({ inbox, email, onAnswer }: AnswerButtonsProps) {
  if (!email) return null
  const { to, cc } = recipientsOf(inbox, email, 'reply_all')
  return (
    <div className="actions">
      <Button icon="reply" title="r" onClick={() => onAnswer('reply')}>
        {texts.conversation.reply}
      </Button>
      {to.length + cc.length > 1 && (
        <Button icon="replyAll" title="a" onClick={() => onAnswer('reply_all')}>
          {texts.conversation.replyToAll}
        </Button>
      )}
      <Button icon="forward" title="f" onClick={() => onAnswer('forward')}>
        {texts.conversation.forward}
      </Button>
    </div>
  )
}

interface OtherDraftsProps {
  readonly items: readonly DraftItem[]
  readonly shown: DraftSaver | null
  readonly onOpen: (id: string) => void
  readonly onUndo: (id: string) => void
}

function OtherDrafts({ items, shown, onOpen, onUndo }: OtherDraftsProps) {
  const shownId = useSyncExternalStore(shown?.subscribe ?? nothing, () => shown?.state.draftId ?? null)
  const isEnded = shown?.isEnded ?? false
  const others = items.filter(({ id, reply_to_email_id }) => {
    // Of a reply there is one draft, and it may be known here before its id is.
    const isSame = reply_to_email_id !== null && reply_to_email_id === shown?.beginning.origin.reply_to_email_id
    return isEnded || (id !== shownId && !isSame)
  })
  if (others.length === 0) return null
  return (
    <ul className="other-drafts" aria-label={texts.conversation.drafts}>
      {others.map(({ id, snippet, source, send_at, send_error, updated_at }) => (
        <li key={id}>
          {send_at !== null ? (
            <Badge word={texts.draftStates.sending} tone="busy" />
          ) : send_error !== null ? (
            <Badge word={texts.draftStates.notSent} tone="bad" />
          ) : (
            <Badge
              word={source === 'agent' ? texts.draftStates.agentDraft : texts.draftStates.draft}
              tone={source === 'agent' ? 'busy' : 'warn'}
            />
          )}
          <span className="muted">{snippet ?? texts.conversation.emptyDraft}</span>
          <span className="muted">
            <Time at={updated_at} />
          </span>
          {send_at === null ? (
            <Button onClick={() => onOpen(id)}>{texts.conversation.editDraft}</Button>
          ) : (
            <Button onClick={() => onUndo(id)}>{texts.threadActs.undo}</Button>
          )}
        </li>
      ))}
    </ul>
  )
}

const nothing = () => () => {}

import { type DragEvent, type KeyboardEvent, Suspense, useEffect, useId, useState, useSyncExternalStore } from 'react'
import { useCall } from '../../../queries.ts'
import { useAct } from '../../../ui/act.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Confirm } from '../../../ui/dialog.tsx'
import type { Email } from './answer.ts'
import { Attachments, useAttaching } from './attachments.tsx'
import type { OpenInbox } from './composer.tsx'
import { type Content, isBlank } from './draft-content.ts'
import type { DraftSaver } from './draft-saver.ts'
import type { Phase } from './draft-state.ts'
import { DraftTrouble } from './draft-trouble.tsx'
import { RichEditor } from './lazy-editor.ts'
import { MailboxField } from './mailbox-field.tsx'
import { isMailbox } from './mailboxes.ts'
import { plainText } from './plain-text.ts'
import { Quoted } from './quoted.tsx'
import { TailView } from './tail-view.tsx'
import { useUndoSend } from './undo-send.ts'
import './draft-form.css'
import { texts } from '../texts.ts'

interface DraftFormProps {
  readonly inbox: OpenInbox
  readonly saver: DraftSaver
  readonly title: string
  /** Whether it was asked for: then one writes at once. */
  readonly isFocused: boolean
  /** The email that it answers or forwards. */
  readonly about?: Email | undefined
  readonly onClose: () => void
  /** It is sent or thrown away. */
  readonly onDone: () => void
  /** The text goes on in another draft, since this one is gone. */
  readonly onReplaced: (saver: DraftSaver) => void
}

/** An email that is being written. */
export function DraftForm({ inbox, saver, title, isFocused, about, onClose, onDone, onReplaced }: DraftFormProps) {
  const { content, revision, draftId, source, files, uploads, phase } = useSyncExternalStore(
    saver.subscribe,
    () => saver.state,
  )
  const [error, setError] = useState<string | null>(null)
  const [isAsking, setAsking] = useState(false)
  const attaching = useAttaching(saver)
  const isForward = saver.beginning.origin.forward_of_email_id !== undefined
  const [first] = useState(() => (!isFocused ? null : content.to.length === 0 ? 'to' : 'text'))
  const sendError = useNotice(saver, inbox.id, draftId)
  const change = (part: Partial<Content>) => {
    setError(null)
    saver.change(part)
  }
  const offerUndo = useUndoSend(inbox.id)
  const send = useAct({ run: () => saver.send().then(offerUndo), refresh: ['inboxes'] })
  const discard = useAct({ run: () => saver.discard(), refresh: ['inboxes'], done: texts.discardDialog.done })
  const trySend = async () => {
    const missing = missingIn(content, isForward)
    setError(missing)
    if (missing === null) await send.mutateAsync().then(onDone, (reason: Error) => setError(reason.message))
  }
  const throwAway = () => discard.mutateAsync().then(onDone)
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    // Whoever has just written an address has it taken first.
    ;(document.activeElement as HTMLElement | null)?.blur()
    setTimeout(() => document.getElementById(sendId)?.click())
  }
  const sendId = useId()
  const isBusy = send.isPending || discard.isPending
  return (
    <section className="draft" aria-label={title} onKeyDown={press} onDragOver={allowFiles} onDrop={attaching.drop}>
      <header>
        <h2>{title}</h2>
        {source === 'agent' && <Badge word={texts.draftStates.writtenByAgent} tone="busy" />}
        <Status phase={phase} isThere={draftId !== null} />
        <IconButton icon="close" label={texts.compose.close} onClick={onClose} />
      </header>
      <DraftTrouble saver={saver} phase={phase} content={content} onReplaced={onReplaced} onDone={onDone} />
      {sendError && (
        <p className="draft-trouble" role="alert">
          {texts.compose.notSent(sendError)}
        </p>
      )}
      <fieldset className="bare" disabled={isBusy}>
        <People key={revision} inbox={inbox} content={content} isFocused={first === 'to'} onChange={change} />
        <Suspense fallback={<div className="rich-editor-loading" aria-busy="true" />}>
          <RichEditor
            html={content.html}
            revision={revision}
            label={texts.compose.body}
            isFocused={first === 'text'}
            onChange={(html) => change({ html })}
            onFiles={attaching.add}
          />
        </Suspense>
        {content.tail && <TailView tail={content.tail} own={content.html} onChange={saver.replace} />}
        {about && <Quoted email={about} />}
        <Attachments
          files={files}
          uploads={uploads}
          carried={isForward ? (about?.attachments ?? []) : []}
          saver={saver}
        />
        {[...attaching.refusals, ...(error === null ? [] : [error])].map((reason) => (
          <p key={reason} className="form-error" role="alert">
            {reason}
          </p>
        ))}
        <footer className="actions">
          <Button
            id={sendId}
            look="primary"
            icon="send"
            isBusy={send.isPending}
            needs="inboxes.drafts.send"
            title={texts.compose.sendKey}
            onClick={trySend}
          >
            {texts.compose.send}
          </Button>
          {attaching.button}
          <span className="muted draft-from">{texts.compose.from(inbox.email_address)}</span>
          <IconButton
            icon="trash"
            label={texts.discardDialog.confirm}
            isBusy={discard.isPending}
            onClick={() => (isBlank(content) && files.length === 0 ? throwAway() : setAsking(true))}
          />
        </footer>
      </fieldset>
      <Confirm
        title={texts.discardDialog.title}
        note={texts.discardDialog.note}
        act={texts.discardDialog.confirm}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={throwAway}
      />
    </section>
  )
}

/** Other tabs and people may change it: then what is new is shown here, unless something is written here, too. Gives why it was not sent. */
function useNotice(saver: DraftSaver, inbox: string, draftId: string | null): string | null {
  const draft = useCall('inboxes.drafts.get', { inbox, draft: draftId ?? '' }, { enabled: draftId !== null })
  useEffect(() => {
    if (draft.data) saver.noticed(draft.data)
  }, [draft.data, saver])
  return draft.data?.send_error ?? null
}

/** What has to be there before it can be sent. */
function missingIn({ to, cc, bcc, subject, html, tail }: Content, isForward: boolean): string | null {
  const wrong = [...to, ...cc, ...bcc].find((one) => !isMailbox(one))
  if (wrong !== undefined) return texts.compose.invalidAddress(wrong)
  if (to.length === 0) return texts.compose.addRecipient
  if (subject.trim() === '') return texts.compose.addSubject
  return plainText(html) === '' && tail === null && !isForward ? texts.compose.addText : null
}

const allowFiles = (event: DragEvent) => {
  if (event.dataTransfer.types.includes('Files')) event.preventDefault()
}

interface PeopleProps {
  readonly inbox: OpenInbox
  readonly content: Content
  readonly isFocused: boolean
  readonly onChange: (part: Partial<Content>) => void
}

function People({ inbox, content: { to, cc, bcc, subject }, isFocused, onChange }: PeopleProps) {
  const [isCopied, setCopied] = useState(cc.length + bcc.length > 0)
  const id = useId()
  return (
    <>
      <div className="draft-to">
        <MailboxField
          label={texts.compose.to}
          inbox={inbox.id}
          value={to}
          isFocused={isFocused}
          onChange={(value) => onChange({ to: value })}
        />
        {!isCopied && (
          <Button look="quiet" onClick={() => setCopied(true)}>
            {texts.compose.showCopies}
          </Button>
        )}
      </div>
      {isCopied && (
        <>
          <MailboxField
            label={texts.compose.cc}
            inbox={inbox.id}
            value={cc}
            onChange={(value) => onChange({ cc: value })}
          />
          <MailboxField
            label={texts.compose.bcc}
            inbox={inbox.id}
            value={bcc}
            onChange={(value) => onChange({ bcc: value })}
          />
        </>
      )}
      <div className="mailbox-field">
        <label htmlFor={id}>{texts.compose.subject}</label>
        <input
          id={id}
          className="draft-subject"
          defaultValue={subject}
          maxLength={2000}
          onChange={(event) => onChange({ subject: event.currentTarget.value })}
        />
      </div>
    </>
  )
}

const STATUS: Readonly<Record<Phase['kind'], string>> = {
  calm: texts.saving.saved,
  saving: texts.saving.saving,
  waiting: texts.saving.offline,
  refused: texts.saving.refused,
  conflict: texts.saving.conflict,
  gone: texts.saving.deleted,
}

const Status = ({ phase, isThere }: { phase: Phase; isThere: boolean }) => (
  <span className="draft-status muted" role="status" title={'reason' in phase ? phase.reason : undefined}>
    {phase.kind === 'calm' && (phase.isChanged || !isThere) ? '' : STATUS[phase.kind]}
  </span>
)
